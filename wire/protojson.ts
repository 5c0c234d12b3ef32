import { z } from 'zod';

/**
 * How ProtoJSON reads each kind of protobuf field (C11): what it forgives and what it does not. A kind
 * here reads a value that is present; `optional` around it lets a field be absent.
 */

const required = (expected: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? 'is required' : expected;

/** Snake case, the name of the field in a2a.proto: accepted on input, never sent. */
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * A protobuf message: known fields only, in camelCase or snake_case (camelCase wins where both are
 * given); `protoNames` has those whose name in the proto is another. Null means absent, except in a field of type Value (`nullable`), where it is a value.
 * Reading own properties alone makes `__proto__` an unknown field like any other.
 */
export function message<S extends z.ZodRawShape>(
  shape: S,
  nullable: readonly string[] = [],
  protoNames: Readonly<Record<string, string>> = {},
) {
  const names = Object.keys(shape).map((camel) => ({ camel, snake: protoNames[camel] ?? snakeCase(camel) }));
  const known = (input: unknown): unknown => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
    const given = input as Record<string, unknown>;
    const fields: Record<string, unknown> = {};
    for (const { camel, snake } of names) {
      const name = Object.hasOwn(given, camel) ? camel : snake;
      if (!Object.hasOwn(given, name)) continue;
      if (given[name] !== null || nullable.includes(camel)) fields[camel] = given[name];
    }
    return fields;
  };
  return z.preprocess(known, z.object(shape, { error: required('must be an object') }));
}

/** A string field. In proto3 the empty string and an absent field are the same. */
export const string = () => z.string({ error: required('must be a string') });

/** A string that has to be there: empty is missing. */
export const requiredString = () => string().min(1, { error: 'is required' });

/** An optional string, where empty means absent. */
export const optionalString = () =>
  string()
    .transform((value) => (value === '' ? undefined : value))
    .optional();

export const list = <T extends z.ZodType>(item: T) => z.array(item, { error: required('must be an array') });

export const bool = () => z.boolean({ error: required('must be true or false') });

/** int32: a JSON number or a numeric string, integral either way (`5`, `5.0`, `"5"`, `"1e1"`). */
export function int32(range: { min: number; max?: number }) {
  const max = range.max ?? 2_147_483_647;
  const description =
    range.max === undefined
      ? `must be an integer of at least ${range.min}`
      : `must be an integer from ${range.min} to ${max}`;
  return z
    .unknown()
    .transform((value) =>
      typeof value === 'string' && /^-?\d{1,20}(\.\d{1,20})?([eE][+-]?\d{1,3})?$/.test(value)
        ? Number(value)
        : value,
    )
    .pipe(
      z.int({ error: description }).min(range.min, { error: description }).max(max, { error: description }),
    );
}

/** An enum by name or by number. `names[0]` is the UNSPECIFIED value. */
export function enumeration<const N extends readonly [string, ...string[]]>(names: N) {
  return z
    .unknown()
    .transform((value) => (typeof value === 'number' ? names[value] : value))
    .pipe(z.enum(names, { error: `must be one of ${names.slice(1).join(', ')}` }));
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** bytes: base64 or base64url, padded or not. Gives padded base64. */
export function bytes() {
  return string().transform((value, context) => {
    const digits = value.endsWith('=') ? value.replace(/=+$/, '') : value;
    const padded = value.length !== digits.length;
    if (!BASE64.test(value) || digits.length % 4 === 1 || (padded && value.length % 4 !== 0)) {
      context.addIssue({ code: 'custom', message: 'must be base64' });
      return z.NEVER;
    }
    const standard = /[-_]/.test(digits) ? digits.replaceAll('-', '+').replaceAll('_', '/') : digits;
    return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=');
  });
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** google.protobuf.Timestamp: RFC 3339 with any offset. Gives ISO 8601 in UTC with milliseconds. */
export function timestamp() {
  return string().transform((value, context) => {
    const [, seconds, , offset] = TIMESTAMP.exec(value) ?? [];
    // Date.parse moves 30 February into March: a date that does not read back as written is none.
    const written = seconds === undefined ? NaN : Date.parse(`${seconds}Z`);
    const time = Date.parse(value);
    const valid =
      Number.isFinite(time) &&
      Number.isFinite(written) &&
      new Date(written).toISOString().startsWith(seconds ?? '-');
    if (!valid || offset === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'must be an RFC 3339 timestamp such as 2025-10-28T10:30:00.000Z',
      });
      return z.NEVER;
    }
    return new Date(time).toISOString();
  });
}
