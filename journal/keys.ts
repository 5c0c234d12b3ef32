import { createHash } from 'node:crypto';
import type { Entry } from '../core/journal.js';
import type { Artifact, Message } from '../core/task.js';

/** JSON with the keys of every object in order, so that equal content is equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    const sorted: [string, unknown][] = Object.entries(inner).sort(([a], [b]) =>
      a < b ? -1 : a > b ? 1 : 0,
    );
    // Not by assignment: `__proto__` is a key like any other.
    return Object.fromEntries(sorted);
  });
}

/** SHA-256 in base64url: 43 characters. */
export function hash(...parts: string[]): string {
  const sha = createHash('sha256');
  for (const part of parts) sha.update(part).update('\0');
  return sha.digest('base64url');
}

/** What a client says, without the ids that it or we gave to it (A20). */
export function contentHash(message: Message): string {
  const { messageId: _message, taskId: _task, contextId: _context, ...content } = message;
  return hash(canonicalJson(content));
}

/** The workflow takes each delivery once. */
export function deliveryKey(message: Message): string {
  return hash(message.messageId, contentHash(message));
}

/**
 * The keys of a run's next entries: each a hash of the one before, the entry's kind and its content
 * without times and ids. Big content should be a blob by now, whose id is a hash of it.
 */
export function entryKeys(prevKey: string, entries: readonly Entry[]): string[] {
  let last = prevKey;
  return entries.map((entry) => (last = hash(last, entry.kind, canonicalJson(contentOf(entry)))));
}

/** Events that an entry brings with it have keys that follow from the entry's own. */
export function attendantKey(key: string, position: number): string {
  return `${key}:${position}`;
}

function contentOf(entry: Entry): unknown {
  switch (entry.kind) {
    case 'status':
      return [entry.state, entry.message, entry.metadata];
    case 'artifact':
      return [withoutId(entry.artifact), entry.append, entry.lastChunk];
    case 'close':
      return [entry.metadata];
    case 'message':
      return entry.message;
    case 'received': {
      const { messageId: _message, taskId: _task, contextId: _context, ...content } = entry.message;
      return content;
    }
    case 'metadata':
      return entry.metadata;
  }
}

function withoutId(artifact: Artifact): Omit<Artifact, 'artifactId'> {
  const { artifactId: _id, ...content } = artifact;
  return content;
}
