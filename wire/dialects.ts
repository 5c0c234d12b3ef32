import { A2AError } from '../core/errors.js';
import { httpError, type ErrorTableVersion } from './errors.js';
import type { Operation } from './requests.js';
import { v03HttpError } from './v03/errors.js';

/**
 * Which dialect a call speaks, as data: a JSON-RPC method name names its dialect, an HTTP path prefix
 * does too, and the version header may only agree (C07). A new dialect is a codec and a row here.
 */
export type DialectName = 'v1' | 'v03' | 'v03-proto' | 'agentic';

export interface Dialect {
  name: DialectName;
  /** Major.Minor, as in the A2A-Version header. */
  version: string;
  /** JSON-RPC method name → operation. */
  methods: Readonly<Record<string, Operation>>;
  /** The body of an error over HTTP+JSON. */
  httpError: (error: A2AError, version: ErrorTableVersion) => object;
  /** Whose statuses its errors over HTTP+JSON have. Default: those of the server's setting. */
  errorTable?: ErrorTableVersion;
}

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  v1: {
    name: 'v1',
    version: '1.0',
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
    httpError: v03HttpError,
    methods: {
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
    },
  },
  // 0.3 where it is not JSON-RPC: the same operations in the JSON of its a2a.proto.
  'v03-proto': { name: 'v03-proto', version: '0.3', httpError: v03HttpError, methods: {} },
  // Spoken below /v2/agentic only, where a conflict is always 409 (D05).
  agentic: { name: 'agentic', version: '1.0', httpError, errorTable: '1.0.0', methods: {} },
};

export const SUPPORTED_VERSIONS: readonly string[] = [
  ...new Set(Object.values(DIALECTS).map(({ version }) => version)),
];

/** Method names are looked up in a Map, so that `toString` and `__proto__` are only unknown methods. */
const METHODS = new Map<string, { dialect: DialectName; operation: Operation }>(
  Object.values(DIALECTS).flatMap(({ name, methods }) =>
    Object.entries(methods).map(([method, operation]) => [method, { dialect: name, operation }] as const),
  ),
);

/** The dialect and operation of a JSON-RPC method. Throws METHOD_NOT_FOUND. */
export function classifyMethod(method: string): { dialect: DialectName; operation: Operation } {
  const found = METHODS.get(method);
  if (found === undefined) throw new A2AError('METHOD_NOT_FOUND', 'Method not found');
  return found;
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
