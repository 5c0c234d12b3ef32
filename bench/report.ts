import { cpus, totalmem, release, type } from 'node:os';
import { compared, isMet, type Figure, type Scenario } from './scenario.js';

export interface Result {
  scenario: Pick<Scenario, 'name' | 'title' | 'limit'>;
  figures: Figure[];
  /** Where the scenario broke off. */
  error?: string;
}

export interface Report {
  date: string;
  machine: string;
  quick: boolean;
  results: Result[];
}

export function describeMachine(): string {
  const [processor] = cpus();
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${processor?.model.trim() ?? 'unknown processor'}, ${gibibytes} GiB, ${type()} ${release()}, Node.js ${process.version}`;
}

/** Missed targets and broken scenarios. */
export function misses({ results }: Report): number {
  return results.reduce(
    (sum, { figures, error }) =>
      sum + (error === undefined ? 0 : 1) + figures.filter((figure) => isMet(figure) === false).length,
    0,
  );
}

const HEADER = ['figure', 'ours', 'peer', 'ratio', 'target', 'verdict'];

/** The side-by-side table, one section a scenario. */
export function toMarkdown(report: Report): string {
  const sections = report.results.map(({ scenario, figures, error }) =>
    [
      `## ${scenario.title}`,
      '',
      ...(error === undefined ? [] : [`Broke off: ${error}`, '']),
      ...(figures.length === 0 ? [] : table(figures)),
      ...(figures.some((figure) => isMet(figure) === false) ? ['', `What limits it: ${scenario.limit}`] : []),
      '',
    ].join('\n'),
  );
  return [
    '# Benchmarks',
    '',
    'Made by `npm run bench`: the product, its peers and the load generator in processes of their own on one',
    'machine, in one run. Ratios are medians of rounds measured in turn (ours, peer, ours, peer).',
    '',
    `${report.date} · ${report.machine}`,
    '',
    ...(report.quick ? ['**A quick run: it shows that the scenarios work and measures nothing.**', ''] : []),
    ...sections,
  ].join('\n');
}

function table(figures: Figure[]): string[] {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [row(HEADER), row(HEADER.map(() => '---')), ...figures.map((figure) => row(cells(figure)))];
}

function cells(figure: Figure): string[] {
  const { what, unit, ours, peer, ratio, target } = figure;
  const met = isMet(figure);
  return [
    what,
    `${format(ours)} ${unit}`,
    peer === undefined ? '' : `${format(peer.value)} ${unit} (${peer.name})`,
    ratio === undefined ? '' : `${format(ratio)}×`,
    target === undefined ? '' : targetText(figure),
    met === undefined ? '' : met ? 'hit' : `**missed** (${format(compared(figure))})`,
  ];
}

function targetText({ target, ratio, unit }: Figure): string {
  if (target === undefined) return '';
  const [sign, bound] = 'atMost' in target ? ['≤', target.atMost] : ['≥', target.atLeast];
  return `${sign} ${format(bound)}${ratio === undefined ? ` ${unit}` : '×'}`;
}

function format(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en');
  return value.toLocaleString(
    'en',
    value < 10 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: value < 100 ? 1 : 0 },
  );
}
