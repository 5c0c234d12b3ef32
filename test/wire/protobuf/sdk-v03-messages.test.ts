import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessageKind } from '../../../wire/protobuf/message.js';
import { readMessage } from '../../../wire/protobuf/read.js';
import { writeMessage } from '../../../wire/protobuf/write.js';
import { V03_SERVICE } from '../../../wire/v03/proto.js';
import { jsonOf } from './arbitrary-message.js';

interface SdkMethod {
  path: string;
  responseStream: boolean;
  requestSerialize: (value: unknown) => Buffer;
  requestDeserialize: (bytes: Buffer) => unknown;
  responseSerialize: (value: unknown) => Buffer;
  responseDeserialize: (bytes: Buffer) => unknown;
}

/**
 * Later releases of the 0.3 Python SDK name a file and give a part metadata; the JavaScript SDK has an older copy
 * of the proto. What 1.0 has added to OAuth is in the table that both revisions share.
 */
const NEWER = new Set(['part.metadata', 'file.name', 'flow.deviceCode', '.pkceRequired']);

function asTheSdkKnows(kind: MessageKind): MessageKind {
  const oneof = kind.fields.find((field) => field.oneof !== undefined)?.oneof ?? '';
  const fields = kind.fields
    .filter(({ name }) => !NEWER.has(`${oneof}.${name}`))
    .map((field) =>
      typeof field.kind === 'object' && 'fields' in field.kind
        ? { ...field, kind: asTheSdkKnows(field.kind) }
        : field,
    );
  return { fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
}

const theirs = Object.values(LegacyA2AService as unknown as Record<string, SdkMethod>);

describe('the tables of 0.3 against the official SDK', () => {
  test('C13 the methods are those of the SDK', () => {
    const ours = V03_SERVICE.methods.map(({ name, streams }) => [
      `/${V03_SERVICE.name}/${name}`,
      streams ?? false,
    ]);
    expect(ours.sort()).toEqual(theirs.map(({ path, responseStream }) => [path, responseStream]).sort());
  });

  for (const { name, ...ours } of V03_SERVICE.methods) {
    const request = asTheSdkKnows(ours.request);
    const response = asTheSdkKnows(ours.response);
    const method = theirs.find(({ path }) => path.endsWith(`/${name}`))!;
    test(`C13 ${name}: what the SDK has read and written again is what it was`, () => {
      fc.assert(
        fc.property(jsonOf(request), jsonOf(response), (asked, answered) => {
          const askedAgain = method.requestSerialize(method.requestDeserialize(writeMessage(request, asked)));
          expect(readMessage(request, askedAgain)).toEqual(asked);
          const again = method.responseSerialize(
            method.responseDeserialize(writeMessage(response, answered)),
          );
          expect(readMessage(response, again)).toEqual(answered);
        }),
      );
    });
  }
});
