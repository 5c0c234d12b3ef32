import type { Entry } from './journal.js';
import type { Metadata, Part } from './task.js';

/**
 * What types promise at compile time, for values that come from where no compiler looked: an agent in plain
 * JavaScript, a model's output, a Temporal signal. A malformed part could be recorded by no journal and read by
 * no client.
 */

const CONTENT = ['text', 'raw', 'url', 'data', 'blob'] as const;

/** Exactly one content of its type, and names that are text (section 4.1.6). */
export function isPart(value: unknown): value is Part {
  if (!isObject(value)) return false;
  const given = CONTENT.filter((field) => value[field] !== undefined);
  const [field] = given;
  if (given.length !== 1 || field === undefined) return false;
  return (
    (field === 'data' || (field === 'blob' ? isBlob(value.blob) : typeof value[field] === 'string')) &&
    isOptional(value.filename, isText) &&
    isOptional(value.mediaType, isText) &&
    isOptional(value.metadata, isMetadata)
  );
}

export function isMetadata(value: unknown): value is Metadata {
  return isObject(value);
}

/** Throws a TypeError on an entry that cannot be recorded. */
export function checkEntry(entry: Entry): void {
  switch (entry.kind) {
    case 'status':
    case 'message':
      checkParts(entry.message?.parts);
      check(entry.message?.metadata, isMetadata, 'metadata is an object');
      if (entry.kind === 'status') check(entry.metadata, isMetadata, 'metadata is an object');
      return;
    case 'artifact':
      checkParts(entry.artifact.parts);
      check(entry.artifact.artifactId, isText, 'the id of an artifact is text');
      check(entry.artifact.name, isText, 'the name of an artifact is text');
      check(entry.artifact.description, isText, 'the description of an artifact is text');
      check(entry.artifact.metadata, isMetadata, 'metadata is an object');
      return;
    case 'close':
    case 'received':
    case 'metadata':
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkParts(parts: unknown): void {
  const parted = (value: unknown): boolean => Array.isArray(value) && value.every(isPart);
  check(parts, parted, 'content is text or a list of parts, each with one of text, raw, url and data');
}

function check(value: unknown, holds: (value: unknown) => boolean, rule: string): void {
  if (!isOptional(value, holds)) throw new TypeError(rule);
}

function isOptional(value: unknown, holds: (value: unknown) => boolean): boolean {
  return value === undefined || holds(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isBlob(value: unknown): boolean {
  return isObject(value) && typeof value.id === 'string' && CONTENT.some((field) => field === value.field);
}
