import { expect, test } from 'vitest';
import { taskNotFound } from '../../core/errors.js';
import {
  EnvelopeError,
  errorResponse,
  parseRequest,
  resultPrefix,
  RESULT_SUFFIX,
} from '../../wire/jsonrpc.js';

test.each<[unknown, string, unknown]>([
  [null, 'INVALID_REQUEST', null],
  [42, 'INVALID_REQUEST', null],
  ['x', 'INVALID_REQUEST', null],
  [[], 'INVALID_REQUEST', null],
  [[{ jsonrpc: '2.0', id: 1, method: 'GetTask' }], 'INVALID_REQUEST', null],
  [{}, 'INVALID_REQUEST', null],
  [{ id: 1, method: 'GetTask' }, 'INVALID_REQUEST', 1],
  [{ jsonrpc: '1.0', id: 'a', method: 'GetTask' }, 'INVALID_REQUEST', 'a'],
  [{ jsonrpc: 2.0, id: 1, method: 'GetTask' }, 'INVALID_REQUEST', 1],
  [{ jsonrpc: '2.0', id: {}, method: 'GetTask' }, 'INVALID_REQUEST', null],
  [{ jsonrpc: '2.0', id: [1], method: 'GetTask' }, 'INVALID_REQUEST', null],
  [{ jsonrpc: '2.0', id: true, method: 'GetTask' }, 'INVALID_REQUEST', null],
  [{ jsonrpc: '2.0', id: Infinity, method: 'GetTask' }, 'INVALID_REQUEST', null],
  [{ jsonrpc: '2.0', method: 'GetTask' }, 'INVALID_REQUEST', null],
  [{ jsonrpc: '2.0', id: 3, method: 7 }, 'INVALID_REQUEST', 3],
  [{ jsonrpc: '2.0', id: 3 }, 'INVALID_REQUEST', 3],
  [{ jsonrpc: '2.0', id: 4, method: 'GetTask', params: [1] }, 'INVALID_PARAMS', 4],
  [{ jsonrpc: '2.0', id: 4, method: 'GetTask', params: 'x' }, 'INVALID_PARAMS', 4],
  [{ jsonrpc: '2.0', id: 5, method: 'tasks/get', agent_code: 7 }, 'INVALID_REQUEST', 5],
  [{ jsonrpc: '2.0', id: 5, method: 'tasks/get', agent_code: '' }, 'INVALID_REQUEST', 5],
])('X23 C10 the envelope %j is refused and its id given back', (body, code, id) => {
  let thrown: unknown;
  try {
    parseRequest(body);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(EnvelopeError);
  expect((thrown as EnvelopeError).error.code).toBe(code);
  expect((thrown as EnvelopeError).id).toBe(id);
});

test.each([1, 0, -1, 1.5, 'a', '', null])('X23 C10 the id %j is echoed with its type', (id) => {
  const request = parseRequest({ jsonrpc: '2.0', id, method: 'GetTask', params: { id: 't' } });
  expect(request).toEqual({ id, method: 'GetTask', params: { id: 't' } });
  expect(JSON.parse(`${resultPrefix(id)}{"ok":true}${RESULT_SUFFIX}`)).toEqual({
    jsonrpc: '2.0',
    id,
    result: { ok: true },
  });
  expect(JSON.parse(errorResponse(id, taskNotFound('t'), '1.0.0'))).toMatchObject({
    jsonrpc: '2.0',
    id,
    error: { code: -32001 },
  });
});

test.each([undefined, null])('C10 params %j are none', (params) => {
  expect(parseRequest({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params }).params).toEqual({});
});
