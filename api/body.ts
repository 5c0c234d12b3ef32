import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { A2AError } from '../core/errors.js';

const MEDIA_TYPES = new Set(['application/json', 'application/a2a+json']);
const CHARSETS = new Set(['utf-8', 'utf8', 'us-ascii']);

/** Whether the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * JSON only: `application/json` or `application/a2a+json`, in UTF-8, as it is. Throws
 * CONTENT_TYPE_NOT_SUPPORTED.
 */
export function checkContentType({ headers }: IncomingMessage): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((text) => text.trim());
  if (!MEDIA_TYPES.has(type.toLowerCase())) {
    throw new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'The content type must be application/json');
  }
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.toLowerCase().split('=');
    if (name === 'charset' && !CHARSETS.has(value.replaceAll('"', ''))) {
      throw new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'The charset must be UTF-8');
    }
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'Compressed request bodies are not supported');
  }
}

/**
 * The body as JSON; undefined where it is empty. Throws PAYLOAD_TOO_LARGE above `limit` bytes, the rest
 * of the body is then discarded as it comes, and PARSE_ERROR for what is not UTF-8 or not JSON. Of a
 * key given twice the last one counts.
 */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new A2AError('PARSE_ERROR', 'The body is not valid UTF-8');
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new A2AError('PARSE_ERROR', 'Invalid JSON payload');
  }
}

function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (settle: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      settle();
    };
    const tooLarge = () =>
      finish(() => {
        request.resume();
        reject(new A2AError('PAYLOAD_TOO_LARGE', `The request body may have at most ${limit} bytes`));
      });
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) tooLarge();
      else chunks.push(chunk);
    };
    const onEnd = () => finish(() => resolve(Buffer.concat(chunks, size)));
    const onGone = () => finish(() => reject(new A2AError('INVALID_REQUEST', 'The request body broke off')));
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      tooLarge();
      return;
    }
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
