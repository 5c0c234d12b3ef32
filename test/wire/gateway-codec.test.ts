import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGatewayCodec } from '../../wire/gateway/codec.js';
import { createV03Codec } from '../../wire/v03/codec.js';
import * as any from './arbitraries.js';

const limits = { parts: 10, depth: 10 };
const codec = createGatewayCodec(limits);
const v03 = createV03Codec(limits);

const send = (fields: object) =>
  codec.decode('SendMessage', {
    message: {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'text', text: 'a' }],
      ...fields,
    },
  });

test('D04 answers and frames are those of 0.3', () => {
  fc.assert(
    fc.property(any.task, any.event, fc.boolean(), (task, event, passed) => {
      expect(codec.encodeTask(task)).toBe(v03.encodeTask(task));
      expect(codec.encodeSendResult({ task })).toBe(v03.encodeSendResult({ task }));
      expect(codec.encodeEvent(event, passed)).toBe(v03.encodeEvent(event, passed));
    }),
  );
});

test('D04 only a message with a context and no task may answer an open question', () => {
  expect(send({ contextId: 'c' }).continues).toEqual({ kind: 'question' });
  for (const fields of [{}, { taskId: 't' }, { taskId: 't', contextId: 'c' }]) {
    expect(send(fields)).not.toHaveProperty('continues');
  }
});

test('D04 resubscribe names its task and cursor in its own way', () => {
  const decode = (params: object) => codec.decode('SubscribeToTask', params);
  expect(decode({ taskId: 't', afterSeq: 12 })).toEqual({ id: 't', afterSeq: 12, fromStart: true });
  expect(decode({ taskId: 't' })).toEqual({ id: 't', fromStart: true });
  for (const params of [
    {},
    { id: 't' },
    { taskId: '' },
    { taskId: 't', afterSeq: -1 },
    { taskId: 't', afterSeq: 'x' },
  ]) {
    expect(() => decode(params)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
  }
});
