import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey, revokeKey } from '../../server/api-keys/commands.js';
import { eventually } from '../api/test-api.js';
import { RpcClient } from '../support/rpc-client.js';
import { startStack, type Stack } from '../support/stack.js';

let folder: string;
let keysFile: string;
let stack: Stack;
let alice: RpcClient;
let bob: RpcClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-temporal-callers-'));
  keysFile = join(folder, 'keys.json');
  const signingKeyFile = join(folder, 'key.pem');
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFile(signingKeyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const keys = [await createKey(keysFile, { owner: 'alice' }), await createKey(keysFile, { owner: 'bob' })];
  stack = await startStack({ env: { API_KEYS_FILE: keysFile, SIGNING_KEY_FILE: signingKeyFile } });
  [alice, bob] = keys.map(
    ({ key }) => new RpcClient(`${stack.url}/a2a/jsonrpc`, { authorization: `Bearer ${key}` }),
  ) as [RpcClient, RpcClient];
});
afterAll(async () => {
  await stack.close();
  await rm(folder, { recursive: true });
});

const script = (...steps: object[]) => [{ data: { steps } }];

test('F06 a server with a file of keys serves who has one and nobody else', async () => {
  const task = await alice.send(script({ do: 'complete', text: 'for alice' }));
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect((await alice.get(task.id)).id).toBe(task.id);
  expect((await bob.call('GetTask', { id: task.id })).error?.code).toBe(-32001);
  const nobody = await fetch(`${stack.url}/a2a/rest/tasks`);
  expect(nobody.status).toBe(401);
  expect(nobody.headers.get('www-authenticate')).toMatch(/^Bearer /);
});

test('F06 A11 an agent is told of the caller’s own conversation, whoever else named his so', async () => {
  const contextId = 'shared';
  const heard = async (from: RpcClient) => {
    const { artifacts } = await from.send(script({ do: 'history' }, { do: 'complete' }), { contextId });
    return artifacts?.find(({ name }) => name === 'history')?.parts;
  };
  await alice.send(script({ do: 'complete', text: 'a secret of alice' }), { contextId });
  expect(JSON.stringify(await heard(bob))).not.toContain('secret');
  expect(JSON.stringify(await heard(alice))).toContain('a secret of alice');
});

test('C06 the card of such a server is signed and says how to authenticate', async () => {
  const card = (await (await fetch(`${stack.url}/.well-known/agent-card.json`)).json()) as object;
  expect(card).toMatchObject({
    securitySchemes: { bearer: {}, apiKey: {} },
    signatures: [{ protected: expect.any(String) }, {}],
  });
  expect(await (await fetch(`${stack.url}/.well-known/jwks.json`)).json()).toMatchObject({
    keys: [{ crv: 'Ed25519' }],
  });
});

test('F06 a key that is revoked stops working while the server runs', async () => {
  expect((await bob.call('ListTasks', {})).error).toBeUndefined();
  await revokeKey(keysFile, 'bob');
  await eventually(async () => (await bob.call('ListTasks', {})).error !== undefined);
  expect((await alice.call('ListTasks', {})).error).toBeUndefined();
});
