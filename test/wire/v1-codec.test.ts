import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { A2AError } from '../../core/errors.js';
import type { Task } from '../../core/task.js';
import { createV1Codec } from '../../wire/v1/codec.js';
import { queryToParams } from '../../wire/query.js';

const codec = createV1Codec({ parts: 10, depth: 5 });

const send = (message: object, rest: object = {}) =>
  codec.decode('SendMessage', {
    message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }], ...message },
    ...rest,
  });

/** The part as it is read. */
const part = (given: object) => send({ parts: [given] }).message.parts[0];

/** The fields that a request is refused for. */
function violations(decode: () => unknown): string[] {
  try {
    decode();
  } catch (error) {
    if (error instanceof A2AError && error.code === 'INVALID_PARAMS') {
      return error.violations.map(({ field }) => field);
    }
    throw error;
  }
  return [];
}

describe('parts', () => {
  test.each<[string, object, object]>([
    ['empty text', { text: '' }, { text: '' }],
    ['null data', { data: null }, { data: null }],
    ['array data', { data: [1, 2] }, { data: [1, 2] }],
    ['a number as data', { data: 0 }, { data: 0 }],
    ['false as data', { data: false }, { data: false }],
    [
      'a file',
      { raw: 'AAEC', filename: 'a.bin', mediaType: 'image/png' },
      { raw: 'AAEC', filename: 'a.bin', mediaType: 'image/png' },
    ],
    ['base64url', { raw: '-_-_' }, { raw: '+/+/' }],
    ['base64 without padding', { raw: 'AA' }, { raw: 'AA==' }],
    ['no bytes', { raw: '' }, { raw: '' }],
    ['a URL', { url: 'https://example.com/a' }, { url: 'https://example.com/a' }],
    ['snake case', { text: 'a', media_type: 'text/plain' }, { text: 'a', mediaType: 'text/plain' }],
    ['unknown fields', { text: 'a', colour: 'red' }, { text: 'a' }],
    ['null fields', { text: 'a', raw: null, filename: null }, { text: 'a' }],
    ['empty fields', { text: 'a', filename: '', mediaType: '' }, { text: 'a' }],
  ])('C11 X22 %s: taken', (_, given, expected) => {
    expect(part(given)).toEqual(expected);
  });

  test.each<[string, unknown, string]>([
    ['no content', {}, 'message.parts[0]'],
    ['two contents', { text: 'a', data: {} }, 'message.parts[0]'],
    ['two contents, one of them null data', { text: 'a', data: null }, 'message.parts[0]'],
    ['null text alone', { text: null }, 'message.parts[0]'],
    ['not base64', { raw: '***' }, 'message.parts[0].raw'],
    ['base64 of an impossible length', { raw: 'AAAAA' }, 'message.parts[0].raw'],
    ['wrong padding', { raw: 'AA=' }, 'message.parts[0].raw'],
    ['padding inside', { raw: 'AA==AA==' }, 'message.parts[0].raw'],
    ['a number as text', { text: 1 }, 'message.parts[0].text'],
    ['an empty URL', { url: '' }, 'message.parts[0].url'],
    ['a string', 'hi', 'message.parts[0]'],
    ['metadata that is no object', { text: 'a', metadata: [] }, 'message.parts[0].metadata'],
    [
      'deep metadata',
      { text: 'a', metadata: { a: { b: { c: { d: { e: {} } } } } } },
      'message.parts[0].metadata',
    ],
    ['deep data', { data: [[[[[[]]]]]] }, 'message.parts[0].data'],
    ['a number that JSON cannot say again', { data: [Infinity] }, 'message.parts[0].data'],
  ])('C11 X22 %s: refused by name', (_, given, field) => {
    expect(violations(() => part(given as object))).toEqual([field]);
  });

  test('C11 any bytes survive base64 and base64url, padded or not', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.boolean(), fc.boolean(), (bytes, urlSafe, padded) => {
        const given = Buffer.from(bytes).toString(urlSafe ? 'base64url' : 'base64');
        const raw = padded ? given.padEnd(Math.ceil(given.length / 4) * 4, '=') : given.replace(/=+$/, '');
        expect(part({ raw })).toEqual({ raw: Buffer.from(bytes).toString('base64') });
      }),
    );
  });
});

