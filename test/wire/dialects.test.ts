import { expect, test } from 'vitest';
import { A2AError } from '../../core/errors.js';
import {
  checkVersion,
  classifyMethod,
  SUPPORTED_VERSIONS,
  type CallMarks,
  type VersionRequest,
} from '../../wire/dialects.js';
import {
  activateExtensions,
  extensionHeaders,
  IDEMPOTENT_SENDS,
  namedExtensions,
  RESUMABLE_STREAMS,
} from '../../wire/extensions.js';
import type { AgentExtension } from '../../core/agent-card.js';
import { TEST_AGENTS } from '../api/agents.js';

test('C07 a method name tells the dialect', () => {
  expect(classifyMethod('SendMessage')).toEqual({ dialect: 'v1', operation: 'SendMessage' });
  expect(classifyMethod('message/send')).toEqual({ dialect: 'v03', operation: 'SendMessage' });
  expect(classifyMethod('tasks/send')).toEqual({ dialect: 'draft', operation: 'SendMessage' });
});

test('D03 D04 a method of several dialects is told apart by what stands beside it', () => {
  const shared = {
    'tasks/get': 'GetTask',
    'tasks/cancel': 'CancelTask',
    'tasks/resubscribe': 'SubscribeToTask',
  };
  for (const [method, operation] of Object.entries(shared)) {
    expect(classifyMethod(method)).toEqual({ dialect: 'v03', operation, ofChosenId: 'draft' });
    expect(classifyMethod(method, { agentCode: true })).toEqual({ dialect: 'gateway', operation });
    expect(classifyMethod(method, { only: 'draft' })).toEqual({ dialect: 'draft', operation });
    expect(classifyMethod(method, { only: 'draft', agentCode: true }).dialect).toBe('draft');
  }
  const unknown: [string, CallMarks][] = [
    ['message/send', { only: 'draft' }],
    ['SendMessage', { agentCode: true }],
    ['tasks/send', { agentCode: true }],
    ['__proto__', { only: 'draft' }],
  ];
  for (const [method, marks] of unknown) {
    expect(() => classifyMethod(method, marks)).toThrow(
      expect.objectContaining({ code: 'METHOD_NOT_FOUND' }),
    );
  }
});

test.each(['Nope', 'sendMessage', 'message/Send', 'toString', '__proto__', 'constructor', ''])(
  'X23 the method %j is unknown',
  (method) => {
    expect(() => classifyMethod(method)).toThrow(expect.objectContaining({ code: 'METHOD_NOT_FOUND' }));
  },
);

test.each<VersionRequest>([
  {},
  { header: '' },
  { header: '1.0' },
  { header: ' 1.0 ' },
  { header: '1.0.1' },
  { header: '1.0, 1.0' },
  { query: ['1.0'] },
  { header: '', query: ['1.0'] },
  { header: '1.0', query: ['0.3'] },
  { query: [''] },
])('C07 X19 the version %j agrees with 1.0', (request) => {
  expect(() => checkVersion('v1', request, false)).not.toThrow();
});

test.each<VersionRequest>([
  { header: '1.1' },
  { header: '0.3' },
  { header: '0.30' },
  { header: '2.0' },
  { header: '1' },
  { header: 'x' },
  { header: '1.0x' },
  { header: '1.0, 0.3' },
  { query: ['0.3'] },
  { query: ['1.0', '0.3'] },
  { header: '0.3', query: ['1.0'] },
])('C07 X19 the version %j is refused with the list of supported ones', (request) => {
  let thrown: unknown;
  try {
    checkVersion('v1', request, false);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(A2AError);
  expect((thrown as A2AError).code).toBe('VERSION_NOT_SUPPORTED');
  expect((thrown as A2AError).metadata.supportedVersions).toBe(SUPPORTED_VERSIONS.join(','));
});

test('C07 each supported version agrees with its own methods alone', () => {
  expect(SUPPORTED_VERSIONS).toEqual(['1.0', '0.3', '0.1']);
  for (const header of ['0.3', '0.3.0']) {
    expect(() => checkVersion('v03', { header }, false)).not.toThrow();
    expect(() => checkVersion('v1', { header }, false)).toThrow();
  }
  expect(() => checkVersion('v03', { header: '1.0' }, false)).toThrow();
});

test('C07 with the strict setting an absent or empty version is 0.3', () => {
  for (const request of [{}, { header: '' }]) {
    expect(() => checkVersion('v1', request, true)).toThrow(
      expect.objectContaining({ code: 'VERSION_NOT_SUPPORTED' }),
    );
  }
  expect(() => checkVersion('v1', { header: '1.0' }, true)).not.toThrow();
  expect(() => checkVersion('v03', {}, true)).not.toThrow();
});

const activated = (header: string | undefined, extensions: AgentExtension[] = []) =>
  activateExtensions({ ...TEST_AGENTS[0]!, extensions }, namedExtensions(header));

test('C07 known extensions are activated, others passed over', () => {
  const header = `urn:unknown, ${IDEMPOTENT_SENDS.uri},${RESUMABLE_STREAMS.uri} , ${IDEMPOTENT_SENDS.uri}`;
  expect(activated(header)).toEqual([IDEMPOTENT_SENDS.uri, RESUMABLE_STREAMS.uri]);
  expect(activated(undefined)).toEqual([]);
  expect(activated('urn:own', [{ uri: 'urn:own' }])).toEqual(['urn:own']);
});

test('C07 X44 every extension that an agent requires has to be named', () => {
  const extensions = [
    { uri: 'urn:one', required: true },
    { uri: 'urn:two', required: true },
    { uri: 'urn:three' },
  ];
  expect(activated('urn:two,urn:one', extensions)).toEqual(['urn:two', 'urn:one']);
  for (const [header, missing] of [
    [undefined, 'urn:one, urn:two'],
    ['', 'urn:one, urn:two'],
    ['urn:two,urn:three', 'urn:one'],
    ['urn:one:v2,urn:two', 'urn:one'],
    ['URN:ONE,urn:two', 'urn:one'],
  ] as const) {
    expect(() => activated(header, extensions)).toThrow(
      expect.objectContaining({
        code: 'EXTENSION_SUPPORT_REQUIRED',
        metadata: { extensions: missing },
      }),
    );
  }
});

test('C07 X44 1.0 has one spelling of the header, older dialects have two', () => {
  expect(extensionHeaders('v1')).toEqual(['A2A-Extensions']);
  expect(extensionHeaders('v03')).toEqual(['A2A-Extensions', 'X-A2A-Extensions']);
});
