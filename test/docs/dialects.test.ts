import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { dialectsPage } from './dialects.js';

test('D01 D02 D03 D04 D05 docs/dialects.md shows what a conversation is in each dialect', async () => {
  expect(await dialectsPage()).toBe(await readFile(resolve('docs/dialects.md'), 'utf8'));
});
