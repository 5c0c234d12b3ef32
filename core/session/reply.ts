import type { Message } from '../task.js';
import { isMetadata, isObject, isPart } from '../well-formed.js';

/**
 * A reply that came by a Temporal signal, which anybody with the namespace can send and nobody has checked. Undefined
 * where it is no message: a handler that throws would stop the whole workflow.
 */
export function readReply(signalled: unknown): Message | undefined {
  if (!isObject(signalled)) return undefined;
  const { messageId, parts, metadata } = signalled;
  if (typeof messageId !== 'string' || messageId === '') return undefined;
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every(isPart)) return undefined;
  return {
    messageId,
    role: 'ROLE_USER',
    parts,
    ...(isMetadata(metadata) && { metadata }),
  };
}
