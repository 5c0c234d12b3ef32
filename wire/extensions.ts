/**
 * The protocol extensions that this server adds (C14). They are always on; a client that names them in
 * `A2A-Extensions` is told that they are active.
 */
export interface Extension {
  uri: string;
  description: string;
}

export const RESUMABLE_STREAMS: Extension = {
  uri: 'urn:a2a-temporal:extension:resumable-streams:v1',
  description:
    'Every stream frame carries an SSE id, a sequence number in its task. Sent back as Last-Event-ID on ' +
    'SubscribeToTask or SendStreamingMessage it continues the stream after that event.',
};

export const IDEMPOTENT_SENDS: Extension = {
  uri: 'urn:a2a-temporal:extension:idempotent-sends:v1',
  description:
    'A send repeated with the same Idempotency-Key header, or to the same task with the same messageId and ' +
    'content, is answered from the first one and runs nothing twice.',
};

export const EXTENSIONS: readonly Extension[] = [RESUMABLE_STREAMS, IDEMPOTENT_SENDS];

/** Those of the requested URIs (a comma-separated header) that this server knows, in the order asked. */
export function activatedExtensions(header: string | undefined): string[] {
  if (header === undefined) return [];
  const asked = new Set(header.split(',').map((uri) => uri.trim()));
  return [...asked].filter((uri) => EXTENSIONS.some((extension) => extension.uri === uri));
}
