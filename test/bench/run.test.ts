import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Report } from '../../bench/report.js';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const bench = (...args: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...args], { cwd: ROOT });

test(
  'F11 the bench runs a scenario with real processes and writes the figures',
  { timeout: 180_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-test-'));
    try {
      const file = join(folder, 'figures.json');
      const { stdout } = await bench('--quick', '--only', 'history', '--json', file);
      expect(stdout).toContain('A quick run');
      const { results } = JSON.parse(await readFile(file, 'utf8')) as Report;
      expect(results).toHaveLength(1);
      expect(results[0]).not.toHaveProperty('error');
      for (const { ours, peer } of results[0]!.figures) {
        expect(ours).toBeGreaterThan(0);
        if (peer) expect(peer.value).toBeGreaterThan(0);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test('F11 an unknown scenario is refused with the list of those there are', async () => {
  await expect(bench('--only', 'nothing')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('token-latency'),
  });
});
