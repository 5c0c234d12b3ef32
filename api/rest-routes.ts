import { invalidParams } from '../core/errors.js';
import type { DialectName } from '../wire/dialects.js';
import type { Operation } from '../wire/requests.js';

/** The HTTP+JSON binding's addresses (section 11.3) as tables. */
export interface RestRoute {
  verb: 'GET' | 'POST' | 'DELETE';
  /** Segments; `{name}` is a field of the request, and may be followed by `:verb`. */
  path: readonly string[];
  operation: Operation;
}

/** One dialect's routes. */
export interface RestTable {
  dialect: DialectName;
  /** The segment that its addresses begin with, behind a tenant; absent where there is none. */
  prefix?: string;
  routes: readonly RestRoute[];
}

const CONFIGS = ['tasks', '{taskId}', 'pushNotificationConfigs'] as const;

const V1: RestTable = {
  dialect: 'v1',
  routes: [
    { verb: 'POST', path: ['message:send'], operation: 'SendMessage' },
    { verb: 'POST', path: ['message:stream'], operation: 'SendStreamingMessage' },
    { verb: 'GET', path: ['tasks'], operation: 'ListTasks' },
    { verb: 'POST', path: ['tasks', '{id}:cancel'], operation: 'CancelTask' },
    { verb: 'GET', path: ['tasks', '{id}:subscribe'], operation: 'SubscribeToTask' },
    { verb: 'POST', path: ['tasks', '{id}:subscribe'], operation: 'SubscribeToTask' },
    { verb: 'GET', path: ['tasks', '{id}'], operation: 'GetTask' },
    { verb: 'POST', path: CONFIGS, operation: 'CreateTaskPushNotificationConfig' },
    { verb: 'GET', path: CONFIGS, operation: 'ListTaskPushNotificationConfigs' },
    { verb: 'GET', path: [...CONFIGS, '{id}'], operation: 'GetTaskPushNotificationConfig' },
    { verb: 'DELETE', path: [...CONFIGS, '{id}'], operation: 'DeleteTaskPushNotificationConfig' },
    { verb: 'GET', path: ['extendedAgentCard'], operation: 'GetExtendedAgentCard' },
  ],
};

/** 0.3, section 3.5.6. Its fields have the names of 0.3's JSON-RPC, where `id` is the task's. */
const V03_CONFIGS = ['tasks', '{id}', 'pushNotificationConfigs'] as const;
const V03_CONFIG = [...V03_CONFIGS, '{pushNotificationConfigId}'] as const;

const V03: RestTable = {
  dialect: 'v03-proto',
  prefix: 'v1',
  routes: [
    { verb: 'POST', path: ['message:send'], operation: 'SendMessage' },
    { verb: 'POST', path: ['message:stream'], operation: 'SendStreamingMessage' },
    { verb: 'GET', path: ['tasks'], operation: 'ListTasks' },
    { verb: 'POST', path: ['tasks', '{id}:cancel'], operation: 'CancelTask' },
    { verb: 'GET', path: ['tasks', '{id}:subscribe'], operation: 'SubscribeToTask' },
    { verb: 'POST', path: ['tasks', '{id}:subscribe'], operation: 'SubscribeToTask' },
    { verb: 'GET', path: ['tasks', '{id}'], operation: 'GetTask' },
    { verb: 'POST', path: CONFIGS, operation: 'CreateTaskPushNotificationConfig' },
    { verb: 'GET', path: V03_CONFIGS, operation: 'ListTaskPushNotificationConfigs' },
    { verb: 'GET', path: V03_CONFIG, operation: 'GetTaskPushNotificationConfig' },
    { verb: 'DELETE', path: V03_CONFIG, operation: 'DeleteTaskPushNotificationConfig' },
    { verb: 'GET', path: ['card'], operation: 'GetExtendedAgentCard' },
  ],
};

/** What is served below `/a2a/rest`, those with a prefix first: without one a path may begin with anything. */
export const REST_TABLES: readonly RestTable[] = [V03, V1];

/** What is served below `/v2/agentic`. */
export const AGENTIC_TABLES: readonly RestTable[] = [{ dialect: 'agentic', routes: V1.routes }];

