import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../core/agent.js';
import { agent } from './agents.js';
import { BINDINGS, call, codeOf } from './bindings.js';
import { apiKeys, bearer } from './callers.js';
import { sendParams } from '../support/rpc-client.js';
import { startTestApi, type TestApi } from './test-api.js';

const secret = { id: 'secret', name: 'Secret', description: 'for those who may', tags: ['x'] };
const extendedCard = {
  description: 'More than the public knows',
  skills: [{ ...secret, inputModes: ['image/png'] }],
};
const plain: AgentDefinition['capabilities'] = {};

const AGENTS = [
  agent('has', { extendedCard }),
  agent('off', { extendedCard, capabilities: { extendedAgentCard: false } }),
  agent('unset', { capabilities: { extendedAgentCard: true } }),
  agent('none', { capabilities: plain }),
];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ authenticator: apiKeys(), agents: AGENTS });
});
afterAll(() => api.close());

/** Of an agent below its own address. */
const extended = (
  from: TestApi,
  code: string,
  binding: (typeof BINDINGS)[number],
  headers = bearer('alice'),
) => call({ ...from, url: `${from.url}/agents/${code}` }, binding, 'GetExtendedAgentCard', {}, headers);
const declared = async (from: TestApi, code: string) => {
  const response = await fetch(`${from.url}/agents/${code}/.well-known/agent-card.json`);
  return ((await response.json()) as { capabilities: object }).capabilities;
};

describe.each(BINDINGS)('over %s', (binding) => {
  test('C06 X44 who is authenticated reads the extended card; the public card says that there is one', async () => {
    expect(await declared(api, 'has')).toMatchObject({ extendedAgentCard: true });
    const { result, headers } = await extended(api, 'has', binding);
    expect(result).toMatchObject({
      name: 'has',
      description: 'More than the public knows',
      skills: [{ id: 's' }, { id: 'secret' }],
      capabilities: { extendedAgentCard: true },
      supportedInterfaces: expect.arrayContaining([
        expect.objectContaining({ url: `${api.url}/a2a/jsonrpc` }),
      ]),
    });
    // What few may read is in no shared cache.
    if (binding !== 'gRPC') expect(headers.get('cache-control')).toBe('no-store');
  });

  test('C06 X44 nobody else does', async () => {
    const { status, error } = await extended(api, 'has', binding, {});
    if (binding !== 'gRPC') expect(status).toBe(401);
    expect(error).toMatchObject({ code: codeOf(binding, 'UNAUTHENTICATED'), reason: 'UNAUTHENTICATED' });
  });

  test.each([
    ['off', false, 'UNSUPPORTED_OPERATION'],
    ['none', false, 'UNSUPPORTED_OPERATION'],
    ['unset', true, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
  ])('C08 X44 agent %s declares %s and answers %s', async (code, declares, reason) => {
    expect(await declared(api, code)).toMatchObject({ extendedAgentCard: declares });
    expect((await extended(api, code, binding)).error?.reason).toBe(reason);
  });

  test('C06 X44 where nobody can prove who they are there are no readers, and no card is declared', async () => {
    const open = await startTestApi({ agents: AGENTS });
    try {
      expect(await declared(open, 'has')).toMatchObject({ extendedAgentCard: false });
      expect((await extended(open, 'has', binding)).error?.reason).toBe('UNSUPPORTED_OPERATION');
    } finally {
      await open.close();
    }
    const test = await startTestApi({ agents: AGENTS, settings: { anonymousExtendedCard: true } });
    try {
      expect(await declared(test, 'has')).toMatchObject({ extendedAgentCard: true });
      expect((await extended(test, 'has', binding)).result).toMatchObject({ name: 'has' });
    } finally {
      await test.close();
    }
  });
});

test('C06 D01 0.3 readers get it in their shape', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agent/getAuthenticatedExtendedCard' });
  const response = await api.post('/', body, bearer('alice'));
  expect(await response.json()).toMatchObject({
    result: {
      protocolVersion: '0.3.0',
      skills: [{ id: 's' }, { id: 'secret' }],
      supportsAuthenticatedExtendedCard: true,
    },
  });
});

test('C11 what only a skill of the extended card takes is taken', async () => {
  const raw = (mediaType: string) => sendParams([{ raw: 'AAAA', mediaType }]);
  const sent = await call(api, 'JSON-RPC', 'SendMessage', raw('image/png'), bearer('alice'));
  expect(sent.error).toBeUndefined();
  const refused = await call(api, 'JSON-RPC', 'SendMessage', raw('image/gif'), bearer('alice'));
  expect(refused.error?.reason).toBe('CONTENT_TYPE_NOT_SUPPORTED');
});
