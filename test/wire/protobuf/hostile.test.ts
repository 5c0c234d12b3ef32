import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { A2AError } from '../../../core/errors.js';
import { readMessage } from '../../../wire/protobuf/read.js';
import { writeMessage } from '../../../wire/protobuf/write.js';
import { createV1Codec } from '../../../wire/v1/codec.js';
import { V1_SERVICE } from '../../../wire/v1/proto.js';

const { request } = V1_SERVICE.methods.find(({ name }) => name === 'SendMessage')!;
const codec = createV1Codec({ parts: 10, depth: 100 });

/** The violation that the codec answers; undefined where it takes the message. */
function violation(bytes: Uint8Array) {
  try {
    codec.decode('SendMessage', readMessage(request, bytes));
    return undefined;
  } catch (error) {
    if (error instanceof A2AError && error.violations.length > 0) return error.violations[0];
    throw error;
  }
}

const send = (part: object) =>
  writeMessage(request, { message: { messageId: 'm', role: 'ROLE_USER', parts: [part] } });

describe('bytes from outside', () => {
  test('C11 any bytes are a message or PARSE_ERROR, never anything else', () => {
    const seed = send({ data: { a: [1, null, { b: 'c' }] }, metadata: { x: true } });
    const mutated = fc
      .array(fc.tuple(fc.nat({ max: seed.length - 1 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 })
      .map((changes) => {
        const bytes = Buffer.from(seed);
        for (const [at, value] of changes) bytes[at] = value;
        return bytes;
      });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), mutated), (bytes) => {
        try {
          readMessage(request, bytes);
        } catch (error) {
          expect(error).toMatchObject({ code: 'PARSE_ERROR' });
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test('C11 text that is not UTF-8 is refused', () => {
    const bytes = send({ text: 'abc' });
    bytes[bytes.indexOf('abc')] = 0xff;
    expect(() => readMessage(request, bytes)).toThrow(expect.objectContaining({ code: 'PARSE_ERROR' }));
  });

  test('C11 a byte order mark is text', () => {
    expect(readMessage(request, send({ text: '\uFEFFa' }))).toMatchObject({
      message: { parts: [{ text: '\uFEFFa' }] },
    });
  });

  test('C12 data as deep as memory allows is refused by name', () => {
    let value = new BinaryWriter().uint32(32).bool(true).finish();
    for (let level = 0; level < 4_000; level += 1) {
      const list = new BinaryWriter().uint32(10).bytes(value).finish();
      value = new BinaryWriter().uint32(50).bytes(list).finish();
    }
    const part = new BinaryWriter().uint32(34).bytes(value).finish();
    const message = new BinaryWriter()
      .uint32(10)
      .string('m')
      .uint32(32)
      .int32(1)
      .uint32(42)
      .bytes(part)
      .finish();
    const bytes = new BinaryWriter().uint32(18).bytes(message).finish();
    expect(violation(bytes)).toEqual({
      field: 'message.parts[0].data',
      description: 'is nested more than 100 levels deep',
    });
  });

  test('C11 numbers that JSON cannot say are refused by name', () => {
    for (const number of [NaN, Infinity, -Infinity]) {
      expect(violation(send({ data: { number } }))?.field).toBe('message.parts[0].data');
    }
  });

  test('C11 numbers outside of an enum, and times outside of the calendar, are refused by name', () => {
    const role = new BinaryWriter().uint32(10).string('m').uint32(32).int32(77).finish();
    expect(violation(new BinaryWriter().uint32(18).bytes(role).finish())?.field).toBe('message.role');
    const { request: list } = V1_SERVICE.methods.find(({ name }) => name === 'ListTasks')!;
    const time = new BinaryWriter().uint32(8).int64('9223372036854775807').finish();
    const bytes = new BinaryWriter().uint32(58).bytes(time).finish();
    expect(() => codec.decode('ListTasks', readMessage(list, bytes))).toThrow(
      expect.objectContaining({ violations: [expect.objectContaining({ field: 'statusTimestampAfter' })] }),
    );
  });

  test('C11 unknown fields are passed over, of two contents the last one counts', () => {
    const part = new BinaryWriter()
      .uint32(10)
      .string('first')
      .uint32(26)
      .string('https://x.example/')
      .finish();
    const message = new BinaryWriter()
      .uint32(10)
      .string('m')
      .uint32(802)
      .string('?')
      .uint32(42)
      .bytes(part)
      .finish();
    const bytes = new BinaryWriter().uint32(800).int32(5).uint32(18).bytes(message).finish();
    expect(readMessage(request, bytes)).toEqual({
      message: { messageId: 'm', parts: [{ url: 'https://x.example/' }] },
    });
  });

  test('C13 a page size of zero is none', () => {
    const { request: list } = V1_SERVICE.methods.find(({ name }) => name === 'ListTasks')!;
    const bytes = new BinaryWriter().uint32(32).int32(0).uint32(48).int32(0).finish();
    expect(readMessage(list, bytes)).toEqual({ historyLength: 0 });
  });

  test('C12 five megabytes, deep down, come back', () => {
    let data: unknown = 'x'.repeat(5_000_000);
    for (let level = 0; level < 90; level += 1) data = { a: data };
    const bytes = send({ data });
    expect(readMessage(request, bytes)).toMatchObject({ message: { parts: [{ data }] } });
  });
});
