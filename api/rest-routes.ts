import { invalidParams } from '../core/errors.js';
import type { Operation } from '../wire/requests.js';

/** The HTTP+JSON binding's addresses (section 11.3) as a table. */
interface RestRoute {
  verb: 'GET' | 'POST' | 'DELETE';
  /** Segments; `{name}` is a field of the request, and may be followed by `:verb`. */
  path: readonly string[];
  operation: Operation;
}

const CONFIGS = ['tasks', '{taskId}', 'pushNotificationConfigs'] as const;

const REST_ROUTES: readonly RestRoute[] = [
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
];

export interface RestMatch {
  operation: Operation;
  /** Fields of the request that the path names, decoded. `tenant` where the path begins with one. */
  fields: Record<string, string>;
}

/**
 * Finds the route of a path, still percent-encoded, below `/a2a/rest`. Gives the verbs that the path would
 * take where only the verb is wrong; empty where nothing is there. Throws INVALID_PARAMS for broken
 * percent-encoding.
 */
export function matchRest(verb: string, rawPath: string): RestMatch | { allowed: string[] } {
  const segments = rawPath.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  const direct = matchSegments(verb, segments);
  if ('operation' in direct || direct.allowed.length > 0 || segments.length < 2) return direct;

  // A tenant may stand before the operation; `v1` there is another dialect's address.
  const [tenant = '', ...rest] = segments;
  if (tenant === '' || tenant === 'v1') return direct;
  const scoped = matchSegments(verb, rest);
  if ('operation' in scoped) scoped.fields.tenant = decode(tenant);
  return scoped;
}

function matchSegments(verb: string, segments: readonly string[]): RestMatch | { allowed: string[] } {
  const allowed: string[] = [];
  for (const route of REST_ROUTES) {
    const fields = fieldsOf(route, verb, segments);
    if (fields === undefined) continue;
    if (route.verb === verb) return { operation: route.operation, fields };
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
