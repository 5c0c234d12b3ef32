import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { A2AError } from '../../core/errors.js';
import type { Part } from '../../core/task.js';
import { createDraftCodec } from '../../wire/draft/codec.js';
import type { Operation } from '../../wire/requests.js';
import * as any from './arbitraries.js';

const codec = createDraftCodec({ parts: 10, depth: 10 });

interface DraftTask {
  id: string;
  sessionId: string;
  status: { state: string; timestamp: string; message?: object };
  artifacts?: { index: number; lastChunk?: boolean; parts: object[]; name?: string }[];
  history?: { role: string; parts: object[]; metadata?: object }[];
  metadata?: object;
}
const encoded = (task: Parameters<typeof codec.encodeTask>[0]) =>
  JSON.parse(codec.encodeTask(task)) as DraftTask;
const decodedParts = (parts: unknown) =>
  codec.decode('SendMessage', { id: '1', message: { role: 'user', parts } }).message.parts;

/** What the drafts can say of a part: a name belongs to a file, and data has a media type. */
function expressible(part: Part): Part {
  const { filename: _, ...rest } = part;
  if ('text' in part) return rest;
  return 'data' in part ? { mediaType: 'application/json', ...rest } : part;
}

test('D03 C11 every part comes back from its own encoding as far as the drafts can say it', () => {
  fc.assert(
    fc.property(any.task, fc.array(any.part, { minLength: 1, maxLength: 5 }), (task, parts) => {
      const [artifact] = encoded({ ...task, artifacts: [{ artifactId: 'a', parts }] }).artifacts!;
      expect(JSON.stringify(sorted(decodedParts(artifact?.parts)))).toBe(
        JSON.stringify(sorted(parts.map(expressible))),
      );
    }),
  );
});

/** The order of a part's own fields does not matter. That of the caller's data does, and `toEqual` passes `__proto__` over. */
function sorted(parts: readonly Part[]): [string, unknown][][] {
  return parts.map((part) => Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
}

test('D03 a task keeps all but its words for states, ids of messages and of artifacts', () => {
  fc.assert(
    fc.property(any.task, (task) => {
      const { id, sessionId, status, artifacts, history, metadata } = encoded(task);
      expect([id, sessionId, status.timestamp]).toEqual([task.id, task.contextId, task.status.timestamp]);
      expect(['submitted', 'working', 'input-required', 'completed', 'failed', 'canceled']).toContain(
        status.state,
      );
      expect(artifacts?.map(({ index }) => index)).toEqual(task.artifacts?.map((_, index) => index));
      expect(history?.map(({ role }) => role)).toEqual(
        task.history?.map(({ role }) => (role === 'ROLE_USER' ? 'user' : 'agent')),
      );
      expect(JSON.stringify(metadata)).toBe(JSON.stringify(task.metadata));
      expect(Object.keys(status.message ?? {})).not.toContain('messageId');
    }),
  );
});

test('D03 B12 fragments come where the setting says so, with their place', () => {
  const whole = createDraftCodec({ parts: 10, depth: 10, legacyFragments: true });
  const frame = (append: boolean, lastChunk: boolean) => ({
    artifactUpdate: {
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: '1', parts: [{ text: 'a' }] },
      append,
      lastChunk,
    },
  });
  const parts = [{ type: 'text', text: 'a' }];
  const shown = (append: boolean, lastChunk: boolean) =>
    JSON.parse(whole.encodeEvent(frame(append, lastChunk))!) as object;
  expect(shown(true, false)).toEqual({
    id: 't',
    artifact: { parts, index: 1, append: true, lastChunk: false },
  });
  expect(shown(false, true)).toEqual({ id: 't', artifact: { parts, index: 1, lastChunk: true } });
  expect(codec.encodeEvent(frame(true, false))).toBeUndefined();
});

test('D03 a frame is {id, status, final} or {id, artifact}, and there is none for anything else', () => {
  fc.assert(
    fc.property(any.event, fc.boolean(), (event, passed) => {
      const text = codec.encodeEvent(event, passed);
      if (text === undefined) {
        expect('statusUpdate' in event).toBe(false);
        return;
      }
      expect('message' in event).toBe(false);
      const { metadata: _, ...frame } = JSON.parse(text) as Record<string, unknown>;
      if ('artifactUpdate' in event) {
        expect(Object.keys(frame)).toEqual(['id', 'artifact']);
        expect(event.artifactUpdate.lastChunk).toBe(true);
      } else {
        expect(Object.keys(frame)).toEqual(['id', 'status', 'final']);
      }
      if ('statusUpdate' in event && passed) expect(frame.final).toBe(false);
    }),
  );
});

describe('requests', () => {
  test('D03 a send is read whole', () => {
    const push = {
      url: 'https://example.com',
      token: 't',
      authentication: { schemes: ['Bearer'], credentials: 'c' },
    };
    expect(
      codec.decode('SendMessage', {
        id: 'mine',
        sessionId: 's',
        message: {
          role: 'user',
          parts: [{ type: 'text', text: 'hi' }],
          metadata: { a: 1 },
          messageId: 'ignored',
        },
        acceptedOutputModes: ['text/plain'],
        pushNotification: push,
        historyLength: 3,
        metadata: { b: 2 },
      }),
    ).toEqual({
      message: {
        messageId: '',
        contextId: 's',
        role: 'ROLE_USER',
        parts: [{ text: 'hi' }],
        metadata: { a: 1 },
      },
      options: { acceptedOutputModes: ['text/plain'], metadata: { b: 2 } },
      returnImmediately: false,
      continues: { kind: 'alias', alias: 'mine' },
      asTask: true,
      shownHistory: 3,
      push: {
        id: 'draft',
        url: 'https://example.com',
        token: 't',
        authentication: { scheme: 'Bearer', credentials: 'c' },
      },
    });
  });

  test('D03 C04 a push configuration is set, read back and shown under the task', () => {
    const pushNotificationConfig = { url: 'https://example.com', authentication: { schemes: ['Basic'] } };
    const { taskId, config } = codec.decode('CreateTaskPushNotificationConfig', {
      id: 'mine',
      pushNotificationConfig,
    });
    expect(JSON.parse(codec.encodePushConfig({ ...config, taskId, id: config.id! }))).toEqual({
      id: 'mine',
      pushNotificationConfig,
    });
    expect(codec.decode('GetTaskPushNotificationConfig', { id: 'mine' })).toEqual({ taskId: 'mine' });
  });

  test.each<[string, object]>([
    ['no content', { type: 'text' }],
    ['an unknown type', { type: 'audio', data: 1 }],
    ['a file without content', { type: 'file', file: { name: 'a' } }],
    ['a file twice', { type: 'file', file: { bytes: 'AA==', uri: 'https://example.com' } }],
    ['bytes that are no base64', { type: 'file', file: { bytes: '***' } }],
  ])('D03 X22 a part with %s is refused', (_, part) => {
    expect(() => decodedParts([part])).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
  });

  test('D03 C11 the decoder only ever throws A2A errors, whatever it is given', () => {
    const anything = fc.anything({ withNullPrototype: true, withBigInt: false });
    const operations: Operation[] = ['SendMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask'];
    fc.assert(
      fc.property(
        fc.constantFrom(...operations),
        fc.oneof(anything, fc.record({ id: anything, message: anything, sessionId: anything })),
        (operation, params) => {
          try {
            codec.decode(operation, params);
          } catch (error) {
            expect(error).toBeInstanceOf(A2AError);
            expect((error as A2AError).code).toBe('INVALID_PARAMS');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
