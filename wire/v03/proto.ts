import { TASK_STATES } from '../../core/task.js';
import {
  EXTENSION,
  PROVIDER,
  SECURITY_REQUIREMENT,
  SECURITY_SCHEME,
  SIGNATURE,
  SKILL_FIELDS,
} from '../protobuf/card-messages.js';
import { EMPTY, enumeration, field, map, message, oneof, repeated } from '../protobuf/message.js';
import type { GrpcService } from '../protobuf/service.js';
import { protoSecurity } from './proto-security.js';
import { configName, taskName, taskParent } from './resource-names.js';

/** The messages and the service of 0.3's a2a.proto, package `a2a.v1`. JSON names are the proto's own. */

const TASK_STATE = enumeration(
  'TASK_STATE_UNSPECIFIED',
  // With two Ls here.
  ...TASK_STATES.map((state) => (state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state)),
);

const PART = message({
  ...oneof('part', {
    text: [1, 'string'],
    file: [
      2,
      message({
        ...oneof('file', { fileWithUri: [1, 'string'], fileWithBytes: [2, 'bytes'] }),
        mimeType: field(3, 'string'),
        name: field(4, 'string'),
      }),
    ],
    data: [3, message({ data: field(1, 'struct') })],
  }),
  metadata: field(4, 'struct'),
});

const MESSAGE = message({
  messageId: field(1, 'string'),
  contextId: field(2, 'string'),
  taskId: field(3, 'string'),
  role: field(4, enumeration('ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT')),
  content: repeated(5, PART),
  metadata: field(6, 'struct'),
  extensions: repeated(7, 'string'),
});

const TASK_STATUS = message({
  state: field(1, TASK_STATE),
  message: field(2, MESSAGE),
  timestamp: field(3, 'timestamp'),
});

const ARTIFACT = message({
  artifactId: field(1, 'string'),
  name: field(3, 'string'),
  description: field(4, 'string'),
  parts: repeated(5, PART),
  metadata: field(6, 'struct'),
  extensions: repeated(7, 'string'),
});

const TASK = message({
  id: field(1, 'string'),
  contextId: field(2, 'string'),
  status: field(3, TASK_STATUS),
  artifacts: repeated(4, ARTIFACT),
  history: repeated(5, MESSAGE),
  metadata: field(6, 'struct'),
});

const STATUS_UPDATE = message({
  taskId: field(1, 'string'),
  contextId: field(2, 'string'),
  status: field(3, TASK_STATUS),
  final: field(4, 'bool'),
  metadata: field(5, 'struct'),
});

const ARTIFACT_UPDATE = message({
  taskId: field(1, 'string'),
  contextId: field(2, 'string'),
  artifact: field(3, ARTIFACT),
  append: field(4, 'bool'),
  lastChunk: field(5, 'bool'),
  metadata: field(6, 'struct'),
});

const PUSH_CONFIG = message({
  id: field(1, 'string'),
  url: field(2, 'string'),
  token: field(3, 'string'),
  authentication: field(4, message({ schemes: repeated(1, 'string'), credentials: field(2, 'string') })),
});

const TASK_PUSH_CONFIG = message({ name: field(1, 'string'), pushNotificationConfig: field(2, PUSH_CONFIG) });

const SEND_REQUEST = message({
  message: field(1, MESSAGE),
  configuration: field(
    2,
    message({
      acceptedOutputModes: repeated(1, 'string'),
      pushNotification: field(2, PUSH_CONFIG),
      historyLength: field(3, 'int32'),
      blocking: field(4, 'bool'),
    }),
  ),
  metadata: field(3, 'struct'),
});

const STREAM_RESPONSE = message(
  oneof('payload', {
    task: [1, TASK],
    message: [2, MESSAGE],
    statusUpdate: [3, STATUS_UPDATE],
    artifactUpdate: [4, ARTIFACT_UPDATE],
  }),
);

const AGENT_CARD = message({
  name: field(1, 'string'),
  description: field(2, 'string'),
  url: field(3, 'string'),
  provider: field(4, PROVIDER),
  version: field(5, 'string'),
  documentationUrl: field(6, 'string'),
  capabilities: field(
    7,
    message({
      streaming: field(1, 'bool'),
      pushNotifications: field(2, 'bool'),
      extensions: repeated(3, EXTENSION),
    }),
  ),
  securitySchemes: map(8, SECURITY_SCHEME),
  security: repeated(9, SECURITY_REQUIREMENT),
  defaultInputModes: repeated(10, 'string'),
  defaultOutputModes: repeated(11, 'string'),
  skills: repeated(12, message({ ...SKILL_FIELDS, security: repeated(8, SECURITY_REQUIREMENT) })),
  supportsAuthenticatedExtendedCard: field(13, 'bool'),
  preferredTransport: field(14, 'string'),
  additionalInterfaces: repeated(15, message({ url: field(1, 'string'), transport: field(2, 'string') })),
  protocolVersion: field(16, 'string'),
  signatures: repeated(17, SIGNATURE),
});

const NAMED = message({ name: field(1, 'string') });

export const V03_SERVICE: GrpcService = {
  dialect: 'v03-proto',
  name: 'a2a.v1.A2AService',
  methods: [
    {
      name: 'SendMessage',
      operation: 'SendMessage',
      request: SEND_REQUEST,
      response: message(oneof('payload', { task: [1, TASK], message: [2, MESSAGE] })),
    },
    {
      name: 'SendStreamingMessage',
      operation: 'SendStreamingMessage',
      request: SEND_REQUEST,
      response: STREAM_RESPONSE,
      streams: true,
    },
    {
      name: 'GetTask',
      operation: 'GetTask',
      request: message({ name: field(1, 'string'), historyLength: field(2, 'int32') }),
      response: TASK,
      params: taskName,
    },
    { name: 'CancelTask', operation: 'CancelTask', request: NAMED, response: TASK, params: taskName },
    {
      name: 'TaskSubscription',
      operation: 'SubscribeToTask',
      request: NAMED,
      response: STREAM_RESPONSE,
      streams: true,
      params: taskName,
    },
    {
      name: 'CreateTaskPushNotificationConfig',
      operation: 'CreateTaskPushNotificationConfig',
      request: message({
        parent: field(1, 'string'),
        configId: field(2, 'string'),
        config: field(3, TASK_PUSH_CONFIG),
      }),
      response: TASK_PUSH_CONFIG,
      params: (fields) => taskParent(fields, 'taskId'),
    },
    {
      name: 'GetTaskPushNotificationConfig',
      operation: 'GetTaskPushNotificationConfig',
      request: NAMED,
      response: TASK_PUSH_CONFIG,
      params: configName,
    },
    {
      name: 'ListTaskPushNotificationConfig',
      operation: 'ListTaskPushNotificationConfigs',
      request: message({
        parent: field(1, 'string'),
        pageSize: field(2, 'int32'),
        pageToken: field(3, 'string'),
      }),
      response: message({ configs: repeated(1, TASK_PUSH_CONFIG), nextPageToken: field(2, 'string') }),
      params: (fields) => taskParent(fields, 'id'),
    },
    {
      name: 'DeleteTaskPushNotificationConfig',
      operation: 'DeleteTaskPushNotificationConfig',
      request: NAMED,
      response: EMPTY,
      params: configName,
    },
    {
      name: 'GetAgentCard',
      operation: 'GetExtendedAgentCard',
      request: EMPTY,
      response: AGENT_CARD,
      answer: protoSecurity,
    },
  ],
};
