/**
 * Protobuf messages as tables, so that a message is read from bytes into ProtoJSON, and written from it, in
 * one step: what a codec decodes and encodes is JSON in every binding. Generated classes in between would
 * lose what JSON can say and an object with setters cannot: a `__proto__` key, NaN, depth.
 */

/** How a field's value is written, and what it is in JSON. */
export type Kind =
  | 'string'
  | 'bool'
  | 'int32'
  /** Base64 in JSON. */
  | 'bytes'
  /** google.protobuf.Timestamp: ISO 8601 in JSON. */
  | 'timestamp'
  /** google.protobuf.Struct: an object. */
  | 'struct'
  /** google.protobuf.Value: anything. */
  | 'value'
  | EnumKind
  | MessageKind;

/** By name in JSON; `names[n]` is number n. */
export interface EnumKind {
  names: readonly string[];
}

export interface MessageKind {
  /** In the order in which they are written. */
  fields: readonly Field[];
  byNumber: ReadonlyMap<number, Field>;
}

export interface Field {
  /** In JSON: camelCase. */
  name: string;
  number: number;
  kind: Kind;
  shape: 'single' | 'list' | 'map';
  /** Zero, false and the empty string are values too, instead of meaning absent. */
  explicit: boolean;
  /** Of the fields that name the same one, a message has one at most. */
  oneof: string | undefined;
}

type Given = Omit<Field, 'name'>;

const given = (number: number, kind: Kind, more: Partial<Given> = {}): Given => ({
  number,
  kind,
  shape: 'single',
  explicit: false,
  oneof: undefined,
  ...more,
});

/** A field whose zero value means that it is absent. Messages are never absent by their value. */
export const field = (number: number, kind: Kind) => given(number, kind);
/** `optional` in the proto: present also with its zero value. */
export const optional = (number: number, kind: Kind) => given(number, kind, { explicit: true });
export const repeated = (number: number, kind: Kind) => given(number, kind, { shape: 'list' });
/** `map<string, kind>`. */
export const map = (number: number, kind: Kind) => given(number, kind, { shape: 'map' });

/** A oneof, to be spread into its message. */
export function oneof(name: string, members: Readonly<Record<string, readonly [number, Kind]>>) {
  return Object.fromEntries(
    Object.entries(members).map(([member, [number, kind]]) => [
      member,
      given(number, kind, { explicit: true, oneof: name }),
    ]),
  );
}

export function message(fields: Readonly<Record<string, Given>>): MessageKind {
  const named = Object.entries(fields).map(([name, one]): Field => ({ name, ...one }));
  return { fields: named, byNumber: new Map(named.map((one) => [one.number, one])) };
}

/** Numbers from 0. */
export const enumeration = (...names: readonly string[]): EnumKind => ({ names });

export const EMPTY = message({});
