import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IDEMPOTENT_SENDS, RESUMABLE_STREAMS, USAGE } from '../../wire/extensions.js';
import { agent, TEST_AGENTS } from './agents.js';
import { apiKeys } from './callers.js';
import { startTestApi, type TestApi } from './test-api.js';

const BASE = 'https://agents.example.com';
type Card = Record<string, unknown>;

const talkative = agent('talkative', {
  card: {
    name: 'Talkative',
    description: 'says all that a card can say',
    version: '2.1.0',
    provider: { organization: 'Acme', url: 'https://acme.example' },
    documentationUrl: 'https://acme.example/docs',
    iconUrl: 'https://acme.example/icon.png',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'image/png'],
    skills: [
      { id: 'draw', name: 'Draw', description: 'draws', tags: ['art'], examples: ['a cat'], inputModes: [] },
      { id: 'sing', name: 'Sing', description: 'sings', tags: [], outputModes: ['audio/ogg'] },
    ],
  },
  extensions: [{ uri: 'urn:own', required: false, params: { empty: [] } }],
});

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ settings: { publicUrl: BASE }, agents: [...TEST_AGENTS, talkative] });
});
afterAll(() => api.close());

const at = (path: string, headers: Record<string, string> = {}) => fetch(api.url + path, { headers });
const cardAt = async (path: string, headers: Record<string, string> = {}, from: TestApi = api) =>
  (await (await fetch(from.url + path, { headers })).json()) as Card;

const WELL_KNOWN = '/.well-known/agent-card.json';

