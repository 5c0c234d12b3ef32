/**
 * Requests that are wrong in one way each, and the error that says so. Those of params go over both
 * bindings; the others belong to one.
 */

/** A message that is right, to be made wrong. */
const message = (change: object = {}) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }], ...change },
});
const part = (content: unknown) => message({ parts: [content] });
const configured = (configuration: unknown) => ({ ...message(), configuration });

/** `levels` objects, each in the one before. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

export interface WrongParams {
  operation: string;
  params: object;
  /** Named in the answer's field violations. */
  field: string;
}

const SENDS: [object, string][] = [
  [{}, 'message'],
  [{ message: null }, 'message'],
  [{ message: 'hello' }, 'message'],
  [{ message: [] }, 'message'],
  [{ message: 7 }, 'message'],
  [message({ messageId: undefined }), 'message.messageId'],
  [message({ messageId: null }), 'message.messageId'],
  [message({ messageId: '' }), 'message.messageId'],
  [message({ messageId: 7 }), 'message.messageId'],
  [message({ messageId: {} }), 'message.messageId'],
  [message({ messageId: 'm'.repeat(257) }), 'message.messageId'],
  [message({ messageId: 'a\u0000b' }), 'message.messageId'],
  [message({ role: undefined }), 'message.role'],
  [message({ role: 'user' }), 'message.role'],
  [message({ role: 'ROLE_UNSPECIFIED' }), 'message.role'],
  [message({ role: 'ROLE_AGENT' }), 'message.role'],
  [message({ role: 0 }), 'message.role'],
  [message({ role: 2 }), 'message.role'],
  [message({ role: 99 }), 'message.role'],
  [message({ role: -1 }), 'message.role'],
  [message({ role: 1.5 }), 'message.role'],
  [message({ role: true }), 'message.role'],
  [message({ role: {} }), 'message.role'],
  [message({ role: '__proto__' }), 'message.role'],
  [message({ parts: undefined }), 'message.parts'],
  [message({ parts: null }), 'message.parts'],
  [message({ parts: [] }), 'message.parts'],
  [message({ parts: {} }), 'message.parts'],
  [message({ parts: 'hello' }), 'message.parts'],
  [message({ parts: Array.from({ length: 1001 }, () => ({ text: 'a' })) }), 'message.parts'],
  [part({}), 'message.parts[0]'],
  [part(null), 'message.parts[0]'],
  [part([]), 'message.parts[0]'],
  [part('hello'), 'message.parts[0]'],
  [part({ kind: 'text' }), 'message.parts[0]'],
  [part({ text: null }), 'message.parts[0]'],
  [part({ text: 'a', data: {} }), 'message.parts[0]'],
  [part({ text: 'a', data: null }), 'message.parts[0]'],
  [part({ text: 'a', raw: 'AA==' }), 'message.parts[0]'],
  [part({ url: 'https://a.example', raw: 'AA==' }), 'message.parts[0]'],
  [part({ text: 'a', url: 'https://a.example', raw: 'AA==', data: 1 }), 'message.parts[0]'],
  [part({ text: 7 }), 'message.parts[0].text'],
  [part({ text: {} }), 'message.parts[0].text'],
  [part({ text: ['a'] }), 'message.parts[0].text'],
  [part({ raw: '***' }), 'message.parts[0].raw'],
  [part({ raw: 'A' }), 'message.parts[0].raw'],
  [part({ raw: 'AA=' }), 'message.parts[0].raw'],
  [part({ raw: 'AA==AA==' }), 'message.parts[0].raw'],
  [part({ raw: 'AAAA\n' }), 'message.parts[0].raw'],
  [part({ raw: 'AÄ==' }), 'message.parts[0].raw'],
  [part({ raw: [1, 2] }), 'message.parts[0].raw'],
  [part({ url: '' }), 'message.parts[0].url'],
  [part({ url: 7 }), 'message.parts[0].url'],
  [part({ text: 'a', filename: 7 }), 'message.parts[0].filename'],
  [part({ text: 'a', mediaType: {} }), 'message.parts[0].mediaType'],
  [part({ text: 'a', metadata: [] }), 'message.parts[0].metadata'],
  [part({ text: 'a', metadata: 'x' }), 'message.parts[0].metadata'],
  [part({ text: 'a', metadata: nested(101) }), 'message.parts[0].metadata'],
  [part({ data: nested(101) }), 'message.parts[0].data'],
  [part({ data: nested(1_000) }), 'message.parts[0].data'],
  [message({ parts: [{ text: 'a' }, {}] }), 'message.parts[1]'],
  [message({ contextId: 7 }), 'message.contextId'],
  [message({ contextId: 'c'.repeat(257) }), 'message.contextId'],
  [message({ contextId: 'a\nb' }), 'message.contextId'],
  [message({ contextId: 'a\u0000' }), 'message.contextId'],
  [message({ contextId: '\u007f' }), 'message.contextId'],
  [message({ contextId: '\u0085' }), 'message.contextId'],
  [message({ contextId: '\ud800' }), 'message.contextId'],
  [message({ taskId: 7 }), 'message.taskId'],
  [message({ taskId: {} }), 'message.taskId'],
  [message({ metadata: [] }), 'message.metadata'],
  [message({ metadata: 'x' }), 'message.metadata'],
  [message({ metadata: nested(101) }), 'message.metadata'],
  [message({ extensions: 'urn:x' }), 'message.extensions'],
  [message({ extensions: [7] }), 'message.extensions[0]'],
  [message({ referenceTaskIds: 'task' }), 'message.referenceTaskIds'],
  [message({ referenceTaskIds: [7] }), 'message.referenceTaskIds[0]'],
  [message({ referenceTaskIds: [''] }), 'message.referenceTaskIds[0]'],
  [{ ...message(), tenant: 7 }, 'tenant'],
  [{ ...message(), tenant: 't'.repeat(257) }, 'tenant'],
  [{ ...message(), tenant: 'a\nb' }, 'tenant'],
  [{ ...message(), metadata: [] }, 'metadata'],
  [{ ...message(), metadata: nested(101) }, 'metadata'],
  [configured([]), 'configuration'],
  [configured('x'), 'configuration'],
  [configured({ historyLength: -1 }), 'configuration.historyLength'],
  [configured({ historyLength: 'x' }), 'configuration.historyLength'],
  [configured({ historyLength: 1.5 }), 'configuration.historyLength'],
  [configured({ historyLength: 2 ** 31 }), 'configuration.historyLength'],
  [configured({ historyLength: true }), 'configuration.historyLength'],
  [configured({ historyLength: [] }), 'configuration.historyLength'],
  [configured({ returnImmediately: 'true' }), 'configuration.returnImmediately'],
  [configured({ returnImmediately: 1 }), 'configuration.returnImmediately'],
  [configured({ acceptedOutputModes: 'text/plain' }), 'configuration.acceptedOutputModes'],
  [configured({ acceptedOutputModes: [7] }), 'configuration.acceptedOutputModes[0]'],
  [configured({ taskPushNotificationConfig: {} }), 'configuration.taskPushNotificationConfig.url'],
  [configured({ taskPushNotificationConfig: 'x' }), 'configuration.taskPushNotificationConfig'],
];

