import type { AgentExtension } from '../core/agent-card.js';
import type { AgentDefinition } from '../core/agent.js';
import { A2AError } from '../core/errors.js';
import { DIALECTS, type DialectName } from './dialects.js';

/**
 * The protocol extensions that this server adds (C14, docs/extensions.md). They are always on; a client that names
 * them in `A2A-Extensions` is told that they are active.
 */
export const RESUMABLE_STREAMS: AgentExtension = {
  uri: 'urn:a2a-temporal:extension:resumable-streams:v1',
  description:
    'Every stream frame carries an SSE id, a sequence number in its task. Sent back as Last-Event-ID on ' +
    'SubscribeToTask or SendStreamingMessage it continues the stream after that event.',
};

export const IDEMPOTENT_SENDS: AgentExtension = {
  uri: 'urn:a2a-temporal:extension:idempotent-sends:v1',
  description:
    'A send repeated with the same Idempotency-Key header, or to the same task with the same messageId and ' +
    'content, is answered from the first one and runs nothing twice.',
};

export const USAGE: AgentExtension = {
  uri: 'urn:a2a-temporal:extension:usage:v1',
  description:
    'A task that called models says in metadata.$usage how many tokens it took: on the task, and on the status ' +
    'update that ends it.',
};

const OWN: readonly AgentExtension[] = [RESUMABLE_STREAMS, IDEMPOTENT_SENDS, USAGE];

/** All that an agent's card declares: the server's own, then the agent's. */
export function extensionsOf({ extensions = [] }: AgentDefinition): readonly AgentExtension[] {
  return [...OWN, ...extensions];
}

/** In which header callers name extensions, and are told which are active. Before 1.0 both spellings were in use. */
export function extensionHeaders(dialect: DialectName): readonly string[] {
  return DIALECTS[dialect].version === '1.0' ? ['A2A-Extensions'] : ['A2A-Extensions', 'X-A2A-Extensions'];
}

/** The URIs of one header's value; repeated headers come joined by commas. */
export function namedExtensions(value: string | undefined): string[] {
  return [...new Set((value ?? '').split(',').map((uri) => uri.trim()))].filter((uri) => uri !== '');
}

/**
 * Those of the URIs that the agent knows, in the order asked; unknown ones are passed over (section 4.6.3). Throws
 * EXTENSION_SUPPORT_REQUIRED where one that the agent requires is not among them.
 */
export function activateExtensions(agent: AgentDefinition, asked: readonly string[]): string[] {
  const known = extensionsOf(agent);
  const missing = known.filter(({ uri, required }) => required === true && !asked.includes(uri));
  if (missing.length > 0) {
    const uris = missing.map(({ uri }) => uri).join(', ');
    throw new A2AError('EXTENSION_SUPPORT_REQUIRED', `This agent requires A2A-Extensions: ${uris}`, {
      metadata: { extensions: uris },
    });
  }
  return asked.filter((uri) => known.some((extension) => extension.uri === uri));
}
