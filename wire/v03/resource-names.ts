import { invalidParams } from '../../core/errors.js';

type Fields = Record<string, unknown>;

/**
 * 0.3's gRPC names what it is about by a path, where its other bindings have fields: `tasks/{id}` and
 * `tasks/{id}/pushNotificationConfigs/{id}`. Each throws INVALID_PARAMS for a name that is none.
 */
export function taskName({ name, ...fields }: Fields): Fields {
  return { ...fields, id: part(name, /^tasks\/([^/]+)$/, 'name', 'tasks/{id}') };
}

export function configName({ name, ...fields }: Fields): Fields {
  const expected = 'tasks/{id}/pushNotificationConfigs/{id}';
  const pattern = /^tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/;
  const id = part(name, pattern, 'name', expected);
  return { ...fields, id, pushNotificationConfigId: part(name, pattern, 'name', expected, 2) };
}

/** The task is the parent, and `field` the name of its id in the other bindings. */
export function taskParent({ parent, ...fields }: Fields, field: string): Fields {
  // The proto's own HTTP rule once says `task/`.
  return { ...fields, [field]: part(parent, /^tasks?\/([^/]+)$/, 'parent', 'tasks/{id}') };
}

function part(name: unknown, pattern: RegExp, field: string, expected: string, group = 1): string {
  const found = pattern.exec(typeof name === 'string' ? name : '')?.[group];
  if (found === undefined) throw invalidParams(field, `must be ${expected}`);
  return found;
}