describe('shapes', () => {
  test('C06 the 1.0 card, with public URLs from the settings', async () => {
    const response = await at(`/agents/talkative${WELL_KNOWN}`, {
      host: 'evil.example',
      'x-forwarded-host': 'evil',
    });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const url = `${BASE}/agents/talkative`;
    expect(await response.json()).toEqual({
      name: 'Talkative',
      description: 'says all that a card can say',
      supportedInterfaces: expect.arrayContaining([
        { url: `${url}/a2a/jsonrpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: `${url}/a2a/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: `${url}/a2a/jsonrpc`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { url: `${url}/a2a/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
      ]),
      provider: { organization: 'Acme', url: 'https://acme.example' },
      version: '2.1.0',
      documentationUrl: 'https://acme.example/docs',
      capabilities: {
        streaming: true,
        pushNotifications: expect.any(Boolean),
        extendedAgentCard: false,
        extensions: [RESUMABLE_STREAMS, IDEMPOTENT_SENDS, USAGE, { uri: 'urn:own', params: { empty: [] } }],
      },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain', 'image/png'],
      skills: [
        { id: 'draw', name: 'Draw', description: 'draws', tags: ['art'], examples: ['a cat'] },
        { id: 'sing', name: 'Sing', description: 'sings', tags: ['sing'], outputModes: ['audio/ogg'] },
      ],
      iconUrl: 'https://acme.example/icon.png',
    });
  });

  test('C06 the interfaces that speak 1.0 come first', async () => {
    const { supportedInterfaces } = await cardAt(WELL_KNOWN);
    const versions = (supportedInterfaces as Card[]).map(({ protocolVersion }) => protocolVersion);
    expect(versions).toEqual([...versions].sort().reverse());
    expect(versions[0]).toBe('1.0');
  });

  test('C06 D01 the 0.3 card', async () => {
    const url = `${BASE}/agents/talkative`;
    const card = await cardAt(`/agents/talkative/a2a/v0.3${WELL_KNOWN}`);
    expect(card).toEqual({
      protocolVersion: '0.3.0',
      name: 'Talkative',
      description: 'says all that a card can say',
      url: `${url}/a2a/jsonrpc`,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: expect.arrayContaining([
        { url: `${url}/a2a/jsonrpc`, transport: 'JSONRPC' },
        { url: `${url}/a2a/rest`, transport: 'HTTP+JSON' },
      ]),
      provider: { organization: 'Acme', url: 'https://acme.example' },
      version: '2.1.0',
      documentationUrl: 'https://acme.example/docs',
      capabilities: {
        streaming: true,
        pushNotifications: expect.any(Boolean),
        stateTransitionHistory: true,
        extensions: [
          { ...RESUMABLE_STREAMS, required: false },
          { ...IDEMPOTENT_SENDS, required: false },
          { ...USAGE, required: false },
          { uri: 'urn:own', required: false, params: { empty: [] } },
        ],
      },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain', 'image/png'],
      skills: [
        { id: 'draw', name: 'Draw', description: 'draws', tags: ['art'], examples: ['a cat'] },
        { id: 'sing', name: 'Sing', description: 'sings', tags: ['sing'], outputModes: ['audio/ogg'] },
      ],
      iconUrl: 'https://acme.example/icon.png',
      supportsAuthenticatedExtendedCard: false,
    });
  });

  test('C06 D03 the draft card', async () => {
    expect(await cardAt('/agents/talkative/.well-known/agent.json')).toEqual({
      name: 'Talkative',
      description: 'says all that a card can say',
      url: `${BASE}/agents/talkative/a2a/draft`,
      provider: { organization: 'Acme', url: 'https://acme.example' },
      version: '2.1.0',
      documentationUrl: 'https://acme.example/docs',
      capabilities: { streaming: true, pushNotifications: expect.any(Boolean), stateTransitionHistory: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain', 'image/png'],
      skills: [
        { id: 'draw', name: 'Draw', description: 'draws', tags: ['art'], examples: ['a cat'] },
        { id: 'sing', name: 'Sing', description: 'sings', tags: ['sing'], outputModes: ['audio/ogg'] },
      ],
    });
  });

  const shapeOf = (card: Card) =>
    'supportedInterfaces' in card ? '1.0' : 'protocolVersion' in card ? '0.3' : 'draft';

  test.each<[path: string, version: string | undefined, shape: string, shapeByDefault03: string]>([
    [WELL_KNOWN, undefined, '1.0', '0.3'],
    [WELL_KNOWN, '', '1.0', '0.3'],
    [WELL_KNOWN, '1.0', '1.0', '1.0'],
    [WELL_KNOWN, ' 1.0.3 ', '1.0', '1.0'],
    [WELL_KNOWN, '0.3', '0.3', '0.3'],
    [WELL_KNOWN, '0.3.0', '0.3', '0.3'],
    [`${WELL_KNOWN}?A2A-Version=0.3`, undefined, '0.3', '0.3'],
    [`${WELL_KNOWN}?a2a-version=0.3`, '1.0', '1.0', '1.0'],
    // How else should such a client learn what there is?
    [WELL_KNOWN, '2.0', '1.0', '0.3'],
    [WELL_KNOWN, '0.3, 1.0', '1.0', '0.3'],
    [WELL_KNOWN, '../../etc/passwd', '1.0', '0.3'],
    [`/a2a/v0.3${WELL_KNOWN}`, undefined, '0.3', '0.3'],
    [`/a2a/v0.3${WELL_KNOWN}`, '1.0', '0.3', '0.3'],
    ['/.well-known/agent.json', undefined, 'draft', 'draft'],
    ['/agents/other/.well-known/agent.json', '1.0', 'draft', 'draft'],
  ])('C06 C07 %s with A2A-Version %j has the shape of %s', async (path, version, shape, shapeByDefault03) => {
    const headers: Record<string, string> = version === undefined ? {} : { 'a2a-version': version };
    expect(shapeOf(await cardAt(path, headers))).toBe(shape);
    const older = await startTestApi({ settings: { cardVersion: '0.3' } });
    try {
      expect(shapeOf(await cardAt(path, headers, older))).toBe(shapeByDefault03);
    } finally {
      await older.close();
    }
  });

  test('C06 each agent has its own card below its address', async () => {
    expect(await cardAt(`/agents/whole${WELL_KNOWN}`)).toMatchObject({
      name: 'whole',
      capabilities: { streaming: false },
      supportedInterfaces: expect.arrayContaining([
        expect.objectContaining({ url: `${BASE}/agents/whole/a2a/rest` }),
      ]),
    });
    expect((await at(`/agents/nobody${WELL_KNOWN}`)).status).toBe(404);
  });
});

describe('caching', () => {
  test.each([WELL_KNOWN, `/a2a/v0.3${WELL_KNOWN}`, '/.well-known/agent.json', `/agents/other${WELL_KNOWN}`])(
    'C06 a caller whose copy of %s is good is told so',
    async (path) => {
      const { headers } = await at(path);
      expect(headers.get('cache-control')).toBe('public, max-age=300');
      expect(headers.get('vary')).toBe('A2A-Version');
      for (const [condition, value] of [
        ['if-none-match', headers.get('etag')!],
        ['if-none-match', `"other", W/${headers.get('etag')}`],
        ['if-none-match', '*'],
        ['if-modified-since', headers.get('last-modified')!],
      ] as const) {
        // undici adds no-cache to conditional requests of its own accord, unless told otherwise.
        const response = await at(path, { [condition]: value, 'cache-control': 'max-age=0' });
        expect(response.status).toBe(304);
        expect(await response.text()).toBe('');
        expect(response.headers.get('etag')).toBe(headers.get('etag'));
        expect(response.headers.get('vary')).toBe('A2A-Version');
      }
      const stale = { 'if-none-match': '"other"', 'cache-control': 'max-age=0' };
      expect((await at(path, stale)).status).toBe(200);
      // The ETag is the stronger of the two.
      const both = { ...stale, 'if-modified-since': headers.get('last-modified')! };
      expect((await at(path, both)).status).toBe(200);
    },
  );

  test('C06 an ETag is that of its shape, so that no cache mixes them up', async () => {
    const tags = [
      (await at(WELL_KNOWN)).headers.get('etag'),
      (await at(WELL_KNOWN, { 'a2a-version': '0.3' })).headers.get('etag'),
      (await at('/.well-known/agent.json')).headers.get('etag'),
      (await at(`/agents/main${WELL_KNOWN}`)).headers.get('etag'),
    ];
    expect(new Set(tags).size).toBe(tags.length);
    expect((await at(WELL_KNOWN, { 'a2a-version': '0.3' })).headers.get('etag')).toBe(tags[1]);
  });
});

test('C06 F06 with keys every card declares how to use them, in its own words', async () => {
  const own = await startTestApi({ authenticator: apiKeys() });
  try {
    const description = 'An API key of this server';
    expect(await cardAt(WELL_KNOWN, {}, own)).toMatchObject({
      securitySchemes: {
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description } },
        apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key', description } },
      },
      securityRequirements: [{ schemes: { bearer: {} } }, { schemes: { apiKey: {} } }],
    });
    expect(await cardAt(`/a2a/v0.3${WELL_KNOWN}`, {}, own)).toMatchObject({
      securitySchemes: {
        bearer: { type: 'http', scheme: 'Bearer', description },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
    });
    expect(await cardAt('/.well-known/agent.json', {}, own)).toMatchObject({
      authentication: { schemes: ['Bearer', 'apiKey'] },
    });
  } finally {
    await own.close();
  }
  expect(await cardAt(WELL_KNOWN)).not.toHaveProperty('securitySchemes');
});
