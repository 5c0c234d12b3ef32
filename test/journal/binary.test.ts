import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openSqliteJournal } from '../../journal/index.js';

test('F01 after a change of Node.js the error says what to run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  // As Node.js does with a binary that was compiled for another version of it.
  const loading = vi.spyOn(process, 'dlopen').mockImplementation(() => {
    throw Object.assign(new Error('was compiled against a different Node.js version'), {
      code: 'ERR_DLOPEN_FAILED',
    });
  });
  try {
    const failed = await openSqliteJournal({ file: join(folder, 'journal.db') }).catch(
      (error: unknown) => error,
    );
    expect(loading).toHaveBeenCalled();
    expect(failed).toMatchObject({
      cause: { message: expect.stringContaining('npm rebuild better-sqlite3') as string },
    });
  } finally {
    loading.mockRestore();
    await rm(folder, { recursive: true });
  }
});
