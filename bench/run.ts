import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { describeMachine, misses, toMarkdown, type Report, type Result } from './report.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/index.js';
import { Stack } from './stack.js';

const USAGE = `npm run bench -- [options]
  --only NAME    one scenario; may be given again: ${SCENARIOS.map(({ name }) => name).join(', ')}
  --json FILE    write the figures as JSON
  --strict       exit 1 when a target is missed
  --quick        show in a minute that the scenarios work; measures nothing
A whole run writes docs/benchmarks.md and docs/benchmarks.json.`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    json: { type: 'string' },
    strict: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) {
  console.log(USAGE);
} else {
  const unknown = options.only?.find((name) => SCENARIOS.every((scenario) => scenario.name !== name));
  if (unknown !== undefined) {
    console.error(`There is no scenario '${unknown}'.\n${USAGE}`);
    process.exit(2);
  }
  await bench(SCENARIOS.filter(({ name }) => options.only?.includes(name) ?? true));
}

async function bench(scenarios: readonly Scenario[]): Promise<void> {
  const report: Report = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    quick: options.quick,
    results: [],
  };
  for (const scenario of scenarios) report.results.push(await measure(scenario));

  const markdown = toMarkdown(report);
  console.log(markdown);
  const json = `${JSON.stringify(report, null, 2)}\n`;
  if (options.json !== undefined) await writeFile(options.json, json);
  if (!options.quick && scenarios.length === SCENARIOS.length) {
    await writeFile(new URL('../docs/benchmarks.md', import.meta.url), markdown);
    await writeFile(new URL('../docs/benchmarks.json', import.meta.url), json);
  }
  const broken = report.results.some(({ error }) => error !== undefined);
  if (broken || (options.strict && misses(report) > 0)) process.exitCode = 1;
}

async function measure(scenario: Scenario): Promise<Result> {
  const { name, title, limit } = scenario;
  const log = (line: string) => console.error(`${name}: ${line}`);
  log('started');
  const stack = await Stack.open(options.quick, log);
  try {
    return { scenario: { name, title, limit }, figures: await scenario.run(stack) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    log(`broke off: ${message}`);
    return { scenario: { name, title, limit }, figures: [], error: message.split('\n', 1)[0] ?? '' };
  } finally {
    await stack.close();
    log('ended');
  }
}