const READS: [string, object, string][] = [
  ['GetTask', { id: 't', historyLength: -1 }, 'historyLength'],
  ['GetTask', { id: 't', historyLength: 'x' }, 'historyLength'],
  ['GetTask', { id: 't', historyLength: '1.5' }, 'historyLength'],
  ['GetTask', { id: 't', historyLength: 2 ** 31 }, 'historyLength'],
  ['ListTasks', { pageSize: 0 }, 'pageSize'],
  ['ListTasks', { pageSize: 101 }, 'pageSize'],
  ['ListTasks', { pageSize: -1 }, 'pageSize'],
  ['ListTasks', { pageSize: 'many' }, 'pageSize'],
  ['ListTasks', { pageSize: 1.5 }, 'pageSize'],
  ['ListTasks', { pageToken: 'forged' }, 'pageToken'],
  ['ListTasks', { pageToken: 'W10' }, 'pageToken'],
  ['ListTasks', { status: 'working' }, 'status'],
  ['ListTasks', { status: 'TASK_STATE_DONE' }, 'status'],
  ['ListTasks', { status: '__proto__' }, 'status'],
  ['ListTasks', { historyLength: -1 }, 'historyLength'],
  ['ListTasks', { historyLength: 'x' }, 'historyLength'],
  ['ListTasks', { statusTimestampAfter: 'yesterday' }, 'statusTimestampAfter'],
  ['ListTasks', { statusTimestampAfter: '2025-02-30T00:00:00Z' }, 'statusTimestampAfter'],
  ['ListTasks', { statusTimestampAfter: '2025-10-28' }, 'statusTimestampAfter'],
  ['ListTasks', { includeArtifacts: 'yes' }, 'includeArtifacts'],
  ['ListTasks', { tenant: 't'.repeat(257) }, 'tenant'],
];

