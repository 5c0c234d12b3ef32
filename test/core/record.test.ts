import { describe, expect, test } from 'vitest';
import { fold, mergeText } from '../../core/fold.js';
import type { Entry } from '../../core/journal.js';
import { record, recordFragment, type Recorded, type RecordState } from '../../core/record.js';
import type { StreamResponse, Task, TaskState } from '../../core/task.js';

const STAMP = { time: '2026-03-01T12:00:00.000Z', id: (prefix: string) => `${prefix}.1` };

function state(of: TaskState, more: Partial<RecordState> = {}): RecordState {
  const task: Task = { id: 'task.1', contextId: 'ctx.1', status: { state: of, timestamp: STAMP.time } };
  return { task, visible: true, open: [], ...more };
}

function recorded(before: RecordState, entry: Entry): Recorded {
  const result = record(before, entry, STAMP);
  if (result === undefined) throw new Error('nothing was recorded');
  return result;
}

function states(events: StreamResponse[]): string[] {
  return events.map((event) =>
    'statusUpdate' in event
      ? event.statusUpdate.status.state
      : 'artifactUpdate' in event
        ? 'artifact'
        : 'message',
  );
}

describe('core/record', () => {
  test('A05 a state that lies between is recorded too, and takes the turn', () => {
    const { events, takesTurn } = recorded(state('TASK_STATE_SUBMITTED'), {
      kind: 'status',
      state: 'TASK_STATE_INPUT_REQUIRED',
    });
    expect(states(events)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']);
    expect(takesTurn).toBe(true);
  });

  test('A05 a refusal, a cancel and a failure need no turn', () => {
    for (const to of ['TASK_STATE_REJECTED', 'TASK_STATE_CANCELED', 'TASK_STATE_FAILED'] as const) {
      const { events, takesTurn } = recorded(state('TASK_STATE_SUBMITTED'), { kind: 'status', state: to });
      expect([states(events), takesTurn]).toEqual([[to], false]);
    }
  });

  test('A05 nothing goes back to SUBMITTED: that is a fault of the caller', () => {
    expect(() =>
      record(state('TASK_STATE_WORKING'), { kind: 'status', state: 'TASK_STATE_SUBMITTED' }, STAMP),
    ).toThrow('TASK_STATE_SUBMITTED cannot follow TASK_STATE_WORKING');
  });

  test('A06 nothing follows a terminal state', () => {
    const entries: Entry[] = [
      { kind: 'status', state: 'TASK_STATE_WORKING' },
      { kind: 'artifact', artifact: { artifactId: 'a', parts: [] }, append: false, lastChunk: true },
      { kind: 'close', artifactId: 'a' },
      { kind: 'message', message: { parts: [{ text: 'late' }] } },
      { kind: 'metadata', metadata: { late: true } },
    ];
    for (const of of [
      'TASK_STATE_COMPLETED',
      'TASK_STATE_FAILED',
      'TASK_STATE_CANCELED',
      'TASK_STATE_REJECTED',
    ] as const) {
      for (const entry of entries) expect(record(state(of), entry, STAMP)).toBeUndefined();
      expect(recordFragment(state(of), { artifactId: 'a', parts: [] }, true)).toBeUndefined();
    }
  });

  test('A02 a status message has an id, a time, the task and the context', () => {
    const { events } = recorded(state('TASK_STATE_WORKING'), {
      kind: 'status',
      state: 'TASK_STATE_WORKING',
      message: { parts: [{ text: 'on it' }], metadata: { n: 1 } },
      metadata: { $rateLimit: {} },
    });
    expect(events).toEqual([
      {
        statusUpdate: {
          taskId: 'task.1',
          contextId: 'ctx.1',
          status: {
            state: 'TASK_STATE_WORKING',
            timestamp: STAMP.time,
            message: {
              messageId: 'msg.1',
              taskId: 'task.1',
              contextId: 'ctx.1',
              role: 'ROLE_AGENT',
              parts: [{ text: 'on it' }],
              metadata: { n: 1, $timestamp: STAMP.time },
            },
          },
          metadata: { $rateLimit: {} },
        },
      },
    ]);
  });

  test('B04 a pause closes what is open as intermediate-thinking, COMPLETED as it is', () => {
    const artifacts = [{ artifactId: 'a', name: 'answer', parts: [{ text: 'so far' }] }];
    const before = state('TASK_STATE_WORKING', { open: ['a'] });
    before.task.artifacts = artifacts;
    const paused = recorded(before, { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED' });
    expect(states(paused.events)).toEqual(['artifact', 'TASK_STATE_INPUT_REQUIRED']);
    expect(paused.state.open).toEqual([]);
    expect(paused.state.task.artifacts).toEqual([
      { ...artifacts[0], metadata: { type: 'intermediate-thinking' } },
    ]);
    const completed = recorded(before, { kind: 'status', state: 'TASK_STATE_COMPLETED' });
    expect(completed.state.task.artifacts).toEqual(artifacts);
    const progress = recorded(before, { kind: 'status', state: 'TASK_STATE_WORKING' });
    expect([states(progress.events), progress.state.open]).toEqual([['TASK_STATE_WORKING'], ['a']]);
  });

  test('B04 what goes on after a pause closed it is sent whole again, without the mark', () => {
    const before = state('TASK_STATE_WORKING');
    before.task.artifacts = [
      { artifactId: 'a', parts: [{ text: 'Once ' }], metadata: { type: 'intermediate-thinking', n: 1 } },
    ];
    const { events, state: after } = recordFragment(
      before,
      { artifactId: 'a', parts: [{ text: 'upon' }] },
      true,
    )!;
    expect(events).toEqual([
      {
        artifactUpdate: {
          taskId: 'task.1',
          contextId: 'ctx.1',
          artifact: { artifactId: 'a', parts: [{ text: 'Once upon' }], metadata: { n: 1 } },
          append: false,
          lastChunk: false,
        },
      },
    ]);
    expect(after.open).toEqual(['a']);
  });

  test('B04 the agent may still make an answer of what a pause closed', () => {
    const before = state('TASK_STATE_WORKING');
    before.task.artifacts = [
      { artifactId: 'a', parts: [{ text: 'x' }], metadata: { type: 'intermediate-thinking' } },
    ];
    const { state: after } = recorded(before, { kind: 'close', artifactId: 'a' });
    expect(after.task.artifacts).toEqual([{ artifactId: 'a', parts: [{ text: 'x' }] }]);
    expect(recorded(after, { kind: 'close', artifactId: 'a' }).events).toEqual([]);
  });

  test('B03 the closing event has the whole text in one part, append false and lastChunk true', () => {
    let now = state('TASK_STATE_WORKING');
    for (const [at, text] of ['One ', 'two ', 'three'].entries()) {
      const { events, state: next } = recordFragment(now, { artifactId: 'a', parts: [{ text }] }, at > 0)!;
      expect(events).toMatchObject([{ artifactUpdate: { append: at > 0, lastChunk: false } }]);
      now = next;
    }
    expect(recorded(now, { kind: 'close', artifactId: 'a', metadata: { k: 1 } }).events).toEqual([
      {
        artifactUpdate: {
          taskId: 'task.1',
          contextId: 'ctx.1',
          artifact: { artifactId: 'a', parts: [{ text: 'One two three' }], metadata: { k: 1 } },
          append: false,
          lastChunk: true,
        },
      },
    ]);
  });

  test('B11 a fragment with append false replaces what an earlier attempt wrote', () => {
    let now = state('TASK_STATE_WORKING');
    for (const [text, append] of [
      ['bro', false],
      ['ken', true],
      ['whole', false],
    ] as const) {
      now = recordFragment(now, { artifactId: 'a', parts: [{ text }] }, append)!.state;
    }
    expect(now.task.artifacts).toEqual([{ artifactId: 'a', parts: [{ text: 'whole' }] }]);
    expect(now.open).toEqual(['a']);
  });

  test('A18 append to an unknown artifact starts it, in every way to append', () => {
    const unknown = state('TASK_STATE_WORKING');
    const artifact = { artifactId: 'new', parts: [{ text: 'x' }] };
    expect(recordFragment(unknown, artifact, true)!.events).toMatchObject([
      { artifactUpdate: { append: false } },
    ]);
    const whole = recorded(unknown, { kind: 'artifact', artifact, append: true, lastChunk: true });
    expect(whole.events).toMatchObject([{ artifactUpdate: { artifact, append: false, lastChunk: true } }]);
    const event: StreamResponse = { artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: true } };
    expect(fold(unknown.task, event).artifacts).toEqual([artifact]);
  });

  test('A03 a direct message ends a hidden row and names no task', () => {
    const hidden = state('TASK_STATE_SUBMITTED', { visible: false });
    const {
      events,
      direct,
      state: after,
      takesTurn,
    } = recorded(hidden, {
      kind: 'message',
      message: { parts: [{ text: '42' }] },
    });
    expect(events).toEqual([{ message: direct }]);
    expect(direct).not.toHaveProperty('taskId');
    expect(direct).toMatchObject({ messageId: 'msg.1', contextId: 'ctx.1', role: 'ROLE_AGENT' });
    expect([after.visible, after.task.status.state, takesTurn]).toEqual([
      false,
      'TASK_STATE_COMPLETED',
      true,
    ]);
  });

  test('A03 on a visible row the direct message becomes artifact and COMPLETED', () => {
    const { events, direct } = recorded(state('TASK_STATE_SUBMITTED'), {
      kind: 'message',
      message: { parts: [{ text: '42' }] },
    });
    expect(states(events)).toEqual(['TASK_STATE_WORKING', 'artifact', 'TASK_STATE_COMPLETED']);
    expect(direct).toBeUndefined();
  });

  test('A03 a hidden row shows with the first thing that says something', () => {
    const hidden = state('TASK_STATE_SUBMITTED', { visible: false });
    const visible = (entry: Entry): boolean => recorded(hidden, entry).state.visible;
    expect(visible({ kind: 'status', state: 'TASK_STATE_WORKING' })).toBe(false);
    expect(visible({ kind: 'metadata', metadata: { $usage: {} } })).toBe(false);
    expect(visible({ kind: 'status', state: 'TASK_STATE_WORKING', message: { parts: [] } })).toBe(true);
    expect(visible({ kind: 'status', state: 'TASK_STATE_FAILED' })).toBe(true);
    const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };
    expect(visible({ kind: 'artifact', artifact, append: false, lastChunk: true })).toBe(true);
    expect(recordFragment(hidden, artifact, false)!.state.visible).toBe(true);
  });

  test('A17 metadata is added to the task and takes no event', () => {
    const { events, state: after } = recorded(state('TASK_STATE_WORKING'), {
      kind: 'metadata',
      metadata: { $usage: { totalTokens: 3 } },
    });
    expect(events).toEqual([]);
    expect(after.task.metadata).toEqual({ $usage: { totalTokens: 3 } });
  });
});

describe('core/fold', () => {
  test('A18 only text that carries nothing else is merged', () => {
    expect(
      mergeText([
        { text: 'a' },
        { text: 'b' },
        { text: 'c', metadata: { citations: [] } },
        { text: 'd' },
        { data: null },
        { text: 'e' },
        { text: 'f' },
      ]),
    ).toEqual([
      { text: 'ab' },
      { text: 'c', metadata: { citations: [] } },
      { text: 'd' },
      { data: null },
      { text: 'ef' },
    ]);
  });

  test('A02 folding leaves the task before it as it was', () => {
    const { task } = state('TASK_STATE_WORKING');
    const before = structuredClone(task);
    const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };
    const once = fold(task, { artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: false } });
    const copy = structuredClone(once);
    fold(once, { artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: true } });
    expect([task, once]).toEqual([before, copy]);
  });
});
