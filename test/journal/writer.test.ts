import { describe, expect, onTestFinished, test } from 'vitest';
import { prepare } from '../../journal/prepare.js';
import { SqliteStore } from '../../journal/sqlite/store.js';
import type { Transaction } from '../../journal/store.js';
import { journalFile } from './support.js';

const addContext = prepare((db, value: { id: string }) =>
  db.insertInto('contexts').values({ tenant: '', owner: '', context_id: value.id, holder: null, used_at: 0 }),
);

async function openStore(): Promise<SqliteStore> {
  const store = await SqliteStore.open(journalFile());
  onTestFinished(() => store.close());
  return store;
}

async function contexts(store: SqliteStore): Promise<string[]> {
  const rows = await store.reader.selectFrom('contexts').select('context_id').orderBy('context_id').execute();
  return rows.map(({ context_id }) => context_id);
}

function adds(id: string, fault?: Error) {
  return async ({ db, added }: Transaction): Promise<string> => {
    await addContext(db, { id });
    added(id);
    if (fault !== undefined) throw fault;
    return id;
  };
}

describe('the writer', () => {
  test('F03 operations that wait become one transaction; one that throws is undone, alone', async () => {
    const store = await openStore();
    const fault = new Error('half way');
    const woken: string[] = [];
    for (const id of ['a', 'b', 'c']) store.watch(id, () => woken.push(id));
    const outcomes = await Promise.allSettled([
      store.write('flushed', adds('a')),
      store.write('lazy', adds('b', fault)),
      store.write('lazy', adds('c')),
    ]);
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: fault },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(store.stats).toMatchObject({ commits: 1, operations: 3 });
    expect(await contexts(store)).toEqual(['a', 'c']);
    expect(woken).toEqual(['a', 'c']);
  });

  test('F03 a caller that has its answer reads what it wrote; nobody reads it before', async () => {
    const store = await openStore();
    let inside: string[] | undefined;
    await store.write('lazy', async (tx) => {
      await adds('a')(tx);
      inside = await contexts(store);
    });
    expect(inside).toEqual([]);
    expect(await contexts(store)).toEqual(['a']);
  });

  test('F03 a write that is asked for by the answer to another is made, however they interleave', async () => {
    const store = await openStore();
    const chain = async (name: string): Promise<void> => {
      for (let i = 0; i < 50; i++) await store.write(i % 2 === 0 ? 'lazy' : 'flushed', adds(`${name}${i}`));
    };
    await Promise.all(['a', 'b', 'c'].map(chain));
    expect(await contexts(store)).toHaveLength(150);
  });

  test('F03 a long queue is written in several transactions, so that the process breathes', async () => {
    const store = await openStore();
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await Promise.all(Array.from({ length: 5_000 }, (_, i) => store.write('lazy', adds(`${i}`))));
    clearInterval(timer);
    expect(store.stats.operations).toBe(5_000);
    expect(store.stats.commits).toBeGreaterThan(2);
    expect(turns).toBeGreaterThan(2);
  });

  test('F03 closing waits for what was asked for, and refuses what comes later', async () => {
    const file = journalFile();
    const store = await SqliteStore.open(file);
    const writes = Promise.all([store.write('lazy', adds('a')), store.write('flushed', adds('b'))]);
    await store.close();
    expect(await writes).toEqual(['a', 'b']);
    await expect(store.write('lazy', adds('c'))).rejects.toThrow('the journal is closed');
    const again = await SqliteStore.open(file);
    expect(await contexts(again)).toEqual(['a', 'b']);
    await again.close();
  });
});
