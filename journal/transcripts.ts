import { BlobWriter, parseWhole } from './blobs.js';
import { type Db, prepare } from './prepare.js';
import type { TranscriptsTable } from './schema.js';
import type { Transaction } from './store.js';

/** `JournalAppend.putTranscript` in one transaction. Parts in arrays named `parts` become blobs where they are big. */
export async function putTranscript(
  tx: Transaction,
  taskId: string,
  conversation: string,
  position: number,
  body: unknown,
): Promise<void> {
  const blobs = new BlobWriter();
  const text = JSON.stringify(blobs.detach(body));
  await saveTurn(tx.db, { task_id: taskId, conversation, position, body: text });
  await blobs.save(tx.db, taskId);
}

/** `JournalAppend.readTranscript`, on a snapshot. */
export async function readTranscript(db: Db, taskId: string, conversation: string): Promise<unknown[]> {
  const rows = await db
    .selectFrom('transcripts')
    .select('body')
    .where('task_id', '=', taskId)
    .where('conversation', '=', conversation)
    .orderBy('position')
    .execute();
  return parseWhole(
    db,
    taskId,
    rows.map(({ body }) => body),
  );
}

const saveTurn = prepare((db, row: TranscriptsTable) =>
  db
    .insertInto('transcripts')
    .values({ task_id: row.task_id, conversation: row.conversation, position: row.position, body: row.body })
    .onConflict((conflict) =>
      conflict
        .columns(['task_id', 'conversation', 'position'])
        .doUpdateSet((eb) => ({ body: eb.ref('excluded.body') })),
    ),
);
