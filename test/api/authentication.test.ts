import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../api/index.js';
import { sendParams } from '../support/rpc-client.js';
import { codeOf, call, BINDINGS } from './bindings.js';
import { apiKeys, bearer, KEYS } from './callers.js';
import { startTestApi, type TestApi } from './test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ authenticator: apiKeys(), settings: { maxStreamsPerCaller: 2 } });
});
afterAll(() => api.close());

/** Whatever acts. What is public is in a test of its own. */
const ACTING: [verb: string, path: string][] = [
  ['POST', '/'],
  ['POST', '/a2a/jsonrpc'],
  ['POST', '/agents/other/'],
  ['POST', '/agents/nobody/a2a/jsonrpc'],
  ['POST', '/a2a/rest/message:send'],
  ['POST', '/a2a/rest/message:stream'],
  ['GET', '/a2a/rest/tasks'],
  ['GET', '/a2a/rest/tasks/x'],
  ['POST', '/a2a/rest/tasks/x:cancel'],
  ['GET', '/a2a/rest/tasks/x:subscribe'],
  ['POST', '/a2a/rest/tasks/x:subscribe'],
  ['POST', '/a2a/rest/tasks/x/pushNotificationConfigs'],
  ['GET', '/a2a/rest/tasks/x/pushNotificationConfigs'],
  ['GET', '/a2a/rest/tasks/x/pushNotificationConfigs/y'],
  ['DELETE', '/a2a/rest/tasks/x/pushNotificationConfigs/y'],
  ['GET', '/a2a/rest/tasks/x/pushNotificationConfigs/y/delivery'],
  ['GET', '/a2a/rest/extendedAgentCard'],
  ['GET', '/a2a/rest/acme/tasks'],
  ['GET', '/a2a/rest/nowhere'],
  ['GET', '/agents/other/a2a/rest/tasks'],
  ['GET', '/agents/nobody/a2a/rest/tasks'],
  ['POST', '/a2a/rest/v1/message:send'],
  ['POST', '/a2a/rest/v1/message:stream'],
  ['GET', '/a2a/rest/v1/tasks/x'],
  ['POST', '/a2a/rest/v1/tasks/x:cancel'],
  ['GET', '/a2a/rest/v1/tasks/x:subscribe'],
  ['GET', '/a2a/rest/v1/card'],
  ['POST', '/v2/agentic/message:send'],
  ['POST', '/v2/agentic/message:stream'],
  ['GET', '/v2/agentic/tasks/x'],
  ['POST', '/v2/agentic/tasks/x:cancel'],
  ['GET', '/v2/agentic/contexts/c/tasks/t/artifacts/a'],
];

const REFUSED: [what: string, headers: Record<string, string>, challenge: string][] = [
  ['nothing', {}, 'Bearer realm="a2a"'],
  ['a wrong key', { authorization: 'Bearer key-of-mallory' }, 'Bearer realm="a2a", error="invalid_token"'],
  ['a wrong key in the other header', { 'x-api-key': 'x' }, 'Bearer realm="a2a", error="invalid_token"'],
  ['another scheme', { authorization: 'Basic YWxpY2U6eA==' }, 'Bearer realm="a2a"'],
  ['an empty key', { authorization: 'Bearer ', 'x-api-key': '' }, 'Bearer realm="a2a"'],
  [
    'two keys at once',
    { 'x-api-key': `${KEYS.alice}, ${KEYS.bob}` },
    'Bearer realm="a2a", error="invalid_token"',
  ],
  ['an expired key', bearer('old'), 'Bearer realm="a2a", error="invalid_token", error_description="expired"'],
  // The hash stands in a file that more people can read than may call.
  [
    'the hash of a key',
    { authorization: `Bearer ${digestOf(KEYS.alice).toString('hex')}` },
    'Bearer realm="a2a", error="invalid_token"',
  ],
];

describe('who proves nothing', () => {
  test.each(ACTING.flatMap(([verb, path]) => REFUSED.map((row) => [verb, path, ...row] as const)))(
    'F06 X44 %s %s with %s is answered 401 with a challenge',
    async (verb, path, _what, headers, challenge) => {
      const response = await fetch(api.url + path, {
        method: verb,
        headers: { ...(verb === 'POST' && { 'content-type': 'application/json' }), ...headers },
        // Not even JSON: nobody looks at the body before the caller is known.
        ...(verb === 'POST' && { body: '{' }),
      });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(challenge);
      expect(response.headers.get('content-type')).toBe('application/json');
      const body = (await response.json()) as object;
      if (path.includes('/rest/v1/')) expect(body).toMatchObject({ code: -32000 });
      else if (/[/](a2a[/]rest|v2)[/]/.test(path)) {
        expect(body).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
      } else {
        expect(body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } });
      }
    },
  );

  test('X44 X43 a stream is refused before it begins, with an ordinary answer', async () => {
    const response = await api.rest('POST', '/message:stream', sendParams('hello'));
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(api.worker.runCount).toBe(0);
  });

  test.each([
    '/.well-known/agent-card.json',
    '/agents/other/.well-known/agent-card.json',
    '/healthz',
    '/readyz',
  ])('F06 X44 %s is public', async (path) => {
    expect((await fetch(api.url + path)).status).toBe(200);
  });
});

describe('who has a key', () => {
  test.each([
    ['Authorization', bearer('alice')],
    ['Authorization in small letters', { authorization: `bearer ${KEYS.alice}` }],
    ['X-API-Key', { 'x-api-key': KEYS.alice }],
    // A proxy in front may use the header for itself.
    ['X-API-Key beside another scheme', { 'x-api-key': KEYS.alice, authorization: 'Basic YWxpY2U6eA==' }],
  ])('F06 a key is taken by %s', async (_name, headers) => {
    for (const binding of BINDINGS) {
      expect((await call(api, binding, 'ListTasks', {}, headers)).error).toBeUndefined();
    }
  });

  test.each(BINDINGS)('F06 over %s a key for certain tenants is for no other', async (binding) => {
    const inTenant = (tenant?: string) =>
      call(api, binding, 'ListTasks', tenant === undefined ? {} : { tenant }, bearer('acme'));
    expect((await inTenant('acme')).error).toBeUndefined();
    for (const tenant of ['other', undefined]) {
      const refused = await inTenant(tenant);
      if (binding !== 'gRPC') expect(refused.status).toBe(403);
      expect(refused.error?.code).toBe(codeOf(binding, 'PERMISSION_DENIED'));
    }
  });

  test('F06 the artifact address holds a key to its tenants, too', async () => {
    const path = '/v2/agentic/contexts/c/tasks/t/artifacts/a';
    const at = async (query: string) =>
      (await fetch(api.url + path + query, { headers: bearer('acme') })).status;
    expect(await at('')).toBe(403);
    expect(await at('?tenant=other')).toBe(403);
    expect(await at('?tenant=acme')).toBe(404);
  });

  test('F06 C12 streams are counted by caller, whatever tenants it names', async () => {
    const open = (name: 'alice' | 'bob', tenant: string) =>
      api.rest('POST', `/${tenant}/message:stream`, sendParams('gate'), bearer(name));
    const streams = [await open('alice', 'one'), await open('alice', 'two')];
    expect((await open('alice', 'three')).status).toBe(429);
    const other = await open('bob', 'one');
    expect(other.status).toBe(200);
    for (const response of [...streams, other]) await response.body?.cancel();
  });
});
