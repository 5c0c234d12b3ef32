import { A2AError } from '../core/errors.js';
import type { CardShape } from './cards.js';
import { httpError, type ErrorTableVersion } from './errors.js';
import type { Operation } from './requests.js';
import { v03ErrorText, v03HttpError } from './v03/errors.js';

/**
 * Which dialect a call speaks, as data: a JSON-RPC method name names its dialect, an HTTP path prefix
 * does too, and the version header may only agree (C07). A new dialect is a codec and a row here.
 */
export type DialectName = 'v1' | 'v03' | 'v03-proto' | 'agentic' | 'draft' | 'gateway';

export interface Dialect {
  name: DialectName;
  /** Major.Minor, as in the A2A-Version header. */
  version: string;
  /** The shape of its agent cards. */
  card: CardShape;
  /** JSON-RPC method name → operation. */
  methods: Readonly<Record<string, Operation>>;
  /** Its callers choose the ids of their tasks. Methods that others have too are its own for such an id only. */
  chosenIds?: boolean;
  /** Its calls name their agent beside the method, and by that are known. */
  agentCode?: boolean;
  /** What its receivers of webhooks are told, and in whose words. */
  webhook: { codec: DialectName; of: 'event' | 'task' };
  /** The body of an error over HTTP+JSON. */
  httpError: (error: A2AError, version: ErrorTableVersion) => object;
  /** What an error says over gRPC. Default: its message. */
  grpcErrorText?: (error: A2AError) => string;
  /** Whose statuses its errors over HTTP+JSON have. Default: those of the server's setting. */
  errorTable?: ErrorTableVersion;
}

const V03_METHODS: Dialect['methods'] = {
  'message/send': 'SendMessage',
  'message/stream': 'SendStreamingMessage',
  'tasks/get': 'GetTask',
  'tasks/cancel': 'CancelTask',
  'tasks/resubscribe': 'SubscribeToTask',
  'tasks/pushNotificationConfig/set': 'CreateTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/get': 'GetTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/list': 'ListTaskPushNotificationConfigs',
  'tasks/pushNotificationConfig/delete': 'DeleteTaskPushNotificationConfig',
  'agent/getAuthenticatedExtendedCard': 'GetExtendedAgentCard',
};

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  v1: {
    name: 'v1',
    version: '1.0',
    // 1.0 says what happened, as a stream does (section 4.3.3); those before it give the whole task.
    webhook: { codec: 'v1', of: 'event' },
    card: '1.0',
    httpError,
    methods: {
      SendMessage: 'SendMessage',
      SendStreamingMessage: 'SendStreamingMessage',
      GetTask: 'GetTask',
      ListTasks: 'ListTasks',
      CancelTask: 'CancelTask',
      SubscribeToTask: 'SubscribeToTask',
      CreateTaskPushNotificationConfig: 'CreateTaskPushNotificationConfig',
      GetTaskPushNotificationConfig: 'GetTaskPushNotificationConfig',
      ListTaskPushNotificationConfigs: 'ListTaskPushNotificationConfigs',
      DeleteTaskPushNotificationConfig: 'DeleteTaskPushNotificationConfig',
      GetExtendedAgentCard: 'GetExtendedAgentCard',
    },
  },
  v03: {
    name: 'v03',
    version: '0.3',
    webhook: { codec: 'v03', of: 'task' },
    card: '0.3',
    httpError: v03HttpError,
    methods: V03_METHODS,
  },
  // 0.3 where it is not JSON-RPC: the same operations in the JSON of its a2a.proto. Webhooks have one JSON.
  'v03-proto': {
    name: 'v03-proto',
    version: '0.3',
    webhook: { codec: 'v03', of: 'task' },
    card: '0.3-proto',
    httpError: v03HttpError,
    grpcErrorText: v03ErrorText,
    methods: {},
  },
  // Spoken below /v2/agentic only, where a conflict is always 409 (D05).
  agentic: {
    name: 'agentic',
    version: '1.0',
    webhook: { codec: 'agentic', of: 'event' },
    card: '1.0',
    httpError,
    errorTable: '1.0.0',
    methods: {},
  },
  // The drafts of spring 2025, which were published as 0.1 (D03).
  draft: {
    name: 'draft',
    webhook: { codec: 'draft', of: 'task' },
    version: '0.1',
    card: 'draft',
    httpError: v03HttpError,
    chosenIds: true,
    methods: {
      'tasks/send': 'SendMessage',
      'tasks/sendSubscribe': 'SendStreamingMessage',
      'tasks/get': 'GetTask',
      'tasks/cancel': 'CancelTask',
      'tasks/resubscribe': 'SubscribeToTask',
      'tasks/pushNotification/set': 'CreateTaskPushNotificationConfig',
      'tasks/pushNotification/get': 'GetTaskPushNotificationConfig',
    },
  },
  // D04.
  gateway: {
    name: 'gateway',
    webhook: { codec: 'gateway', of: 'task' },
    version: '0.3',
    card: '0.3',
    httpError: v03HttpError,
    agentCode: true,
    methods: V03_METHODS,
  },
};

