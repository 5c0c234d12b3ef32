import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { A2AError } from '../../core/errors.js';
import type { Field, Kind, MessageKind } from './message.js';

type Fields = Record<string, unknown>;

/**
 * Free-form JSON below this many levels is left empty instead of being read, so that no input ends the call
 * stack. No setting allows as many, so the codec refuses it by the depth that is left, naming the field.
 */
const DEEPEST = 1_050;

/**
 * Reads a message into ProtoJSON. Unknown fields, and known ones of another wire type, are passed over. Throws
 * PARSE_ERROR for bytes that are no message and for strings that are not UTF-8.
 */
export function readMessage(kind: MessageKind, bytes: Uint8Array): Fields {
  try {
    const reader = new BinaryReader(bytes);
    return readFields(kind, reader, reader.len);
  } catch (cause) {
    throw new A2AError('PARSE_ERROR', 'The message is not valid protobuf', { cause });
  }
}

function readFields(kind: MessageKind, reader: BinaryReader, end: number): Fields {
  const fields: Fields = {};
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = kind.byNumber.get(number);
    if (field === undefined || wireType !== wireTypeOf(field)) reader.skip(wireType, number);
    else readField(kind, field, reader, fields);
  }
  // A length that reaches into what follows.
  if (reader.pos > end) throw new RangeError('a field is longer than its message');
  return fields;
}

function readField(message: MessageKind, field: Field, reader: BinaryReader, fields: Fields): void {
  const { name, kind, shape } = field;
  if (shape === 'map') {
    const entries = (fields[name] ??= {}) as Fields;
    readEntry(reader, (key, value) => setOwn(entries, key, value), kind);
    return;
  }
  const value = readValueOf(kind, reader);
  if (shape === 'list') {
    const list = (fields[name] ??= []) as unknown[];
    list.push(value);
    return;
  }
  // Of a field given twice, and of a oneof, the last one counts.
  if (field.oneof !== undefined) {
    for (const other of message.fields) {
      if (other.oneof === field.oneof) Reflect.deleteProperty(fields, other.name);
    }
  }
  if (field.explicit || !isZero(kind, value)) fields[name] = value;
  else Reflect.deleteProperty(fields, name);
}

/** Whether a field without presence says nothing by this value. */
function isZero(kind: Kind, value: unknown): boolean {
  if (typeof kind === 'object') return 'names' in kind && value === kind.names[0];
  return value === '' || value === 0 || value === false;
}

function wireTypeOf({ kind, shape }: Field): WireType {
  if (shape === 'map') return WireType.LengthDelimited;
  const varint = kind === 'bool' || kind === 'int32' || (typeof kind === 'object' && 'names' in kind);
  return varint ? WireType.Varint : WireType.LengthDelimited;
}

function readValueOf(kind: Kind, reader: BinaryReader): unknown {
  if (typeof kind === 'object') {
    if ('fields' in kind) return readFields(kind, reader, endOf(reader));
    const number = reader.int32();
    // An unknown one stays a number, which the codec refuses.
    return kind.names[number] ?? number;
  }
  switch (kind) {
    case 'string':
      return reader.string(true);
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'bytes':
      return base64(reader.bytes());
    case 'timestamp':
      return readTimestamp(reader, endOf(reader));
    case 'struct':
      return readStruct(reader, endOf(reader), 1);
    case 'value':
      return readValue(reader, endOf(reader), 1);
  }
}

/** The end of the message whose length comes next. */
function endOf(reader: BinaryReader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('a message is longer than what it came in');
  return end;
}

function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

function readTimestamp(reader: BinaryReader, end: number): string {
  let seconds = 0;
  let nanos = 0;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.Varint) seconds = Number(reader.int64());
    else if (number === 2 && wireType === WireType.Varint) nanos = reader.int32();
    else reader.skip(wireType, number);
  }
  const date = new Date(seconds * 1_000 + Math.floor(nanos / 1e6));
  // Some clients count the nanoseconds backwards before 1970.
  const valid = Math.abs(nanos) < 1e9 && Number.isFinite(date.getTime());
  // What is no time, or not within years 1 to 9999, is for the codec to refuse.
  return valid ? date.toISOString() : 'out of range';
}

function readStruct(reader: BinaryReader, end: number, depth: number): Fields {
  const struct: Fields = {};
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) {
      readEntry(reader, (key, value) => setOwn(struct, key, value), 'value', depth + 1);
    } else {
      reader.skip(wireType, number);
    }
  }
  return struct;
}

/** An entry of a map. A value that is missing is null, or an empty message. */
function readEntry(
  reader: BinaryReader,
  set: (key: string, value: unknown) => void,
  kind: Kind,
  depth = 1,
): void {
  const end = endOf(reader);
  let key = '';
  let value: unknown = kind === 'value' ? null : kind === 'string' ? '' : {};
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) key = reader.string(true);
    else if (number === 2 && wireType === WireType.LengthDelimited) {
      value = kind === 'value' ? readValue(reader, endOf(reader), depth) : readValueOf(kind, reader);
    } else reader.skip(wireType, number);
  }
  set(key, value);
}

/** A Value in which nothing is set is null. */
function readValue(reader: BinaryReader, end: number, depth: number): unknown {
  let value: unknown = null;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.Varint) {
      reader.int32();
      value = null;
    } else if (number === 2 && wireType === WireType.Bit64) value = reader.double();
    else if (number === 3 && wireType === WireType.LengthDelimited) value = reader.string(true);
    else if (number === 4 && wireType === WireType.Varint) value = reader.bool();
    else if (number === 5 && wireType === WireType.LengthDelimited) {
      value = nested(reader, {}, (inner) => readStruct(reader, inner, depth), depth);
    } else if (number === 6 && wireType === WireType.LengthDelimited) {
      value = nested(reader, [], (inner) => readList(reader, inner, depth), depth);
    } else reader.skip(wireType, number);
  }
  return value;
}

function nested(reader: BinaryReader, empty: unknown, read: (end: number) => unknown, depth: number) {
  const end = endOf(reader);
  if (depth <= DEEPEST) return read(end);
  reader.pos = end;
  return empty;
}

function readList(reader: BinaryReader, end: number, depth: number): unknown[] {
  const list: unknown[] = [];
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (number === 1 && wireType === WireType.LengthDelimited) {
      list.push(readValue(reader, endOf(reader), depth + 1));
    } else {
      reader.skip(wireType, number);
    }
  }
  return list;
}

/** An own property whatever its name, as JSON.parse makes it; assigning `__proto__` would not. */
function setOwn(object: Fields, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
