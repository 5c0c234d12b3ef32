import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../server/settings.js';
import { settingsTable } from '../../server/settings-table.js';

test('F01 without any variable the defaults of the table hold', () => {
  const settings = readSettings({});
  expect(settings.http).toEqual({ host: '127.0.0.1', port: 4000 });
  expect(settings.publicUrl).toBeUndefined();
  expect(settings.api.maxBodyBytes).toBe(10 * 1024 * 1024);
  expect(settings.journal.file).toBe(join(resolve('.data'), 'journal.db'));
  expect(settings.journal.keepTasks).toBe(Infinity);
  expect(settings.temporal.embedded).toEqual({ port: 7233, uiPort: 8233 });
  expect(settings.models.endpoint).toBeUndefined();
});

test('F01 each variable reaches the part that it is for', () => {
  const settings = readSettings({
    PORT: '0',
    PUBLIC_URL: 'https://agents.example/base/',
    DATA_DIR: '/var/lib/a2a',
    DATABASE_URL: 'file:/srv/journal.db',
    MAX_BODY_SIZE: '512KiB',
    KEEP_ALIVE: '500ms',
    KEEP_TASKS: '30d',
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    TEMPORAL_HEADLESS: 'true',
    MODEL_BASE_URL: 'http://127.0.0.1:11434/v1',
    MODEL_NAME: 'llama',
    MODEL_API_KEY: '',
  });
  expect(settings.publicUrl).toBe('https://agents.example/base');
  expect(settings.api.maxBodyBytes).toBe(512 * 1024);
  expect(settings.api.keepAliveMs).toBe(500);
  expect(settings.journal).toMatchObject({ file: '/srv/journal.db', keepTasks: 30 * 24 * 3_600_000 });
  expect(settings.data.temporalDatabase).toBe('/var/lib/a2a/temporal.db');
  expect(settings.temporal).toMatchObject({ address: 'temporal.example:7233', embedded: { uiPort: false } });
  expect(settings.models.endpoint).toEqual({
    provider: 'openai-compatible',
    baseURL: 'http://127.0.0.1:11434/v1',
    model: 'llama',
  });
});

