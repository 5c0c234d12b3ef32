import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Scope } from '../../core/caller.js';
import { prefixedId } from '../../core/ids.js';
import type { Append, AppendResult, Entry, FollowUp, NewTask, StoredEvent } from '../../core/journal.js';
import type { Message, Part, TaskState } from '../../core/task.js';
import { openSqliteJournal, type JournalOptions, type SqlJournal } from '../../journal/index.js';

export const SCOPE: Scope = { tenant: '', owner: 'anonymous', agent: 'hello' };

/** A folder that is gone after the test; gives the path of a file in it. */
export function journalFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'journal.db');
}

/** A journal on real SQLite, closed after the test. */
export async function openJournal(
  options: Partial<JournalOptions> = {},
  file = journalFile(),
): Promise<SqlJournal> {
  const journal = await openSqliteJournal({ file, ...options });
  onTestFinished(() => journal.close());
  return journal;
}

/** A clock that moves only when it is told to, from noon of a day in 2026. */
export function testClock() {
  let millis = Date.parse('2026-03-01T12:00:00.000Z');
  return {
    now: () => millis,
    advance(by: number): number {
      return (millis += by);
    },
  };
}

function taskId(): string {
  return prefixedId('task', Date.now(), randomUUID());
}

export function userMessage(text = 'hello', more: Partial<Message> = {}): Message {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more };
}

export function newTask(more: Partial<NewTask> = {}): NewTask {
  return {
    taskId: taskId(),
    contextId: `ctx.${randomUUID()}`,
    caller: { tenant: SCOPE.tenant, owner: SCOPE.owner },
    agent: SCOPE.agent,
    message: userMessage(),
    options: {},
    visible: true,
    ...more,
  };
}

export function followUp(id: string, more: Partial<FollowUp> = {}): FollowUp {
  return { taskId: id, scope: SCOPE, message: userMessage('more'), options: {}, ...more };
}

export function status(state: TaskState, text?: string): Entry {
  return { kind: 'status', state, ...(text !== undefined && { message: { parts: [{ text }] } }) };
}

export function artifact(
  artifactId: string,
  parts: Part[],
  { append = false, lastChunk = true }: { append?: boolean; lastChunk?: boolean } = {},
): Entry {
  return { kind: 'artifact', artifact: { artifactId, parts }, append, lastChunk };
}

/** A workflow's side of the journal: it carries the key from one append to the next. */
export class Run {
  lastKey = '';
  constructor(
    readonly journal: SqlJournal,
    readonly taskId: string,
  ) {}

  async append(...entries: Entry[]): Promise<AppendResult> {
    const result = await this.journal.append(this.next(entries));
    if (result.outcome === 'recorded') this.lastKey = result.lastKey;
    return result;
  }

  next(entries: Entry[]): Append {
    return { taskId: this.taskId, prevKey: this.lastKey, entries };
  }
}

/** A new task and its run. */
export async function startRun(journal: SqlJournal, more: Partial<NewTask> = {}): Promise<Run> {
  const { taskId: id } = await journal.accept(newTask(more));
  return new Run(journal, id);
}

export async function allEvents(journal: SqlJournal, id: string): Promise<StoredEvent[]> {
  return journal.readEvents(id, 0, 1_000_000);
}

/** One word per event: `task`, a state, or an artifact update as `artifact`, `+artifact`, `artifact.`. */
export function words(events: readonly StoredEvent[]): string[] {
  return events.map(({ event }) => {
    if ('task' in event) return 'task';
    if ('message' in event) return 'message';
    if ('statusUpdate' in event) return event.statusUpdate.status.state.replace('TASK_STATE_', '');
    const {
      append,
      lastChunk,
      artifact: { metadata },
    } = event.artifactUpdate;
    const mark = metadata?.type === 'intermediate-thinking' ? '?' : '';
    return `${append === true ? '+' : ''}artifact${mark}${lastChunk === true ? '.' : ''}`;
  });
}
