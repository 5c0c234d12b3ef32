import { z } from 'zod';
import type { Message, Part } from '../../core/task.js';
import type { DecodeLimits } from '../codec.js';
import { compact, freeForm } from '../fields.js';
import { bytes, enumeration, message, optionalString, string } from '../protojson.js';
import { unwrapData } from './data.js';
import { messageFields, parts } from './schema.js';

/** A message to an agent in the ProtoJSON of 0.3: `ROLE_USER`, `content`. It names no reference tasks. */
export function userMessage(limits: DecodeLimits): z.ZodType<Message> {
  return message({
    role: enumeration(['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT']).refine(
      (role) => role === 'ROLE_USER',
      { error: 'must be ROLE_USER in a message to an agent' },
    ),
    content: parts(part(limits), limits),
    ...messageFields(limits),
  }).transform(({ content, extensions, ...fields }): Message => ({
    ...compact({ ...fields, role: 'ROLE_USER' as const, parts: content }),
    ...(extensions !== undefined && extensions.length > 0 && { extensions }),
  }));
}

const CONTENT = ['text', 'file', 'data'] as const;

/** `metadata`, and a file's `name`, came with a later 0.3 than the first; older clients send neither. */
function part(limits: DecodeLimits): z.ZodType<Part> {
  const { struct } = freeForm(limits);
  return message({
    text: string().optional(),
    file: file().optional(),
    data: message({ data: struct().optional() }).optional(),
    metadata: struct().optional(),
  }).transform(({ metadata, text, file, data }, context): Part => {
    const given = [text, file, data].filter((content) => content !== undefined);
    if (given.length !== 1) {
      context.addIssue({ code: 'custom', message: `must have exactly one of ${CONTENT.join(', ')}` });
      return z.NEVER;
    }
    if (data !== undefined) return unwrapData(data.data ?? {}, metadata);
    return { ...(file ?? { text: text! }), ...(metadata !== undefined && { metadata }) };
  });
}

/** An empty URI is an absent one: some clients always send both. */
function file() {
  return message({
    fileWithBytes: bytes().optional(),
    fileWithUri: optionalString(),
    mimeType: optionalString(),
    name: optionalString(),
  }).transform(({ fileWithBytes, fileWithUri, mimeType, name }, context): Part => {
    if ((fileWithBytes === undefined) === (fileWithUri === undefined)) {
      context.addIssue({
        code: 'custom',
        message: 'must have exactly one of fileWithBytes, fileWithUri',
      });
      return z.NEVER;
    }
    const common = compact({ filename: name, mediaType: mimeType });
    return fileWithBytes === undefined ? { url: fileWithUri!, ...common } : { raw: fileWithBytes, ...common };
  });
}
