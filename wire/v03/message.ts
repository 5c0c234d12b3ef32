import { z } from 'zod';
import type { Message, Part } from '../../core/task.js';
import type { DecodeLimits } from '../codec.js';
import { compact, freeForm } from '../fields.js';
import { bytes, list, message, optionalString, requiredString, string } from '../protojson.js';
import { unwrapData } from './data.js';
import { messageFields, parts } from './schema.js';

/** A message to an agent as JSON-RPC spells it (section 6.4): `kind`, `role: user`, `parts`. */
export function userMessage(limits: DecodeLimits): z.ZodType<Message> {
  return message({
    kind: z.literal('message', { error: "must be 'message'" }).optional(),
    role: z.literal('user', { error: 'must be user in a message to an agent' }),
    parts: parts(part(limits), limits),
    referenceTaskIds: list(requiredString())
      .max(limits.parts, { error: `must have at most ${limits.parts} entries` })
      .optional(),
    ...messageFields(limits),
  }).transform(({ kind: _, extensions, referenceTaskIds, ...fields }): Message => ({
    ...compact({ ...fields, role: 'ROLE_USER' as const }),
    ...(extensions !== undefined && extensions.length > 0 && { extensions }),
    ...(referenceTaskIds !== undefined && referenceTaskIds.length > 0 && { referenceTaskIds }),
  }));
}

const KINDS = ['text', 'file', 'data'] as const;

/** `kind` says which content counts; 0.3 has no name and media type but those of a file. */
function part(limits: DecodeLimits): z.ZodType<Part> {
  const { struct, value } = freeForm(limits);
  return message(
    {
      kind: z.enum(KINDS, { error: `must be one of ${KINDS.join(', ')}` }),
      text: string().optional(),
      file: file().optional(),
      data: value().optional(),
      metadata: struct().optional(),
    },
    ['data'],
  ).transform(({ kind, metadata, ...content }, context): Part => {
    const given = content[kind];
    if (given === undefined) {
      context.addIssue({ code: 'custom', path: [kind], message: 'is required' });
      return z.NEVER;
    }
    if (kind === 'data') return unwrapData(content.data!, metadata);
    const common = metadata === undefined ? {} : { metadata };
    return kind === 'file' ? { ...content.file!, ...common } : { text: content.text!, ...common };
  });
}

/** Content of a file, by value or by reference. */
export function file() {
  return message({
    bytes: bytes().optional(),
    uri: string().min(1, { error: 'must not be empty' }).optional(),
    mimeType: optionalString(),
    name: optionalString(),
  }).transform(({ bytes, uri, mimeType, name }, context): Part => {
    if ((bytes === undefined) === (uri === undefined)) {
      context.addIssue({ code: 'custom', message: 'must have exactly one of bytes, uri' });
      return z.NEVER;
    }
    const common = compact({ filename: name, mediaType: mimeType });
    return bytes === undefined ? { url: uri!, ...common } : { raw: bytes, ...common };
  });
}
