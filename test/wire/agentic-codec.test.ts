import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  TASK_STATES,
  type Message,
  type StreamResponse,
  type Task,
  type TaskState,
} from '../../core/task.js';
import { createAgenticCodec } from '../../wire/agentic/codec.js';
import { createV1Codec } from '../../wire/v1/codec.js';
import * as any from './arbitraries.js';

const limits = { parts: 10, depth: 10 };
const codec = createAgenticCodec(limits);
const v1 = createV1Codec(limits);
const UNKNOWN: TaskState[] = ['TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED'];
const shown = (task: Task) => JSON.parse(codec.encodeTask(task)) as Task;

const said: Message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'no credits' }] };
const task = (state: TaskState, message?: Message): Task => ({
  id: 'task.1',
  contextId: 'c',
  status: { state, timestamp: '2026-01-01T00:00:00.000Z', ...(message && { message }) },
  ...(message && { history: [message] }),
});

describe('states', () => {
  test('D05 a task in any other state is what it is in 1.0', () => {
    fc.assert(
      fc.property(any.task, (one) => {
        fc.pre(!UNKNOWN.includes(one.status.state));
        expect(codec.encodeTask(one)).toBe(v1.encodeTask(one));
      }),
    );
  });

  test.each<[TaskState, string]>([
    ['TASK_STATE_REJECTED', 'Rejected: no credits'],
    ['TASK_STATE_AUTH_REQUIRED', 'Authorization required: no credits'],
  ])('D05 %s appears as FAILED and says which and why', (state, text) => {
    const message = { ...said, parts: [{ text }], metadata: { $state: state } };
    expect(shown(task(state, said))).toEqual({
      ...task('TASK_STATE_FAILED', message),
      metadata: { $state: state },
    });
  });

  test.each(UNKNOWN)('D05 %s without a word of the agent has a message all the same', (state) => {
    const { message } = shown(task(state)).status;
    expect(message).toMatchObject({ messageId: 'msg.1', role: 'ROLE_AGENT', metadata: { $state: state } });
    expect(message?.parts).toHaveLength(1);
    expect(shown(task(state))).toEqual(shown(task(state)));
  });

  test('D05 whatever the agent said is still there, and no state is shown that the surface lacks', () => {
    fc.assert(
      fc.property(any.task, (one) => {
        const { status, metadata } = shown(one);
        expect(UNKNOWN).not.toContain(status.state);
        if (!UNKNOWN.includes(one.status.state)) return;
        expect(status.state).toBe('TASK_STATE_FAILED');
        expect(metadata?.$state).toBe(one.status.state);
        const words = JSON.stringify(status.message?.parts);
        for (const part of one.status.message?.parts ?? []) {
          if ('text' in part) expect(words).toContain(JSON.stringify(part.text).slice(1, -1));
          else expect(status.message?.parts).toContainEqual(JSON.parse(JSON.stringify(part)));
        }
      }),
    );
  });

  test('D05 events, send results and lists show the same', () => {
    fc.assert(
      fc.property(any.task, (one) => {
        const whole = shown(one);
        const event = (e: StreamResponse) => JSON.parse(codec.encodeEvent(e)!) as object;
        expect(event({ task: one })).toEqual({ task: whole });
        expect(JSON.parse(codec.encodeSendResult({ task: one }))).toEqual({ task: whole });
        const page = { tasks: [one], nextPageToken: '', pageSize: 1, totalSize: 1 };
        const list = JSON.parse(codec.encodeTaskList(page, { includeArtifacts: true })) as { tasks: Task[] };
        expect(list.tasks).toEqual([{ ...whole, artifacts: whole.artifacts ?? [] }]);
        const { id: taskId, contextId, status } = one;
        expect(event({ statusUpdate: { taskId, contextId, status } })).toMatchObject({
          statusUpdate: { taskId, contextId, status: whole.status },
        });
      }),
    );
  });
});

test('D05 a list is filtered by the shown state', () => {
  const filter = (status?: string) => codec.decode('ListTasks', { status }).status;
  expect(filter()).toBeUndefined();
  expect(filter('TASK_STATE_FAILED')).toEqual(['TASK_STATE_FAILED', ...UNKNOWN]);
  for (const state of UNKNOWN) expect(filter(state)).toEqual([]);
  for (const state of TASK_STATES) {
    if (state !== 'TASK_STATE_FAILED' && !UNKNOWN.includes(state)) expect(filter(state)).toEqual([state]);
  }
});

test('D05 an event without a state is what it is in 1.0', () => {
  fc.assert(
    fc.property(any.event, (event) => {
      fc.pre('message' in event || 'artifactUpdate' in event);
      expect(codec.encodeEvent(event)).toBe(v1.encodeEvent(event));
    }),
  );
});
