import { TASK_STATES } from '../../core/task.js';
import {
  EXTENSION,
  PROVIDER,
  SECURITY_REQUIREMENT,
  SECURITY_SCHEME,
  SIGNATURE,
  SKILL_FIELDS,
} from '../protobuf/card-messages.js';
import {
  EMPTY,
  enumeration,
  field,
  map,
  message,
  oneof,
  optional,
  repeated,
  type MessageKind,
} from '../protobuf/message.js';
import type { GrpcMethod, GrpcService } from '../protobuf/service.js';

/** The messages and the service of a2a.proto, package `lf.a2a.v1` (specification section 10). */

const TASK_STATE = enumeration('TASK_STATE_UNSPECIFIED', ...TASK_STATES);
const ROLE = enumeration('ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT');

const PART = message({
  ...oneof('content', {
    text: [1, 'string'],
    raw: [2, 'bytes'],
    url: [3, 'string'],
    data: [4, 'value'],
  }),
  metadata: field(5, 'struct'),
  filename: field(6, 'string'),
  mediaType: field(7, 'string'),
});

const MESSAGE = message({
  messageId: field(1, 'string'),
  contextId: field(2, 'string'),
  taskId: field(3, 'string'),
  role: field(4, ROLE),
  parts: repeated(5, PART),
  metadata: field(6, 'struct'),
  extensions: repeated(7, 'string'),
  referenceTaskIds: repeated(8, 'string'),
});

const TASK_STATUS = message({
  state: field(1, TASK_STATE),
  message: field(2, MESSAGE),
  timestamp: field(3, 'timestamp'),
});

const ARTIFACT = message({
  artifactId: field(1, 'string'),
  name: field(2, 'string'),
  description: field(3, 'string'),
  parts: repeated(4, PART),
  metadata: field(5, 'struct'),
  extensions: repeated(6, 'string'),
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
  metadata: field(4, 'struct'),
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
  tenant: field(1, 'string'),
  id: field(2, 'string'),
  taskId: field(3, 'string'),
  url: field(4, 'string'),
  token: field(5, 'string'),
  authentication: field(6, message({ scheme: field(1, 'string'), credentials: field(2, 'string') })),
});

const SEND_REQUEST = message({
  tenant: field(1, 'string'),
  message: field(2, MESSAGE),
  configuration: field(
    3,
    message({
      acceptedOutputModes: repeated(1, 'string'),
      taskPushNotificationConfig: field(2, PUSH_CONFIG),
      historyLength: optional(3, 'int32'),
      returnImmediately: field(4, 'bool'),
    }),
  ),
  metadata: field(4, 'struct'),
});

const STREAM_RESPONSE = message(
  oneof('payload', {
    task: [1, TASK],
    message: [2, MESSAGE],
    statusUpdate: [3, STATUS_UPDATE],
    artifactUpdate: [4, ARTIFACT_UPDATE],
  }),
);

const LIST_REQUEST = message({
  tenant: field(1, 'string'),
  contextId: field(2, 'string'),
  status: field(3, TASK_STATE),
  // `optional` in the proto, but clients that set every field send 0 and mean "you choose" (C13).
  pageSize: field(4, 'int32'),
  pageToken: field(5, 'string'),
  historyLength: optional(6, 'int32'),
  statusTimestampAfter: field(7, 'timestamp'),
  includeArtifacts: optional(8, 'bool'),
});

const ONE_PUSH_CONFIG = message({
  tenant: field(1, 'string'),
  taskId: field(2, 'string'),
  id: field(3, 'string'),
});

const AGENT_CARD = message({
  name: field(1, 'string'),
  description: field(2, 'string'),
  supportedInterfaces: repeated(
    3,
    message({
      url: field(1, 'string'),
      protocolBinding: field(2, 'string'),
      tenant: field(3, 'string'),
      protocolVersion: field(4, 'string'),
    }),
  ),
  provider: field(4, PROVIDER),
  version: field(5, 'string'),
  documentationUrl: optional(6, 'string'),
  capabilities: field(
    7,
    message({
      streaming: optional(1, 'bool'),
      pushNotifications: optional(2, 'bool'),
      extensions: repeated(3, EXTENSION),
      extendedAgentCard: optional(4, 'bool'),
    }),
  ),
  securitySchemes: map(8, SECURITY_SCHEME),
  securityRequirements: repeated(9, SECURITY_REQUIREMENT),
  defaultInputModes: repeated(10, 'string'),
  defaultOutputModes: repeated(11, 'string'),
  skills: repeated(12, message({ ...SKILL_FIELDS, securityRequirements: repeated(8, SECURITY_REQUIREMENT) })),
  signatures: repeated(13, SIGNATURE),
  iconUrl: optional(14, 'string'),
});

type Method = [request: MessageKind, response: MessageKind, streams?: true];

const METHODS: Record<GrpcMethod['operation'], Method> = {
  SendMessage: [SEND_REQUEST, message(oneof('payload', { task: [1, TASK], message: [2, MESSAGE] }))],
  SendStreamingMessage: [SEND_REQUEST, STREAM_RESPONSE, true],
  GetTask: [
    message({ tenant: field(1, 'string'), id: field(2, 'string'), historyLength: optional(3, 'int32') }),
    TASK,
  ],
  ListTasks: [
    LIST_REQUEST,
    message({
      tasks: repeated(1, TASK),
      nextPageToken: field(2, 'string'),
      pageSize: field(3, 'int32'),
      totalSize: field(4, 'int32'),
    }),
  ],
  CancelTask: [
    message({ tenant: field(1, 'string'), id: field(2, 'string'), metadata: field(3, 'struct') }),
    TASK,
  ],
  SubscribeToTask: [message({ tenant: field(1, 'string'), id: field(2, 'string') }), STREAM_RESPONSE, true],
  CreateTaskPushNotificationConfig: [PUSH_CONFIG, PUSH_CONFIG],
  GetTaskPushNotificationConfig: [ONE_PUSH_CONFIG, PUSH_CONFIG],
  ListTaskPushNotificationConfigs: [
    message({
      tenant: field(4, 'string'),
      taskId: field(1, 'string'),
      pageSize: field(2, 'int32'),
      pageToken: field(3, 'string'),
    }),
    message({ configs: repeated(1, PUSH_CONFIG), nextPageToken: field(2, 'string') }),
  ],
  DeleteTaskPushNotificationConfig: [ONE_PUSH_CONFIG, EMPTY],
  GetExtendedAgentCard: [message({ tenant: field(1, 'string') }), AGENT_CARD],
};

export const V1_SERVICE: GrpcService = {
  dialect: 'v1',
  name: 'lf.a2a.v1.A2AService',
  methods: Object.entries(METHODS).map(([name, [request, response, streams]]) => ({
    name,
    operation: name as GrpcMethod['operation'],
    request,
    response,
    ...(streams && { streams }),
  })),
};
