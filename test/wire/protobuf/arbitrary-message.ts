import fc from 'fast-check';
import type { Field, Kind, MessageKind } from '../../../wire/protobuf/message.js';

/** Any ProtoJSON that the table can express, as it is read again: without fields that say nothing. */
export function jsonOf(kind: MessageKind): fc.Arbitrary<Record<string, unknown>> {
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  const oneofs = new Map<string, Field[]>();
  for (const field of kind.fields) {
    if (field.oneof === undefined) fields[field.name] = absentOr(ofField(field));
    else oneofs.set(field.oneof, [...(oneofs.get(field.oneof) ?? []), field]);
  }
  const choices = [...oneofs.values()].map((members) =>
    fc.oneof(
      ...members.map(({ name, kind: member }) => valueOf(member, true).map((value) => ({ [name]: value }))),
    ),
  );
  return fc
    .tuple(fc.record(fields), ...choices)
    .map(([plain, ...chosen]) => withoutAbsent(Object.assign({}, plain, ...chosen) as object));
}

function ofField({ kind, shape, explicit }: Field): fc.Arbitrary<unknown> {
  if (shape === 'list') return fc.array(valueOf(kind, true), { minLength: 1, maxLength: 3 });
  if (shape === 'map') {
    return fc.dictionary(key, valueOf(kind, true), { minKeys: 1, maxKeys: 3 });
  }
  return valueOf(kind, explicit);
}

// The SDK's classes lose a key named __proto__; ours are tried with it elsewhere.
const key = fc.string().filter((name) => name !== '__proto__');
const text = fc.string({ unit: 'grapheme' });

function valueOf(kind: Kind, zeros: boolean): fc.Arbitrary<unknown> {
  if (typeof kind === 'object') {
    return 'names' in kind ? fc.constantFrom(...kind.names.slice(zeros ? 0 : 1)) : jsonOf(kind);
  }
  switch (kind) {
    case 'string':
      return zeros ? text : text.filter((value) => value !== '');
    case 'bool':
      return zeros ? fc.boolean() : fc.constant(true);
    case 'int32':
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).filter((value) => zeros || value !== 0);
    case 'bytes':
      return fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'timestamp':
      return fc
        .date({
          min: new Date('0001-01-01T00:00:00Z'),
          max: new Date('9999-12-31T23:59:59Z'),
          noInvalidDate: true,
        })
        .map((date) => date.toISOString());
    case 'struct':
      return fc.dictionary(key, json);
    case 'value':
      // The SDK's fromJSON takes null data for none.
      return json.filter((value) => value !== null);
  }
}

const json = fc
  .jsonValue({ maxDepth: 3 })
  // -0 and 0 are one number in JSON.
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as unknown);

function absentOr(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.option(value, { nil: undefined });
}

function withoutAbsent(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
