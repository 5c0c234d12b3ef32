import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readModelsFile } from '../../activities/model/models-file.js';

const ENVIRONMENT: Record<string, string> = {
  OPENAI_API_KEY: 'sk-openai',
  MY_KEY: 'sk-mine',
  TEAM: 'blue',
  EMPTY: '',
  BROKEN: 'two\nlines',
};

async function read(text: string, extension = 'yaml') {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-models-file-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, `models.${extension}`);
  await writeFile(file, text);
  return readModelsFile(file, (name) => ENVIRONMENT[name]);
}

/** What is said of a wrong file, without its folder. */
async function complaint(text: string): Promise<string> {
  const error = await read(text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message.replaceAll(/^.*\/(?=models\.yaml)/gm, '');
}

const ALL = `
default: careful
models:
  fast:
    provider: openai
    model: gpt-5-mini
    options: { reasoningEffort: low }
    cache: true
  careful: # two ways to name a key
    provider: anthropic
    model: claude-sonnet
    apiKeyEnv: MY_KEY
    cache: 1h
    temperature: 0.2
    maxOutputTokens: 8000
    price: { input: 3, output: 15, cachedInput: 0.3, cacheCreation: 3.75 }
  local:
    provider: openai-compatible
    baseURL: http://127.0.0.1:11434/v1
    model: qwen
    apiKey: \${MY_KEY}
    structuredOutputs: true
    headers:
      X-Team: team \${TEAM}
      Authorization: Basic \${MY_KEY}
`;
const READ = {
  default: 'careful',
  endpoints: [
    {
      name: 'fast',
      provider: 'openai',
      model: 'gpt-5-mini',
      options: { reasoningEffort: 'low' },
      cache: true,
      apiKey: 'sk-openai',
    },
    {
      name: 'careful',
      provider: 'anthropic',
      model: 'claude-sonnet',
      cache: '1h',
      temperature: 0.2,
      maxOutputTokens: 8000,
      price: { input: 3, output: 15, cachedInput: 0.3, cacheCreation: 3.75 },
      apiKey: 'sk-mine',
    },
    {
      name: 'local',
      provider: 'openai-compatible',
      baseURL: 'http://127.0.0.1:11434/v1',
      model: 'qwen',
      structuredOutputs: true,
      apiKey: 'sk-mine',
      headers: { 'X-Team': 'team blue', Authorization: 'Basic sk-mine' },
    },
  ],
};

test('E02 a file of models, with keys from the environment', async () => {
  expect(await read(ALL)).toEqual(READ);
});

test('E02 JSON will do, and the first model is the default', async () => {
  const models = { fast: { provider: 'openai', model: 'm' }, demo: { provider: 'openai', model: 'n' } };
  expect(await read(JSON.stringify({ models }, undefined, 2), 'json')).toMatchObject({ default: 'fast' });
  expect(await read(JSON.stringify({ models, default: 'scripted-demo' }))).toMatchObject({
    default: 'scripted-demo',
  });
});

const one = (lines: string): string => `models:\n  a:\n    provider: openai\n    model: m\n    ${lines}\n`;
const local = (lines: string): string =>
  `models:\n  a:\n    provider: openai-compatible\n    baseURL: http://127.0.0.1:1/v1\n    model: m\n    ${lines}\n`;

test.each([
  ['', 'models.yaml:1: '],
  ['models: {}', 'models.yaml:1: models: expected at least one model'],
  [
    'models:\n  a:\n    model: m',
    'models.yaml:3: models.a.provider: expected openai, anthropic, openai-compatible',
  ],
  [
    'models:\n  a:\n\n    provider: azure\n    model: m',
    'models.yaml:4: models.a.provider: expected openai, ',
  ],
  [one('temperature: hot'), 'models.yaml:5: models.a.temperature: '],
  [one('temperature: 3'), 'models.yaml:5: models.a.temperature: expected 0 to 2'],
  [one('maxOutputTokens: 0'), 'models.yaml:5: models.a.maxOutputTokens: expected at least 1'],
  [one('temprature: 1'), 'models.yaml:5: models.a.temprature: Unrecognized key'],
  [one('price: { input: 1 }'), 'models.yaml:5: models.a.price.output: '],
  [one('price: { input: -1, output: 1 }'), 'models.yaml:5: models.a.price.input: expected zero or more'],
  [one('cache: 2h'), 'models.yaml:5: models.a.cache: expected true, false or 1h'],
  [one('cache: 1h'), 'models.yaml:5: models.a.cache: 1h is for anthropic'],
  [local('cache: true'), 'models.yaml:6: models.a.cache: only openai and anthropic'],
  [
    one('apiKey: sk-secret-in-file'),
    'models.yaml:5: models.a.apiKey: expected ${NAME}: keys come from environment',
  ],
  [one('apiKey: ${NOT_SET}'), 'models.yaml:5: models.a.apiKey: the environment variable NOT_SET is not set'],
  [one('apiKey: ${EMPTY}'), 'models.yaml:5: models.a.apiKey: the environment variable EMPTY is not set'],
  [
    one('apiKeyEnv: sk-secret-in-file'),
    'models.yaml:5: models.a.apiKeyEnv: expected the name of an environment',
  ],
  [
    one('apiKey: ${MY_KEY}\n    apiKeyEnv: MY_KEY'),
    'models.yaml:6: models.a.apiKeyEnv: apiKey says it already',
  ],
  [one('baseURL: https://proxy.example'), 'models.yaml:5: models.a.baseURL: apiKey is missing'],
  [
    one('baseURL: https://ada:sk-secret-in-file@proxy.example'),
    'models.yaml:5: models.a.baseURL: expected an http',
  ],
  [one('baseURL: file:///etc/passwd'), 'models.yaml:5: models.a.baseURL: expected an http or https URL'],
  [
    'models:\n  a:\n    provider: anthropic\n    model: m',
    'models.yaml:3: models.a: the environment variable ANTHROPIC_API_KEY is not set',
  ],
  [
    'models:\n  a:\n    provider: openai-compatible\n    model: m',
    'models.yaml:3: models.a: baseURL is missing',
  ],
  [
    local('headers: { X-Api-Key: sk-secret-in-file }'),
    'models.yaml:6: models.a.headers.X-Api-Key: expected ${NAME}',
  ],
  [local('headers: { X-Team: "${BROKEN}" }'), 'models.yaml:6: models.a.headers.X-Team: has characters'],
  [local('headers: { "X Team": a }'), 'models.yaml:6: models.a.headers.X Team: '],
  ['default: b\n' + one(''), 'models.yaml:1: default: expected the name of one of the models'],
  [
    'models:\n  scripted-demo:\n    provider: openai\n    model: m',
    'models.yaml:3: models.scripted-demo: the demo model',
  ],
  ['models:\n  a: { provider: openai, model: m\n  b: 1', 'models.yaml:'],
  [one('model: n'), 'models.yaml:5: this is not YAML (duplicate key)'],
])('E02 a wrong file says where: %j', async (text, says) => {
  const message = await complaint(text);
  expect(message).toContain(says);
  expect(message).not.toMatch(/sk-|two\nlines/);
});

test('E02 all that is wrong is said at once', async () => {
  const message = await complaint(one('temperature: hot\n    cache: 2h\n    colour: red'));
  expect(message.split('\n')).toHaveLength(3);
});

test('E02 a file that is not there', async () => {
  await expect(readModelsFile('/nowhere/models.yaml', () => undefined)).rejects.toThrow(
    '/nowhere/models.yaml: it cannot be read (ENOENT)',
  );
});

test('E02 the file of docs/models.md is right', async () => {
  const page = await readFile('docs/models.md', 'utf8');
  const [, example = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  ENVIRONMENT['TEAM_ANTHROPIC_KEY'] = 'sk-team';
  expect((await read(example)).endpoints.map(({ name }) => name)).toEqual(['fast', 'careful', 'local']);
  delete ENVIRONMENT['TEAM_ANTHROPIC_KEY'];
  expect(page).toContain(await complaint(example));
  const wrong = example.replace('temperature: 0.2', 'temperature: 20').replace('output: 15', 'output: -15');
  expect(page).toContain(await complaint(wrong));
});