export const WRONG_PARAMS: WrongParams[] = [
  ...SENDS.flatMap(([params, field]) =>
    ['SendMessage', 'SendStreamingMessage'].map((operation) => ({ operation, params, field })),
  ),
  ...READS.map(([operation, params, field]) => ({ operation, params, field })),
];

/** Params that HTTP+JSON cannot get wrong, since its path has them. */
export const WRONG_RPC_PARAMS: WrongParams[] = [
  ['GetTask', {}, 'id'],
  ['GetTask', { id: '' }, 'id'],
  ['GetTask', { id: null }, 'id'],
  ['GetTask', { id: 7 }, 'id'],
  ['GetTask', { id: ['t'] }, 'id'],
  ['CancelTask', {}, 'id'],
  ['CancelTask', { id: {} }, 'id'],
  ['CancelTask', { id: 't', metadata: [] }, 'metadata'],
  ['SubscribeToTask', {}, 'id'],
  ['SubscribeToTask', { id: false }, 'id'],
  ['ListTasks', { contextId: 7 }, 'contextId'],
  ['ListTasks', { status: 9 }, 'status'],
  ['ListTasks', { status: {} }, 'status'],
  ['ListTasks', { includeArtifacts: 1 }, 'includeArtifacts'],
  ['ListTasks', { pageSize: {} }, 'pageSize'],
  ['ListTasks', { pageToken: 7 }, 'pageToken'],
  ['ListTasks', { statusTimestampAfter: 1761647400 }, 'statusTimestampAfter'],
].map(([operation, params, field]) => ({ operation, params, field }) as WrongParams);

export interface WrongEnvelope {
  body: string | Uint8Array;
  code: number;
  id: unknown;
}

const rpc = (fields: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message(), ...fields });
const json = (value: unknown) => JSON.stringify(value);