describe('messages', () => {
  test('C11 a message is read whole and unknown fields are ignored', () => {
    const request = send(
      {
        contextId: 'c1',
        taskId: 't1',
        metadata: { a: 1 },
        extensions: ['urn:x'],
        referenceTaskIds: ['t0'],
        colour: 'red',
      },
      {
        tenant: 'acme',
        configuration: { acceptedOutputModes: ['text/plain'], historyLength: 2, returnImmediately: true },
        metadata: { b: 2 },
      },
    );
    expect(request).toEqual({
      tenant: 'acme',
      message: {
        messageId: 'm1',
        role: 'ROLE_USER',
        parts: [{ text: 'hi' }],
        contextId: 'c1',
        taskId: 't1',
        metadata: { a: 1 },
        extensions: ['urn:x'],
        referenceTaskIds: ['t0'],
      },
      options: { acceptedOutputModes: ['text/plain'], historyLength: 2, metadata: { b: 2 } },
      returnImmediately: true,
    });
  });

  test('C10 snake_case is accepted throughout', () => {
    const request = codec.decode('SendMessage', {
      message: {
        message_id: 'm',
        context_id: 'c',
        role: 1,
        parts: [{ text: 'a' }],
        reference_task_ids: ['t'],
      },
      configuration: { history_length: '0', return_immediately: true, accepted_output_modes: ['a/b'] },
    });
    expect(request.message).toMatchObject({ messageId: 'm', contextId: 'c', referenceTaskIds: ['t'] });
    expect(request.options).toEqual({ historyLength: 0, acceptedOutputModes: ['a/b'] });
    expect(request.returnImmediately).toBe(true);
  });

  test('C11 __proto__ and friends are data', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":1},"toString":"x"}';
    const { message } = codec.decode(
      'SendMessage',
      JSON.parse(
        `{"__proto__":{"message":1},"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${text}}],"metadata":${text}}}`,
      ),
    );
    expect(JSON.stringify(message.metadata)).toBe(text);
    expect(JSON.stringify(message.parts[0])).toBe(`{"data":${text}}`);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each<[string, object, string]>([
    ['no messageId', { messageId: undefined }, 'message.messageId'],
    ['an empty messageId', { messageId: '' }, 'message.messageId'],
    ['no role', { role: undefined }, 'message.role'],
    ['a 0.3 role', { role: 'user' }, 'message.role'],
    ['ROLE_UNSPECIFIED', { role: 'ROLE_UNSPECIFIED' }, 'message.role'],
    ['ROLE_AGENT', { role: 'ROLE_AGENT' }, 'message.role'],
    ['an unknown role number', { role: 7 }, 'message.role'],
    ['a prototype name as role', { role: '__proto__' }, 'message.role'],
    ['no parts', { parts: undefined }, 'message.parts'],
    ['empty parts', { parts: [] }, 'message.parts'],
    ['parts as object', { parts: {} }, 'message.parts'],
    ['too many parts', { parts: Array.from({ length: 11 }, () => ({ text: 'a' })) }, 'message.parts'],
    ['a long contextId', { contextId: 'c'.repeat(257) }, 'message.contextId'],
    ['a control character in contextId', { contextId: 'a\nb' }, 'message.contextId'],
    ['a lone surrogate in contextId', { contextId: 'a\ud800' }, 'message.contextId'],
    ['an empty reference', { referenceTaskIds: [''] }, 'message.referenceTaskIds[0]'],
    ['references that are no array', { referenceTaskIds: 't' }, 'message.referenceTaskIds'],
  ])('A09 X22 %s: refused by name', (_, given, field) => {
    expect(violations(() => send(given))).toEqual([field]);
  });

  test.each(['c', 'c'.repeat(256), 'a b', "o'hara", '`x`', 'größe', '会话', '🙂', ' c '])(
    'A09 X47 the contextId %j is accepted and kept',
    (contextId) => {
      expect(send({ contextId }).message.contextId).toBe(contextId);
    },
  );

  test('A09 an empty contextId or taskId is an absent one', () => {
    const { message } = send({ contextId: '', taskId: '' });
    expect(Object.keys(message)).toEqual(['messageId', 'role', 'parts']);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an array', []],
    ['a string', 'x'],
  ])('C10 %s as params: the message is missed', (_, params) => {
    expect(violations(() => codec.decode('SendMessage', params))).toHaveLength(1);
  });

  test('C12 nesting of 20,000 levels is refused without recursion', () => {
    const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as unknown;
    expect(violations(() => part({ data: deep }))).toEqual(['message.parts[0].data']);
  });

  test('C09 no more violations are told than anybody reads', () => {
    expect(
      violations(() => send({ parts: Array.from({ length: 10 }, () => ({ text: 1, raw: 1, url: 1 })) })),
    ).toHaveLength(20);
  });
});

describe('historyLength', () => {
  test.each<[unknown, number | undefined]>([
    [undefined, undefined],
    [null, undefined],
    [0, 0],
    [2, 2],
    [99, 99],
    ['2', 2],
    [2.0, 2],
    ['1e1', 10],
  ])('A12 X08 %j is %j', (given, expected) => {
    expect(codec.decode('GetTask', { id: 't', historyLength: given }).historyLength).toBe(expected);
    expect(send({}, { configuration: { historyLength: given } }).options.historyLength).toBe(expected);
    expect(codec.decode('ListTasks', { historyLength: given }).historyLength).toBe(expected);
  });

  test.each([-1, 'x', '', 1.5, '1.5', 2 ** 31, {}, [1], true, '0x10', 'NaN', ' 1'])(
    'A12 X08 %j is refused on all three operations',
    (historyLength) => {
      expect(violations(() => codec.decode('GetTask', { id: 't', historyLength }))).toEqual([
        'historyLength',
      ]);
      expect(violations(() => codec.decode('ListTasks', { historyLength }))).toEqual(['historyLength']);
      expect(violations(() => send({}, { configuration: { historyLength } }))).toEqual([
        'configuration.historyLength',
      ]);
    },
  );
});

describe('ListTasks', () => {
  test('C03 defaults', () => {
    expect(codec.decode('ListTasks', {})).toEqual({ pageSize: 50, includeArtifacts: false });
  });

  test.each<[unknown, string | undefined]>([
    ['TASK_STATE_WORKING', 'TASK_STATE_WORKING'],
    [2, 'TASK_STATE_WORKING'],
    [8, 'TASK_STATE_AUTH_REQUIRED'],
    ['TASK_STATE_UNSPECIFIED', undefined],
    [0, undefined],
  ])('A04 the status filter %j is read as %j', (status, expected) => {
    expect(codec.decode('ListTasks', { status }).status).toBe(expected);
  });

  test.each(['working', 'completed', 'TASK_STATE_DONE', 9, -1, 1.5, true, ''])(
    'C03 the status filter %j is refused',
    (status) => {
      expect(violations(() => codec.decode('ListTasks', { status }))).toEqual(['status']);
    },
  );

  test.each([0, 101, -1, 'x', 1.5])('C03 page size %j is refused', (pageSize) => {
    expect(violations(() => codec.decode('ListTasks', { pageSize }))).toEqual(['pageSize']);
  });

  test.each([
    ['2025-10-28T10:30:00Z', '2025-10-28T10:30:00.000Z'],
    ['2025-10-28T10:30:00.123456789Z', '2025-10-28T10:30:00.123Z'],
    ['2025-10-28T12:30:00+02:00', '2025-10-28T10:30:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('C03 the timestamp %s is %s', (given, expected) => {
    expect(codec.decode('ListTasks', { statusTimestampAfter: given }).statusTimestampAfter).toBe(expected);
  });

  test.each([
    '',
    'yesterday',
    '2025-10-28',
    '2025-02-30T00:00:00Z',
    '2025-10-28T25:00:00Z',
    '2025-10-28T10:30:00',
    1761647400,
    '2025-10-28T10:30:00+99:00',
  ])('C03 the timestamp %j is refused', (statusTimestampAfter) => {
    expect(violations(() => codec.decode('ListTasks', { statusTimestampAfter }))).toEqual([
      'statusTimestampAfter',
    ]);
  });

  test('C03 booleans in a query are the words true and false', () => {
    const decode = (query: string) => codec.decode('ListTasks', queryToParams(new URLSearchParams(query)));
    expect(decode('includeArtifacts=true&pageSize=7&status=TASK_STATE_FAILED&A2A-Version=1.0')).toEqual({
      includeArtifacts: true,
      pageSize: 7,
      status: 'TASK_STATE_FAILED',
    });
    expect(decode('includeArtifacts=false').includeArtifacts).toBe(false);
    expect(violations(() => decode('includeArtifacts=1'))).toEqual(['includeArtifacts']);
    expect(violations(() => decode('pageSize=1&pageSize=2'))).toEqual(['pageSize']);
  });
});

describe('encoding', () => {
  const task: Task = {
    id: 't',
    contextId: 'c',
    status: { state: 'TASK_STATE_WORKING', timestamp: '2025-10-28T10:30:00.000Z' },
    history: [],
    artifacts: [],
  };
  const { history: _, artifacts: __, ...bare } = task;

  test('X08 X25 empty history and artifacts are left out', () => {
    expect(JSON.parse(codec.encodeTask(task))).toEqual(bare);
    expect(JSON.parse(codec.encodeEvent({ task })!)).toEqual({ task: bare });
    expect(JSON.parse(codec.encodeSendResult({ task }))).toEqual({ task: bare });
  });

  test('X25 a list has artifacts when they were asked for, and then also none', () => {
    const page = { tasks: [task], nextPageToken: '', pageSize: 50, totalSize: 1 };
    expect(JSON.parse(codec.encodeTaskList(page, { includeArtifacts: true }))).toEqual({
      ...page,
      tasks: [{ ...bare, artifacts: [] }],
    });
    expect(JSON.parse(codec.encodeTaskList(page, { includeArtifacts: false }))).toEqual({
      ...page,
      tasks: [bare],
    });
  });
});

test('C11 the decoder only ever throws A2A errors, whatever it is given', () => {
  const anything = fc.anything({ withNullPrototype: true, withBigInt: false });
  fc.assert(
    fc.property(
      fc.constantFrom('SendMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask'),
      fc.oneof(anything, fc.record({ message: anything, id: anything, configuration: anything })),
      (operation, params) => {
        try {
          codec.decode(operation as 'SendMessage', params);
        } catch (error) {
          expect(error).toBeInstanceOf(A2AError);
          expect((error as A2AError).code).toBe('INVALID_PARAMS');
        }
      },
    ),
    { numRuns: 500 },
  );
});
