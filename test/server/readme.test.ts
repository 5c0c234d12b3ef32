import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Command } from '../support/command.js';

const README = resolve(import.meta.dirname, '../../README.md');

let folder: string;
let server: Command;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readme-'));
  const env = { DATA_DIR: join(folder, 'data'), PORT: '0', TEMPORAL_PORT: '0', TEMPORAL_HEADLESS: 'true' };
  server = new Command(['start'], env);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Each command of the tour with the answer that is printed below it. */
async function tour(): Promise<{ command: string; answer: string }[]> {
  const [, text = ''] = /## Five minutes\n(.*?)\n## /s.exec(await readFile(README, 'utf8')) ?? [];
  return [...text.matchAll(/```sh\n(.*?)```.*?```text\n(.*?)```/gs)].map(([, command = '', answer = '']) => ({
    command,
    answer,
  }));
}

/** `…` stands for what is left out. */
function pattern(answer: string): RegExp {
  const pieces = answer
    .trim()
    .split('…')
    .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(pieces.join('[^]*'));
}

test('F01 the tour of the README works as pasted and answers what it shows', async () => {
  const [, url = ''] = await server.prints(/API +(http:\S+)/);
  await server.prints(/Ctrl-C stops it/);
  const steps = await tour();
  expect(steps).toHaveLength(4);
  for (const { command, answer } of steps) {
    const pasted = command.replaceAll('http://127.0.0.1:4000', url);
    const { stdout } = await promisify(execFile)('bash', ['-c', pasted], { cwd: folder });
    expect(stdout).toMatch(pattern(answer));
  }
});
