import type { AppendResult } from '../core/journal.js';
import { record } from '../core/record.js';
import { isTerminal } from '../core/states.js';
import { stateOf } from './append.js';
import { Draft } from './draft.js';
import { readTaskRow } from './rows.js';
import { stampAt } from './stamp.js';
import type { Transaction } from './store.js';

/** `JournalAcceptance.closeTask` in one transaction: the first terminal state stays. */
export async function closeTask(
  tx: Transaction,
  taskId: string,
  state: 'TASK_STATE_CANCELED' | 'TASK_STATE_FAILED',
  reason: string | undefined,
  now: number,
): Promise<AppendResult> {
  const row = await readTaskRow(tx.db, taskId);
  const result = {
    state: row?.state ?? state,
    lastSeq: row?.last_seq ?? 0,
    statusSeq: 0,
    lastKey: row?.last_key ?? '',
    artifactIds: {},
    commands: [],
  };
  if (row === undefined) return { outcome: 'unknown', ...result };
  if (isTerminal(row.state)) return { outcome: 'terminal', ...result };
  const draft = new Draft(tx, row, now);
  const entry = {
    kind: 'status' as const,
    state,
    ...(reason !== undefined && { message: { parts: [{ text: reason }] } }),
  };
  // A task is closed once, so the key needs no number; it is no entry of the run, whose last key stays.
  await draft.add(record(await stateOf(tx.db, draft, [entry]), entry, stampAt(now))!, 'closed');
  const commands = await draft.save();
  const { last_seq: lastSeq } = draft.row;
  const { pushes } = draft;
  return {
    outcome: 'recorded',
    ...result,
    state,
    lastSeq,
    statusSeq: lastSeq,
    commands,
    ...(pushes.length > 0 && { pushes }),
  };
}
