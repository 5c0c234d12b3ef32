import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readMessage } from '../../wire/protobuf/read.js';
import { writeMessage } from '../../wire/protobuf/write.js';
import { V1_SERVICE } from '../../wire/v1/proto.js';
import { BINDINGS, call, codeOf, HTTP_BINDINGS, read, send, type HttpBinding } from './bindings.js';
import { WRONG_ENVELOPES, WRONG_HTTP, WRONG_PARAMS, WRONG_RPC_PARAMS } from './malformed-table.js';
import { startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ settings: { workerWaitMs: 100 } });
});
afterAll(() => api.close());

/** Nothing is started and nothing is stored, whatever the tenant. */
async function expectNothingStored(): Promise<void> {
  expect(api.worker.runCount).toBe(0);
  expect(await api.journal.pendingCommands(new Date(Date.now() + 60_000), 10)).toEqual([]);
  expect(await api.journal.openTasks(new Date(Date.now() + 60_000), 10)).toEqual([]);
}

describe('each refused with its own error', () => {
  afterEach(expectNothingStored);

  test('X22 there are at least 200 of them', () => {
    const all =
      WRONG_PARAMS.length * 2 + WRONG_RPC_PARAMS.length + WRONG_ENVELOPES.length + WRONG_HTTP.length;
    expect(all).toBeGreaterThanOrEqual(200);
  });

  test.each(WRONG_PARAMS.map((wrong, at) => ({ at, ...wrong })))(
    'X22 C11 params $at: $operation names $field, over every binding that can say it',
    async ({ operation, params, field }) => {
      for (const binding of BINDINGS) {
        if (binding === 'gRPC' && !protobufSays(operation, params)) continue;
        const { error, status, headers } = await call(api, binding, operation, params);
        if (binding !== 'gRPC') {
          expect(status).toBe(binding === 'JSON-RPC' ? 200 : 400);
          expect(headers.get('content-type')).toBe('application/json');
        }
        expect(error?.code).toBe(codeOf(binding, 'INVALID_PARAMS'));
        expect(error?.fields).toEqual([field]);
      }
    },
  );

  test.each(WRONG_RPC_PARAMS.map((wrong, at) => ({ at, ...wrong })))(
    'X22 C10 JSON-RPC params $at: $operation names $field',
    async ({ operation, params, field }) => {
      const { error } = await call(api, 'JSON-RPC', operation, params);
      expect(error).toMatchObject({ code: -32602, fields: [field] });
    },
  );

  test.each(WRONG_ENVELOPES.map((wrong, at) => ({ at, shown: String(wrong.body).slice(0, 60), ...wrong })))(
    'X23 C10 envelope $at: $shown is $code with id $id',
    async ({ body, code, id }) => {
      const response = await api.post('/', body);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      const answer = (await response.json()) as { error: { data: { '@type': string }[] } };
      expect(answer).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
      expect(answer).not.toHaveProperty('result');
      for (const detail of answer.error.data)
        expect(detail['@type']).toMatch(/^type\.googleapis\.com\/google\.rpc\./);
    },
  );

  test.each(WRONG_HTTP.map((wrong, at) => ({ at, ...wrong })))(
    'X24 C10 HTTP $at: $verb $path is $status',
    async ({ verb, path, body, headers, status }) => {
      const response = await fetch(`${api.url}/a2a/rest${path}`, {
        method: verb,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : Buffer.from(body) }),
      });
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/json');
      const { error } = await read(response, 'HTTP+JSON');
      expect(error?.code).toBe(status);
    },
  );
});

/** JSON-RPC codes and HTTP statuses that a caller's mistake may have: no internal error, ever. */
const MISTAKES = [
  -32700, -32600, -32601, -32602, -32001, -32003, -32004, -32005, -32009, 400, 404, 405, 413, 415,
];

const whole = {
  tenant: 'fuzz',
  message: {
    messageId: 'm',
    contextId: 'c',
    role: 'ROLE_USER',
    parts: [{ text: 'hello' }, { data: { a: [1] }, metadata: { b: 2 } }, { raw: 'AAEC', filename: 'f' }],
    metadata: { k: 'v' },
    extensions: ['urn:x'],
    referenceTaskIds: ['t'],
  },
  configuration: { acceptedOutputModes: ['text/plain'], historyLength: 3, returnImmediately: true },
  metadata: { q: null },
};

/** Every place in a JSON value, as a path. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, child]) => places(child, [...path, key]))];
}

/** A copy with the value at the path replaced, or removed where it is undefined. */
function replaced(value: unknown, [step, ...rest]: (string | number)[], by: unknown): unknown {
  if (step === undefined) return by;
  // An earlier change may have taken the place away.
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((child, at) => (at === step ? replaced(child, rest, by) : (child as unknown)));
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, key === step ? replaced(child, rest, by) : child]),
  );
}

const oddValue = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    '',
    'x',
    0,
    -1,
    1.5,
    2 ** 40,
    true,
    [],
    {},
    [[]],
    [null],
    '\u0000',
    '__proto__',
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const changes = fc.array(fc.tuple(fc.constantFrom(...places(whole)), oddValue), {
  minLength: 1,
  maxLength: 3,
});

/** Whether these params, wrong as they are, can be said in protobuf. */
function protobufSays(operation: string, params: object): boolean {
  const { request } = V1_SERVICE.methods.find(({ name }) => name === operation)!;
  try {
    return isDeepStrictEqual(readMessage(request, writeMessage(request, params)), params);
  } catch {
    return false;
  }
}

async function expectMistakeOrResult(binding: HttpBinding, response: Response): Promise<void> {
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.text();
    return;
  }
  const { error } = await read(response, binding);
  if (error !== undefined) expect(MISTAKES).toContain(error.code);
}

test.each(HTTP_BINDINGS)(
  'X22 X14 over %s a request with anything in any place is answered or refused, never failed',
  async (binding) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('SendMessage', 'SendStreamingMessage'),
        changes,
        async (operation, all) => {
          const params = all.reduce<unknown>((value, [path, by]) => replaced(value, path, by), whole);
          const fields = typeof params === 'object' && params !== null ? params : { params };
          await expectMistakeOrResult(binding, await send(api, binding, operation, fields));
        },
      ),
      { numRuns: 150 },
    );
  },
  60_000,
);

test('X23 any bytes as a body are refused or answered, never failed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json().map((text) => Buffer.from(text)),
      ),
      async (bytes) => {
        await expectMistakeOrResult('JSON-RPC', await api.post('/', bytes));
        const response = await fetch(`${api.url}/a2a/rest/message:send`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(bytes),
        });
        await expectMistakeOrResult('HTTP+JSON', response);
      },
    ),
    { numRuns: 100 },
  );
}, 60_000);

test('X24 any path below the HTTP binding is answered or refused, never failed', async () => {
  const segment = fc.oneof(
    fc.constantFrom(
      'tasks',
      'message:send',
      'pushNotificationConfigs',
      'v1',
      '%2F',
      '%zz',
      ':cancel',
      'a:cancel',
      '..',
      '',
    ),
    fc.string({ maxLength: 10 }).map(encodeURIComponent),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'DELETE'),
      fc.array(segment, { maxLength: 5 }),
      async (verb, path) => {
        const response = await fetch(`${api.url}/a2a/rest/${path.join('/')}`, { method: verb });
        expect(response.headers.get('content-type')).toMatch(/^application\/json/);
        await response.text();
        expect(response.status).toBeLessThan(500);
      },
    ),
    { numRuns: 150 },
  );
}, 60_000);
