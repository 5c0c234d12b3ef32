import type { BlobPart, Json, Message, Part } from '../core/task.js';
import { hash } from './keys.js';
import { BLOB_THRESHOLD, MESSAGE_THRESHOLD } from './options.js';
import { type Db, prepare } from './prepare.js';

/**
 * Takes big content out of what is about to be stored, and keeps it until {@link BlobWriter.save}. The id
 * of a blob is a hash of its content, so that the same content is stored once in a task and has the same
 * key when it is written again.
 */
export class BlobWriter {
  readonly #bodies = new Map<string, string>();
  /** Blobs that came in as references, from another task perhaps. */
  readonly #references = new Set<string>();

  /** The same value where nothing in it is big. */
  detach<T>(value: T): T {
    return mapParts(value, (part) => this.#detachPart(part));
  }

  /** As `detach`; of what is still big by its number of parts, the biggest go until the rest is not. */
  detachMessage(whole: Message): Message {
    const message = this.detach(whole);
    const sizes = message.parts.map(inlineBytes);
    let left = sizes.reduce((sum, size) => sum + size, 0);
    if (left <= MESSAGE_THRESHOLD) return message;
    const parts = [...message.parts];
    for (const { at, size } of sizes.map((size, at) => ({ at, size })).sort((a, b) => b.size - a.size)) {
      // A reference takes some bytes too.
      if (left <= MESSAGE_THRESHOLD || size < 1_024) break;
      parts[at] = this.#detachPart(parts[at]!, 0);
      left -= size;
    }
    return { ...message, parts };
  }

  /** Part of the transaction that stores what refers to the blobs. */
  async save(db: Db, taskId: string): Promise<void> {
    for (const [blobId, body] of this.#bodies) await insertBlob(db, { taskId, blobId, body });
    for (const blobId of this.#references) {
      if (this.#bodies.has(blobId)) continue;
      const [own] = await blobIn(db, { taskId, blobId });
      if (own !== undefined) continue;
      const [other] = await blobAnywhere(db, { blobId });
      if (other !== undefined) await insertBlob(db, { taskId, blobId, body: other.body });
    }
    this.#bodies.clear();
    this.#references.clear();
  }

  #detachPart(part: Part, threshold = BLOB_THRESHOLD): Part {
    if ('blob' in part) {
      this.#references.add(part.blob.id);
      return part;
    }
    const content = contentOf(part);
    if (content === undefined || !isBig(content.body, threshold)) return part;
    const { field, body, rest } = content;
    const id = hash(field, body);
    this.#bodies.set(id, body);
    return { ...rest, blob: { id, field, size: Buffer.byteLength(body) } };
  }
}

/** Parses stored JSON of one task and puts the content of its blobs back. */
export async function parseWhole<T>(db: Db, taskId: string, texts: readonly string[]): Promise<T[]> {
  const values = texts.map((text) => JSON.parse(text) as T);
  if (!texts.some(mayHaveBlob)) return values;
  const found = new Map<string, string>();
  const wanted = new Set<string>();
  for (const value of values) mapParts(value, (part) => ('blob' in part && wanted.add(part.blob.id), part));
  for (const blobId of wanted) {
    const [row] = await blobIn(db, { taskId, blobId });
    if (row !== undefined) found.set(blobId, row.body);
  }
  return values.map((value) => mapParts(value, (part) => ('blob' in part ? attachPart(part, found) : part)));
}

/**
 * Goes over all parts in a value: the elements of every array named `parts`. What stands in data and
 * metadata is content, whatever it looks like. Gives the same value where nothing changed.
 */
export function mapParts<T>(value: T, change: (part: Part) => Part): T {
  if (Array.isArray(value)) return mapArray(value, (inner: unknown) => mapParts(inner, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  let copy: { [key: string]: unknown } | undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'data' || key === 'metadata') continue;
    const mapped: unknown =
      key === 'parts' && Array.isArray(inner)
        ? mapArray(inner as Part[], change)
        : mapParts(inner as unknown, change);
    if (mapped === inner) continue;
    copy ??= { ...value } as { [key: string]: unknown };
    copy[key] = mapped;
  }
  return (copy ?? value) as T;
}

function mapArray<E>(values: E[], change: (value: E) => E): E[] {
  let copy: E[] | undefined;
  values.forEach((value, at) => {
    const changed = change(value);
    if (changed !== value) (copy ??= [...values])[at] = changed;
  });
  return copy ?? values;
}

/** The content of a part as text; a URL stays where it is. */
function contentOf(part: Exclude<Part, BlobPart>) {
  if ('text' in part) {
    const { text: body, ...rest } = part;
    return { field: 'text' as const, body, rest };
  }
  if ('raw' in part) {
    const { raw: body, ...rest } = part;
    return { field: 'raw' as const, body, rest };
  }
  if ('data' in part) {
    const { data, ...rest } = part;
    return { field: 'data' as const, body: JSON.stringify(data), rest };
  }
  return undefined;
}

function isBig(text: string, threshold: number): boolean {
  // A UTF-16 unit takes 3 bytes at most.
  return text.length * 3 > threshold && Buffer.byteLength(text) > threshold;
}

function inlineBytes(part: Part): number {
  return 'blob' in part ? 0 : Buffer.byteLength(contentOf(part)?.body ?? '');
}

/** Content that is lost leaves an empty part, so that the rest of the task stays readable. */
function attachPart(part: BlobPart, found: ReadonlyMap<string, string>): Part {
  const { blob, ...rest } = part;
  const body = found.get(blob.id);
  switch (blob.field) {
    case 'text':
      return { ...rest, text: body ?? '' };
    case 'raw':
      return { ...rest, raw: body ?? '' };
    case 'data':
      return { ...rest, data: body === undefined ? null : (JSON.parse(body) as Json) };
  }
}

function mayHaveBlob(text: string): boolean {
  return text.includes('"blob":{');
}

const insertBlob = prepare((db, value: { taskId: string; blobId: string; body: string }) =>
  db
    .insertInto('blobs')
    .values({ task_id: value.taskId, blob_id: value.blobId, body: value.body })
    .onConflict((conflict) => conflict.doNothing()),
);

const blobIn = prepare((db, value: { taskId: string; blobId: string }) =>
  db
    .selectFrom('blobs')
    .select('body')
    .where('task_id', '=', value.taskId)
    .where('blob_id', '=', value.blobId),
);

const blobAnywhere = prepare((db, value: { blobId: string }) =>
  db.selectFrom('blobs').select('body').where('blob_id', '=', value.blobId).limit(1),
);
