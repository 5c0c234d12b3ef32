import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runKeyCommand } from '../../server/api-keys/cli.js';
import { watchApiKeys } from '../../server/api-keys/watch.js';
import { readSettings } from '../../server/settings.js';
import { Command } from '../support/command.js';
import { eventually } from '../api/test-api.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a2a-temporal-keys-'));
  file = join(folder, 'keys.json');
});
afterEach(() => rm(folder, { recursive: true }));

const key = (...args: string[]) => runKeyCommand(args, { API_KEYS_FILE: file });
const made = async (...args: string[]) => (await key('create', ...args)).lines[0] ?? '';
const headers = (given: string) => ({ authorization: `Bearer ${given}` });

test('F06 a key is shown once; the file has its hash and is its owner’s alone', async () => {
  const given = await made('--owner', 'alice');
  expect(given).toMatch(/^a2at_[\w-]{43}$/);
  expect(await readFile(file, 'utf8')).not.toContain(given);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { keys, close } = await watchApiKeys(file, pino({ level: 'silent' }));
  expect(keys.authenticate(headers(given))).toEqual({ owner: 'alice' });
  await close();
});

test('F06 keys have names, tenants and an end; they are listed, and revoked by name', async () => {
  await made('--owner', 'alice');
  await made('--owner', 'alice', '--tenant', 'acme', '--tenant', '');
  await made('--owner', 'bob', '--name', 'laptop', '--expires', '2999-01-31');
  await expect(made('--owner', 'bob', '--name', 'laptop')).rejects.toThrow(/'laptop' already/);
  expect((await key('list')).lines).toEqual([
    'alice  owner alice',
    "alice-2  owner alice  tenants acme, ''",
    'laptop  owner bob  expires 2999-01-31T00:00:00.000Z',
  ]);
  await key('revoke', 'alice');
  expect((await key('list')).lines).toHaveLength(2);
  await expect(key('revoke', 'alice')).rejects.toThrow(/no key 'alice'/);
});

test.each([
  [['create'], /--owner/],
  [['create', '--owner', 'line\nbreak'], /control characters/],
  [['create', '--owner', 'alice', '--expires', '2020-01-01'], /has passed/],
  [['create', '--owner', 'alice', '--expires', 'soon'], /expected a date/],
  [['create', '--owner', 'alice', 'bob'], /one word too many/],
  [['revoke'], /which one/],
  [['list'], /no file/],
  [['rotate'], /create, list or revoke/],
])('F06 F01 key %j says what is wrong', async (args, message) => {
  await expect(key(...args)).rejects.toThrow(message);
});

test('F06 a key that is added works without a restart, and one that is taken out does not', async () => {
  const first = await made('--owner', 'alice');
  const log: string[] = [];
  const { keys, close } = await watchApiKeys(file, pino({}, { write: (line) => void log.push(line) }));
  const takes = (given: string) => {
    try {
      return keys.authenticate(headers(given)).owner;
    } catch {
      return 'nobody';
    }
  };
  try {
    const second = await made('--owner', 'bob');
    await eventually(() => takes(second) === 'bob');
    await key('revoke', 'alice');
    await eventually(() => takes(first) === 'nobody');
    // What is broken changes nothing, and shows nothing of what stands there.
    await writeFile(file, `{"keys": "${second}"`);
    await eventually(() => log.some((line) => line.includes('cannot be read')));
    expect(takes(second)).toBe('bob');
    expect(log.join('')).not.toContain(second);
    await rm(file);
    await eventually(() => log.filter((line) => line.includes('cannot be read')).length > 1);
    expect(takes(second)).toBe('bob');
  } finally {
    await close();
  }
});

test.each([
  [undefined, /there is no such file[^]*key create/],
  ['', /is not JSON/],
  ['[]', /expected object/],
  ['{"keys":[{"name":"a","owner":"a","hash":"abc"}]}', /keys.0.hash: expected SHA-256/],
  [`{"keys":[{"name":"a","owner":"a","hash":"${'0'.repeat(64)}","expires":"soon"}]}`, /keys.0.expires/],
  [
    `{"keys":[${['a', 'a'].map((name, n) => `{"name":"${name}","owner":"o","hash":"${String(n).repeat(64)}"}`).join()}]}`,
    /the name of 'a' is there twice/,
  ],
])('F06 F01 the server does not start on a file of keys like %j', async (content, message) => {
  if (content !== undefined) await writeFile(file, content);
  await expect(watchApiKeys(file, pino({ level: 'silent' }))).rejects.toThrow(message);
});

test('F06 a2a-temporal key is the command for it', async () => {
  const command = new Command(['key', 'create', '--owner', 'alice', '--file', file], {});
  const [, given = ''] = await command.prints(/^(a2at_\S+)$/m);
  expect(await command.ended()).toMatchObject({ code: 0 });
  const { keys, close } = await watchApiKeys(file, pino({ level: 'silent' }));
  expect(keys.authenticate(headers(given)).owner).toBe('alice');
  await close();
  const wrong = new Command(['key', 'create', '--file', file], {});
  expect(await wrong.ended()).toMatchObject({ code: 1 });
  expect(wrong.output).toContain('--owner');
});

test('F06 with keys the server may listen beyond loopback', () => {
  expect(readSettings({ HOST: '0.0.0.0', API_KEYS_FILE: file })).toMatchObject({
    http: { host: '0.0.0.0' },
    apiKeysFile: file,
  });
});
