import type { Command } from '../core/journal.js';
import { type Db, prepare } from './prepare.js';
import type { CommandsTable } from './schema.js';

/** A command without the id that the outbox gives it. */
export type NewCommand = Command extends infer C ? (C extends Command ? Omit<C, 'id'> : never) : never;

/** Part of the transaction that makes the command due. */
export async function recordCommand(db: Db, command: NewCommand, now: number): Promise<Command> {
  const [row] = await insertCommand(db, {
    taskId: command.taskId,
    kind: command.kind,
    body: bodyOf(command),
    createdAt: now,
  });
  return { id: row!.id, ...command };
}

export async function pendingCommands(db: Db, before: Date, limit: number): Promise<Command[]> {
  const rows = await db
    .selectFrom('commands')
    .selectAll()
    .where('created_at', '<', before.getTime())
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toCommand);
}

export async function commandDone(db: Db, id: number): Promise<void> {
  await deleteCommand(db, { id });
}

function bodyOf(command: NewCommand): string | null {
  switch (command.kind) {
    case 'start':
      return JSON.stringify(command.start);
    case 'message':
      return JSON.stringify(command.delivery);
    case 'retryPush':
    case 'wakePush':
      return JSON.stringify(command.pushId);
    case 'cancel':
    case 'turn':
      return null;
  }
}

function toCommand({ id, task_id: taskId, kind, body }: { [K in keyof CommandsTable]: unknown }): Command {
  const command: Record<string, unknown> = { id, taskId, kind };
  if (kind === 'start') command.start = JSON.parse(body as string);
  if (kind === 'message') command.delivery = JSON.parse(body as string);
  if (kind === 'retryPush' || kind === 'wakePush') command.pushId = JSON.parse(body as string);
  return command as unknown as Command;
}

const insertCommand = prepare(
  (db, value: { taskId: string; kind: CommandsTable['kind']; body: string | null; createdAt: number }) =>
    db
      .insertInto('commands')
      .values({ task_id: value.taskId, kind: value.kind, body: value.body, created_at: value.createdAt })
      .returning('id'),
);

const deleteCommand = prepare((db, value: { id: number }) =>
  db.deleteFrom('commands').where('id', '=', value.id),
);