export const SUPPORTED_VERSIONS: readonly string[] = [
  ...new Set(Object.values(DIALECTS).map(({ version }) => version)),
];

/** Method names are looked up in Maps, so that `toString` and `__proto__` are only unknown methods. */
const METHODS = new Map(
  Object.values(DIALECTS).map(({ name, methods }) => [name, new Map(Object.entries(methods))]),
);

/** What a JSON-RPC call shows of its dialect beside the method. */
export interface CallMarks {
  /** The only dialect that its address speaks. */
  only?: DialectName | undefined;
  /** Whether it names its agent. */
  agentCode?: boolean;
}

export interface Classified {
  dialect: DialectName;
  operation: Operation;
  /** Speaks instead where the caller chose the id that the call is about. */
  ofChosenId?: DialectName;
}

/** The dialect and operation of a JSON-RPC call. Throws METHOD_NOT_FOUND. */
export function classifyMethod(method: string, { only, agentCode = false }: CallMarks = {}): Classified {
  const found: Classified[] = Object.values(DIALECTS)
    .filter((dialect) => (only ? dialect.name === only : (dialect.agentCode ?? false) === agentCode))
    .flatMap(({ name: dialect }) => {
      const operation = METHODS.get(dialect)?.get(method);
      return operation === undefined ? [] : [{ dialect, operation }];
    });
  const [first, ...others] = found;
  if (first === undefined) throw new A2AError('METHOD_NOT_FOUND', 'Method not found');
  const chosen = others.find(({ dialect }) => DIALECTS[dialect].chosenIds);
  return chosen === undefined ? first : { ...first, ofChosenId: chosen.dialect };
}

/** The version that a caller asked for, from the header or the query parameter of the same name. */
export interface VersionRequest {
  header?: string | undefined;
  /** One value, or several where the parameter was repeated. */
  query?: readonly string[] | undefined;
}

/** The different versions that a request names: none where it names none. The header wins over the parameter. */
export function versionsOf({ header, query }: VersionRequest): readonly string[] {
  // Node.js joins a repeated header with commas.
  const given = [header?.split(',') ?? [], query ?? []].map((values) => [
    ...new Set(values.map((value) => value.trim()).filter((value) => value !== '')),
  ]);
  return given.find((values) => values.length > 0) ?? [];
}

/**
 * Holds a version request against the dialect that the method or path has chosen already (section 3.6,
 * C07). Absent and empty agree with any dialect, unless `strict`, where they mean 0.3 as the
 * specification says. The patch number is ignored. Where header and query differ the header wins; a
 * header or parameter that is repeated with different values agrees with nothing.
 */
export function checkVersion(dialect: DialectName, request: VersionRequest, strict: boolean): void {
  const given = versionsOf(request);
  const wanted = given.length > 0 ? given.join(', ') : strict ? '0.3' : undefined;
  if (wanted === undefined) return;
  const [, majorMinor] = /^(\d{1,4}\.\d{1,4})(?:\.\d{1,9})?$/.exec(wanted) ?? [];
  if (majorMinor === DIALECTS[dialect].version) return;
  throw new A2AError(
    'VERSION_NOT_SUPPORTED',
    `This operation is not offered in the requested A2A version; supported: ${SUPPORTED_VERSIONS.join(', ')}`,
    { metadata: { requestedVersion: wanted.slice(0, 64), supportedVersions: SUPPORTED_VERSIONS.join(',') } },
  );
}