test('F01 all that is wrong is named at once, with what is expected', () => {
  const wrong = {
    PORT: '70000',
    KEEP_ALIVE: '15',
    STREAM_ARTIFACTS: 'maybe',
    PUBLIC_URL: 'agents',
    LOG_LEVEL: 'loud',
  };
  const message = (() => {
    try {
      readSettings(wrong);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(message).toContain('PORT=70000: expected at most 65535');
  expect(message).toContain('KEEP_ALIVE=15: expected a duration such as 15s');
  expect(message).toContain('STREAM_ARTIFACTS=maybe: expected true or false');
  expect(message).toContain('PUBLIC_URL=agents: expected an http or https URL');
  expect(message).toContain('LOG_LEVEL=loud');
});

test('F01 PostgreSQL is refused with a word on when it comes, and its password is not shown', () => {
  const read = () => readSettings({ DATABASE_URL: 'postgres://ada:secret@db/journal' });
  expect(read).toThrow(/DATABASE_URL: PostgreSQL comes in a later version/);
  expect(read).not.toThrow(/secret/);
});

test('F07 a key without its model is an error that does not show the key', () => {
  const read = () => readSettings({ MODEL_API_KEY: 'sk-12345' });
  expect(read).toThrow(/MODEL_NAME is missing/);
  expect(read).not.toThrow(/sk-12345/);
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'agents.example', '127.0.0.1.example'])(
  'F06 without credentials the server does not listen on %s unless told so',
  (HOST) => {
    expect(() => readSettings({ HOST })).toThrow(/ALLOW_ANONYMOUS_REMOTE=true/);
    expect(readSettings({ HOST, ALLOW_ANONYMOUS_REMOTE: 'true' }).http.host).toBe(HOST);
  },
);

test.each(['127.0.0.1', '127.5.0.1', '::1', 'localhost'])('F06 loopback %s needs no permission', (HOST) => {
  expect(readSettings({ HOST }).http.host).toBe(HOST);
});

test('F01 docs/settings.md holds the table that the code reads', async () => {
  expect(await readFile(resolve('docs/settings.md'), 'utf8')).toContain(settingsTable());
});

test('F01 a time limit of zero is refused, by name', () => {
  expect(() => readSettings({ KEEP_ALIVE: '0s', MODEL_STALL_TIMEOUT: '0ms' })).toThrow(
    /KEEP_ALIVE[^]*more than zero[^]*MODEL_STALL_TIMEOUT[^]*more than zero/,
  );
});

const OPENAI = { OPENAI_API_KEY: 'sk-o' };
const ANTHROPIC = { ANTHROPIC_API_KEY: 'sk-a' };
const PROXY = { MODEL_BASE_URL: 'http://proxy.example/v1' };

test.each([
  // A key alone is no wish to use it.
  [{ ...OPENAI, ...ANTHROPIC }, undefined],
  [
    { MODEL_NAME: 'm', ...OPENAI },
    { provider: 'openai', model: 'm', apiKey: 'sk-o' },
  ],
  [
    { MODEL_NAME: 'm', ...ANTHROPIC },
    { provider: 'anthropic', model: 'm', apiKey: 'sk-a' },
  ],
  [
    { MODEL_NAME: 'm', MODEL_PROVIDER: 'anthropic', ...OPENAI, ...ANTHROPIC },
    { provider: 'anthropic', model: 'm', apiKey: 'sk-a' },
  ],
  [
    { MODEL_NAME: 'm', ...OPENAI, MODEL_API_KEY: 'sk-mine' },
    { provider: 'openai', model: 'm', apiKey: 'sk-mine' },
  ],
  // A provider's key goes to that provider only.
  [
    { MODEL_NAME: 'm', ...PROXY, ...OPENAI },
    { provider: 'openai-compatible', model: 'm', baseURL: PROXY.MODEL_BASE_URL },
  ],
  [
    { MODEL_NAME: 'm', ...PROXY, MODEL_PROVIDER: 'openai', MODEL_API_KEY: 'sk-p' },
    { provider: 'openai', model: 'm', baseURL: PROXY.MODEL_BASE_URL, apiKey: 'sk-p' },
  ],
])('E02 one model by the environment: %j', (env, endpoint) => {
  expect(readSettings(env).models.endpoint).toEqual(endpoint);
});

test.each([
  [{ MODEL_NAME: 'm' }, 'MODEL_PROVIDER is missing'],
  [{ MODEL_NAME: 'm', ...OPENAI, ...ANTHROPIC }, 'MODEL_PROVIDER is missing'],
  [{ MODEL_NAME: 'm', MODEL_PROVIDER: 'openai' }, 'MODEL_API_KEY or OPENAI_API_KEY is missing'],
  [{ MODEL_NAME: 'm', MODEL_PROVIDER: 'openai', ...PROXY, ...OPENAI }, 'MODEL_API_KEY is missing'],
  [{ MODEL_NAME: 'm', MODEL_PROVIDER: 'openai-compatible' }, 'MODEL_BASE_URL is missing'],
  [{ MODEL_NAME: 'm', MODEL_PROVIDER: 'azure' }, 'MODEL_PROVIDER=azure: expected openai, anthropic'],
  [{ ...PROXY }, 'MODEL_NAME is missing'],
  [{ MODELS_FILE: 'models.yaml', MODEL_NAME: 'm', ...OPENAI }, 'MODEL_NAME: MODELS_FILE says it already'],
])('E02 model settings that do not fit together: %j', (env, says) => {
  expect(() => readSettings(env)).toThrow(says);
  expect(() => readSettings(env)).not.toThrow(/sk-/);
});
