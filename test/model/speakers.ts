import { onTestFinished } from 'vitest';
import type { ModelEndpoint, Models, ProviderName } from '../../activities/model/configured-model.js';
import { createModels, type ModelSettings } from '../../activities/model/models.js';
import { type ModelReply, modelServer, type ModelServer, type Protocol } from '../support/model-server.js';
import { chatProtocol } from '../support/protocols/chat.js';
import { messagesProtocol } from '../support/protocols/messages.js';
import { responsesProtocol } from '../support/protocols/responses.js';
import { API_KEY } from './turns.js';

/** A provider, and how its own server speaks. */
export interface Speaker {
  provider: ProviderName;
  protocol: () => Protocol;
  path: string;
  /** Header that carries the key. */
  keyHeader: { name: string; value: string };
  /** Body of an HTTP error. */
  error(code: string, message: string): object;
  /** Where a request has its tools' results, in order. */
  toolResults(body: Record<string, unknown>): unknown[];
  /** Whether its answers count what was written to a cache. */
  countsCacheWrites: boolean;
}

interface Said {
  role?: string;
  type?: string;
  content?: unknown;
  output?: unknown;
}

export const SPEAKERS: Speaker[] = [
  {
    provider: 'openai-compatible',
    protocol: chatProtocol,
    path: '/v1/chat/completions',
    keyHeader: { name: 'authorization', value: `Bearer ${API_KEY}` },
    error: (code, message) => ({ error: { message, type: code, code: null } }),
    toolResults: ({ messages }) =>
      (messages as Said[]).filter(({ role }) => role === 'tool').map(({ content }) => content),
    countsCacheWrites: false,
  },
  {
    provider: 'openai',
    protocol: responsesProtocol,
    path: '/v1/responses',
    keyHeader: { name: 'authorization', value: `Bearer ${API_KEY}` },
    error: (code, message) => ({ error: { message, type: 'invalid_request_error', code, param: null } }),
    toolResults: ({ input }) =>
      (input as Said[]).filter(({ type }) => type === 'function_call_output').map(({ output }) => output),
    countsCacheWrites: false,
  },
  {
    provider: 'anthropic',
    protocol: messagesProtocol,
    path: '/v1/messages',
    keyHeader: { name: 'x-api-key', value: API_KEY },
    error: (code, message) => ({ type: 'error', error: { type: code, message }, request_id: 'req_1' }),
    toolResults: ({ messages }) =>
      (messages as Said[])
        .flatMap(({ content }) => content as Said[])
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) => (Array.isArray(content) ? (content[0] as { text: string }).text : content)),
    countsCacheWrites: true,
  },
];

/** A server of this provider for one test. */
export async function serveAs<Body = Record<string, unknown>>(
  { protocol }: Pick<Speaker, 'protocol'>,
  ...replies: ModelReply[]
): Promise<ModelServer<Body>> {
  const server = await modelServer<Body>(protocol, replies);
  onTestFinished(() => server.close());
  return server;
}

/** Its model, as the default one. */
export function modelsOf(
  { provider }: Pick<Speaker, 'provider'>,
  { baseURL }: Pick<ModelServer, 'baseURL'>,
  { stallMillis, ...endpoint }: Partial<ModelEndpoint> & Pick<ModelSettings, 'stallMillis'> = {},
): Models {
  return createModels({
    endpoints: [{ provider, baseURL, apiKey: API_KEY, model: 'test-model', ...endpoint }],
    ...(stallMillis !== undefined && { stallMillis }),
  });
}
