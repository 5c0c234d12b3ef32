import { A2AError } from '../../core/errors.js';
import type { SendOptions } from '../../core/journal.js';
import type { Message } from '../../core/task.js';

/** All of a send but the content of its parts goes to the agent by way of Temporal, which takes 2 MB at most. */
const ENVELOPE_BYTES = 256 * 1024;

/** What stands for the content of a part that is kept in the journal. */
const REFERENCE_BYTES = 128;

/**
 * Refuses metadata, names, URLs and lists of excessive size while no task exists (C12, X33). The content
 * of parts is bounded by the request's body alone. Throws PAYLOAD_TOO_LARGE.
 */
export function checkEnvelope(message: Message, options: SendOptions): void {
  let bytes = 0;
  const parts = message.parts.map((part) => {
    bytes += REFERENCE_BYTES;
    return { ...part, text: undefined, raw: undefined, data: undefined };
  });
  bytes += Buffer.byteLength(JSON.stringify({ ...message, parts, options }));
  if (bytes <= ENVELOPE_BYTES) return;
  throw new A2AError(
    'PAYLOAD_TOO_LARGE',
    `Beside the content of its parts (text, raw, data) a message may have at most ${ENVELOPE_BYTES} bytes; ` +
      `these are ${bytes}`,
  );
}