export const WRONG_ENVELOPES: WrongEnvelope[] = [
  { body: '', code: -32700, id: null },
  { body: '{', code: -32700, id: null },
  { body: '}', code: -32700, id: null },
  { body: '{"jsonrpc":"2.0",}', code: -32700, id: null },
  { body: "{'jsonrpc':'2.0'}", code: -32700, id: null },
  { body: '{"jsonrpc":"2.0"} trailing', code: -32700, id: null },
  { body: 'undefined', code: -32700, id: null },
  { body: 'NaN', code: -32700, id: null },
  { body: '\u0000', code: -32700, id: null },
  { body: '<xml/>', code: -32700, id: null },
  { body: rpc({}).slice(0, -1), code: -32700, id: null },
  { body: Buffer.from([0xff, 0xfe, 0x7b]), code: -32700, id: null },
  { body: Buffer.from([0x22, 0xc3, 0x28, 0x22]), code: -32700, id: null },
  {
    body: Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    code: -32700,
    id: null,
  },
  { body: Buffer.from('\ufeff{}', 'utf16le'), code: -32700, id: null },
  { body: '['.repeat(20_000), code: -32700, id: null },
  { body: 'null', code: -32600, id: null },
  { body: '42', code: -32600, id: null },
  { body: 'true', code: -32600, id: null },
  { body: '"SendMessage"', code: -32600, id: null },
  { body: '{}', code: -32600, id: null },
  { body: '[]', code: -32600, id: null },
  { body: `[${rpc({})}]`, code: -32600, id: null },
  { body: `[${rpc({})},${rpc({ id: 2 })}]`, code: -32600, id: null },
  { body: '['.repeat(20_000) + ']'.repeat(20_000), code: -32600, id: null },
  { body: rpc({ jsonrpc: undefined }), code: -32600, id: 1 },
  { body: rpc({ jsonrpc: '1.0', id: 'x' }), code: -32600, id: 'x' },
  { body: rpc({ jsonrpc: 2 }), code: -32600, id: 1 },
  { body: rpc({ jsonrpc: null }), code: -32600, id: 1 },
  { body: rpc({ id: undefined }), code: -32600, id: null },
  { body: rpc({ id: {} }), code: -32600, id: null },
  { body: rpc({ id: [] }), code: -32600, id: null },
  { body: rpc({ id: true }), code: -32600, id: null },
  { body: rpc({}).replace('"id":1', '"id":1e999'), code: -32600, id: null },
  { body: rpc({ method: undefined }), code: -32600, id: 1 },
  { body: rpc({ method: 7 }), code: -32600, id: 1 },
  { body: rpc({ method: null }), code: -32600, id: 1 },
  { body: rpc({ method: {} }), code: -32600, id: 1 },
  { body: rpc({ method: ['SendMessage'] }), code: -32600, id: 1 },
  { body: rpc({ method: '' }), code: -32601, id: 1 },
  { body: rpc({ method: 'Nope', id: 'x' }), code: -32601, id: 'x' },
  { body: rpc({ method: 'sendMessage' }), code: -32601, id: 1 },
  { body: rpc({ method: 'SendMessage ' }), code: -32601, id: 1 },
  { body: rpc({ method: 'toString' }), code: -32601, id: 1 },
  { body: rpc({ method: '__proto__' }), code: -32601, id: 1 },
  { body: rpc({ method: 'constructor' }), code: -32601, id: 1 },
  { body: rpc({ method: 'rpc.discover' }), code: -32601, id: 1 },
  { body: rpc({ params: [1] }), code: -32602, id: 1 },
  { body: rpc({ params: [message()] }), code: -32602, id: 1 },
  { body: rpc({ params: 'x' }), code: -32602, id: 1 },
  { body: rpc({ params: 7, id: 1.5 }), code: -32602, id: 1.5 },
  { body: rpc({ params: true, id: null }), code: -32602, id: null },
  { body: rpc({ params: null }), code: -32602, id: 1 },
  { body: rpc({ params: undefined }), code: -32602, id: 1 },
  { body: rpc({}).replace('"hello"', '"hello","data":1e999'), code: -32602, id: 1 },
  {
    body: rpc({ params: part({ data: 0 }) }).replace(
      '"data":0',
      `"data":${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ),
    code: -32602,
    id: 1,
  },
];

export interface WrongHttp {
  verb: string;
  path: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
  status: number;
}

const send = (body: string | Uint8Array, more: Partial<WrongHttp> = {}): WrongHttp => ({
  verb: 'POST',
  path: '/message:send',
  body,
  status: 400,
  ...more,
});

export const WRONG_HTTP: WrongHttp[] = [
  send('{'),
  send('nonsense'),
  send('null'),
  send('42'),
  send('"x"'),
  send('[]'),
  send(`[${json(message())}]`),
  send('{}'),
  send(''),
  send(Buffer.from([0x7b, 0xff, 0x7d])),
  send('['.repeat(20_000)),
  send('['.repeat(20_000) + ']'.repeat(20_000)),
  send(json(message()), { headers: { 'content-type': 'text/plain' }, status: 415 }),
  send(json(message()), { headers: { 'content-type': 'application/json; charset=latin1' }, status: 415 }),
  send(json(message()), { headers: { 'content-encoding': 'br' }, status: 415 }),
  send(json(message()), { headers: { 'a2a-version': '0.3' } }),
  send(json(message()), { headers: { 'a2a-version': '9' } }),
  send(json(message()), { path: '/message:send?A2A-Version=2.0' }),
  send(json(message()), { headers: { 'idempotency-key': 'k'.repeat(257) } }),
  send(json(message()), { path: '/message:stream', headers: { 'last-event-id': 'junk' } }),
  send(json(message()), { path: '/message:stream', headers: { 'last-event-id': '7' } }),
  send(json({ ...message(), tenant: 'b' }), { path: '/a/message:send' }),
  send(json(message()), { path: '/%0A/message:send' }),
  send(json(message()), { path: `/${'t'.repeat(257)}/message:send` }),
  send(json(message()), { path: '/message:nothing', status: 404 }),
  send(json(message()), { path: '/message', status: 404 }),
  send(json(message()), { path: '/%zz/message:send' }),
  send(json(message()), { verb: 'PUT', status: 405 }),
  send(json(message()), { verb: 'DELETE', status: 405 }),
  { verb: 'GET', path: '/tasks?pageSize=1&pageSize=2', status: 400 },
  { verb: 'GET', path: '/tasks?pageSize=', status: 400 },
  { verb: 'GET', path: '/tasks?includeArtifacts=TRUE', status: 400 },
  { verb: 'GET', path: '/tasks?statusTimestampAfter=%00', status: 400 },
  { verb: 'GET', path: '/tasks/%zz', status: 400 },
  { verb: 'GET', path: '/tasks/%ED%A0%80', status: 400 },
  { verb: 'GET', path: '/tasks/t?historyLength=-1', status: 400 },
  { verb: 'GET', path: '/tasks/t?tenant=%0A', status: 400 },
  { verb: 'POST', path: '/tasks/t:cancel', body: '[]', status: 400 },
  { verb: 'POST', path: '/tasks/t:cancel', body: '{"id":"u"}', status: 400 },
  { verb: 'POST', path: '/tasks/t:cancel', body: '{"metadata":7}', status: 400 },
  { verb: 'POST', path: '/tasks/t:cancel', body: '{', status: 400 },
  { verb: 'POST', path: '/tasks/t:nothing', body: '{}', status: 404 },
];