export interface RestMatch {
  dialect: DialectName;
  operation: Operation;
  /** Fields of the request that the path names, decoded. `tenant` where the path begins with one. */
  fields: Record<string, string>;
}

/** The verbs that the path would take, where only the verb is wrong; empty where nothing is there. */
export interface NoRoute {
  allowed: string[];
}

/**
 * Finds the route of a path, still percent-encoded, below the tables' common address. Throws INVALID_PARAMS
 * for broken percent-encoding.
 */
export function matchRest(tables: readonly RestTable[], verb: string, path: string): RestMatch | NoRoute {
  let none: NoRoute = { allowed: [] };
  for (const { table, segments, tenant } of readings(tables, path)) {
    const match = matchTable(table, verb, segments);
    if ('operation' in match) {
      if (tenant !== undefined) match.fields.tenant = decode(tenant);
      return match;
    }
    if (none.allowed.length === 0) none = match;
  }
  return none;
}

/** Whose errors to speak where nothing more is known of a request than its path. */
export function dialectOf(tables: readonly RestTable[], path: string): DialectName {
  return readings(tables, path)[0]?.table.dialect ?? 'v1';
}

interface Reading {
  table: RestTable;
  /** Of the operation. */
  segments: readonly string[];
  tenant?: string;
}

/** What a path may mean: a table's prefix stands at its beginning, or behind a tenant that is none. */
function readings(tables: readonly RestTable[], path: string): Reading[] {
  const segments = path.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  const [tenant = '', ...scoped] = segments;
  const isTenant = tenant !== '' && !tables.some(({ prefix }) => prefix === tenant);
  return tables.flatMap((table) => {
    const found: Reading[] = [];
    const direct = below(table, segments);
    if (direct !== undefined) found.push({ table, segments: direct });
    const behind = isTenant ? below(table, scoped) : undefined;
    if (behind !== undefined) found.push({ table, segments: behind, tenant });
    return found;
  });
}

function below({ prefix }: RestTable, segments: readonly string[]): readonly string[] | undefined {
  if (prefix === undefined) return segments;
  return segments[0] === prefix ? segments.slice(1) : undefined;
}

function matchTable(
  { dialect, routes }: RestTable,
  verb: string,
  path: readonly string[],
): RestMatch | NoRoute {
  const allowed: string[] = [];
  for (const route of routes) {
    const fields = fieldsOf(route, verb, path);
    if (fields === undefined) continue;
    if (route.verb === verb) return { dialect, operation: route.operation, fields };
    allowed.push(route.verb);
  }
  return { allowed };
}

function fieldsOf(
  { path }: RestRoute,
  verb: string,
  segments: readonly string[],
): Record<string, string> | undefined {
  if (path.length !== segments.length) return undefined;
  const fields: Record<string, string> = {};
  for (const [index, pattern] of path.entries()) {
    const segment = segments[index] ?? '';
    const [, name, suffix = ''] = /^\{(\w+)\}(:\w+)?$/.exec(pattern) ?? [];
    if (name === undefined) {
      if (decode(segment) !== pattern) return undefined;
      continue;
    }
    const verbExpected = verb === 'POST' && index === path.length - 1;
    const value = fieldValue(segment, suffix, verbExpected);
    if (value === undefined || value === '') return undefined;
    fields[name] = value;
  }
  return fields;
}

/**
 * Ids may hold colons, encoded or not, so only the known verbs at the end count. A POST to a task has to
 * name a verb: there its own colon may be encoded too, and an unknown verb names nothing.
 */
function fieldValue(segment: string, suffix: string, verbExpected: boolean): string | undefined {
  if (suffix === '') {
    const id = decode(segment);
    return verbExpected && id.includes(':') ? undefined : id;
  }
  if (segment.endsWith(suffix)) return decode(segment.slice(0, -suffix.length));
  const decoded = decode(segment);
  return verbExpected && decoded.endsWith(suffix) ? decoded.slice(0, -suffix.length) : undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidParams('path', 'is not valid percent-encoding');
  }
}
