import * as sdk from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Kind, MessageKind } from '../../../wire/protobuf/message.js';
import { readMessage } from '../../../wire/protobuf/read.js';
import { writeMessage } from '../../../wire/protobuf/write.js';
import { V1_SERVICE } from '../../../wire/v1/proto.js';
import { jsonOf } from './arbitrary-message.js';

interface SdkMethod {
  path: string;
  requestStream: boolean;
  responseStream: boolean;
  requestSerialize: (value: unknown) => Buffer;
  requestDeserialize: (bytes: Buffer) => unknown;
  responseSerialize: (value: unknown) => Buffer;
  responseDeserialize: (bytes: Buffer) => unknown;
}

/** ProtoJSON of the SDK's generated classes, by the name of their message. */
interface Generated {
  fromJSON(json: unknown): unknown;
  toJSON(value: unknown): unknown;
}

const methods = A2AService as unknown as Record<string, SdkMethod>;
const generated = sdk as unknown as Record<string, Generated>;

const MESSAGES: Record<string, [request: string, response: string | undefined]> = {
  SendMessage: ['SendMessageRequest', 'SendMessageResponse'],
  SendStreamingMessage: ['SendMessageRequest', 'StreamResponse'],
  GetTask: ['GetTaskRequest', 'Task'],
  ListTasks: ['ListTasksRequest', 'ListTasksResponse'],
  CancelTask: ['CancelTaskRequest', 'Task'],
  SubscribeToTask: ['SubscribeToTaskRequest', 'StreamResponse'],
  CreateTaskPushNotificationConfig: ['TaskPushNotificationConfig', 'TaskPushNotificationConfig'],
  GetTaskPushNotificationConfig: ['GetTaskPushNotificationConfigRequest', 'TaskPushNotificationConfig'],
  ListTaskPushNotificationConfigs: [
    'ListTaskPushNotificationConfigsRequest',
    'ListTaskPushNotificationConfigsResponse',
  ],
  DeleteTaskPushNotificationConfig: ['DeleteTaskPushNotificationConfigRequest', undefined],
  GetExtendedAgentCard: ['GetExtendedAgentCardRequest', 'AgentCard'],
};

describe('the tables of 1.0 against the official SDK', () => {
  test('C13 the methods are those of the SDK', () => {
    const ours = V1_SERVICE.methods.map(({ name, streams }) => [
      `/${V1_SERVICE.name}/${name}`,
      streams ?? false,
    ]);
    const theirs = Object.values(methods).map(({ path, responseStream }) => [path, responseStream]);
    expect(ours.sort()).toEqual(theirs.sort());
  });

  for (const { name, request, response } of V1_SERVICE.methods) {
    const method = methods[name.charAt(0).toLowerCase() + name.slice(1)]!;
    const [requestName, responseName] = MESSAGES[name]!;

    test(`C13 ${name}: the SDK's request is read as the SDK writes it`, () => {
      const { fromJSON } = generated[requestName]!;
      fc.assert(
        fc.property(jsonOf(request), (json) => {
          expect(readMessage(request, method.requestSerialize(fromJSON(json)))).toEqual(json);
        }),
      );
    });

    if (responseName === undefined) continue;
    test(`C13 ${name}: the SDK reads the answer as it was`, () => {
      const { toJSON, fromJSON } = generated[responseName]!;
      fc.assert(
        fc.property(jsonOf(response), (json) => {
          const seen = method.responseDeserialize(writeMessage(response, json));
          expect(toJSON(seen)).toEqual(toJSON(fromJSON(json)));
        }),
      );
    });
  }
});

describe('what the SDK cannot say', () => {
  const kind = (value: Kind): MessageKind => ({
    fields: [{ name: 'value', number: 1, kind: value, shape: 'single', explicit: true, oneof: undefined }],
    byNumber: new Map(),
  });
  test.each(['value', 'struct'] as const)('C11 %s: any JSON, __proto__ included, comes back', (type) => {
    const { fields } = kind(type);
    const table = { fields, byNumber: new Map(fields.map((one) => [one.number, one])) };
    fc.assert(
      fc.property(fc.json(), fc.string({ unit: 'binary' }), (text, key) => {
        const inner = JSON.parse(text) as unknown;
        const json = JSON.parse(`{"__proto__":${text},"constructor":${text}}`) as object;
        Object.defineProperty(json, key, {
          value: inner,
          enumerable: true,
          configurable: true,
          writable: true,
        });
        const back = readMessage(table, writeMessage(table, { value: json }));
        // -0 is a number that JSON text has no need to keep apart.
        expect(JSON.stringify(back)).toBe(JSON.stringify({ value: json }));
        expect(Object.getPrototypeOf((back as { value: object }).value)).toBe(Object.prototype);
      }),
    );
  });
});
