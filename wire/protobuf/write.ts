import type { Field, Kind, MessageKind } from './message.js';

/**
 * Writes ProtoJSON as a message. Fields that the table does not know are left out; values have the field's type,
 * since they come from a codec.
 */
export function writeMessage(kind: MessageKind, json: object): Buffer {
  const writer = new BackwardWriter();
  writeFields(kind, json as Record<string, unknown>, writer);
  return writer.finish();
}

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;

/**
 * Fills a buffer from its end: a message is written before its length is, so nothing is ever copied to make
 * room for a length, however deep it lies. Hence everything here goes last to first.
 */
class BackwardWriter {
  private buffer = Buffer.allocUnsafe(2_048);
  private start = this.buffer.length;

  /** Bytes so far. */
  get size(): number {
    return this.buffer.length - this.start;
  }

  finish(): Buffer {
    return this.buffer.subarray(this.start);
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  /** Of at least zero, within the safe integers. */
  varint(value: number): void {
    let length = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length += 1;
    let at = this.room(length);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.buffer[at++] = (rest % 128) | 128;
    this.buffer[at] = rest;
  }

  /** Negative numbers are written as 64 bits. */
  signed(value: number): void {
    if (value >= 0) {
      this.varint(value);
      return;
    }
    let at = this.room(10);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 128n; rest >>= 7n) this.buffer[at++] = Number(rest & 127n) | 128;
    this.buffer[at] = Number(rest);
  }

  double(value: number): void {
    const at = this.room(8);
    this.buffer.writeDoubleLE(value, at);
  }

  string(value: string): void {
    const length = Buffer.byteLength(value);
    const at = this.room(length);
    this.buffer.write(value, at, length);
    this.varint(length);
  }

  bytes(value: Buffer): void {
    const at = this.room(value.length);
    value.copy(this.buffer, at);
    this.varint(value.length);
  }

  /** A message, an entry or a list: its content, then its length. */
  delimited(write: () => void): void {
    const before = this.size;
    write();
    this.varint(this.size - before);
  }

  /** Makes room in front of what is there, and gives where it begins. */
  private room(length: number): number {
    if (length > this.start) {
      const size = this.size;
      const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, size + length + 1_024));
      this.buffer.copy(larger, larger.length - size, this.start);
      this.buffer = larger;
      this.start = larger.length - size;
    }
    this.start -= length;
    return this.start;
  }
}

function writeFields(kind: MessageKind, json: Record<string, unknown>, writer: BackwardWriter): void {
  for (let index = kind.fields.length - 1; index >= 0; index -= 1) {
    const field = kind.fields[index]!;
    if (Object.hasOwn(json, field.name)) writeField(field, json[field.name], writer);
  }
}

function writeField(field: Field, value: unknown, writer: BackwardWriter): void {
  const { number, kind, shape } = field;
  if (shape === 'list') {
    for (const item of [...(value as unknown[])].reverse()) writeTagged(number, kind, item, writer);
    return;
  }
  if (shape === 'map') {
    for (const [key, item] of Object.entries(value as object).reverse()) {
      writeEntry(number, key, writer, () => writeTagged(2, kind, item, writer));
    }
    return;
  }
  if (value === undefined || (value === null && kind !== 'value')) return;
  if (field.explicit || (value !== '' && value !== 0 && value !== false)) {
    writeTagged(number, kind, value, writer);
  }
}

function writeEntry(number: number, key: string, writer: BackwardWriter, value: () => void): void {
  writer.delimited(() => {
    value();
    writer.string(key);
    writer.tag(1, DELIMITED);
  });
  writer.tag(number, DELIMITED);
}

function writeTagged(number: number, kind: Kind, value: unknown, writer: BackwardWriter): void {
  if (typeof kind === 'object') {
    if ('names' in kind) {
      writer.varint(Math.max(0, kind.names.indexOf(value as string)));
      writer.tag(number, VARINT);
      return;
    }
    writer.delimited(() => writeFields(kind, value as Record<string, unknown>, writer));
    writer.tag(number, DELIMITED);
    return;
  }
  switch (kind) {
    case 'bool':
    case 'int32':
      writer.signed(Number(value));
      writer.tag(number, VARINT);
      return;
    case 'string':
      writer.string(value as string);
      break;
    case 'bytes':
      writer.bytes(Buffer.from(value as string, 'base64'));
      break;
    case 'timestamp':
      writer.delimited(() => writeTimestamp(value as string, writer));
      break;
    case 'struct':
      writer.delimited(() => writeStruct(value as object, writer));
      break;
    case 'value':
      writer.delimited(() => writeValue(value, writer));
      break;
  }
  writer.tag(number, DELIMITED);
}

function writeTimestamp(iso: string, writer: BackwardWriter): void {
  const millis = Date.parse(iso);
  const seconds = Math.floor(millis / 1_000);
  const nanos = (millis - seconds * 1_000) * 1e6;
  if (nanos !== 0) {
    writer.varint(nanos);
    writer.tag(2, VARINT);
  }
  if (seconds !== 0) {
    writer.signed(seconds);
    writer.tag(1, VARINT);
  }
}

function writeStruct(struct: object, writer: BackwardWriter): void {
  for (const [key, value] of Object.entries(struct).reverse()) {
    writeEntry(1, key, writer, () => {
      writer.delimited(() => writeValue(value, writer));
      writer.tag(2, DELIMITED);
    });
  }
}

function writeValue(value: unknown, writer: BackwardWriter): void {
  if (value === null) {
    writer.varint(0);
    writer.tag(1, VARINT);
  } else if (typeof value === 'number') {
    writer.double(value);
    writer.tag(2, FIXED64);
  } else if (typeof value === 'string') {
    writer.string(value);
    writer.tag(3, DELIMITED);
  } else if (typeof value === 'boolean') {
    writer.varint(Number(value));
    writer.tag(4, VARINT);
  } else if (Array.isArray(value)) {
    writer.delimited(() => {
      for (const item of [...(value as unknown[])].reverse()) {
        writer.delimited(() => writeValue(item, writer));
        writer.tag(1, DELIMITED);
      }
    });
    writer.tag(6, DELIMITED);
  } else {
    writer.delimited(() => writeStruct(value as object, writer));
    writer.tag(5, DELIMITED);
  }
}
