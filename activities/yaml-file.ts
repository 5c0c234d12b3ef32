import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';

/**
 * Reads a file of settings in YAML, of which JSON is a part. Throws a plain Error with one line for each thing that is
 * wrong, `FILE:LINE: path.in.file: what`, and never a value: it may be a secret in the wrong place.
 */
export async function readYamlFile<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Error(`${file}: it cannot be read (${code})`);
  });
  return parseYaml(text, file, schema);
}

/** `file` is the name for messages. */
function parseYaml<T>(text: string, file: string, schema: z.ZodType<T>): T {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const wrong = document.errors.map(({ pos: [at], code }) => ({
    line: lines.linePos(at).line,
    says: `this is not YAML (${code.toLowerCase().replaceAll('_', ' ')})`,
  }));
  if (wrong.length === 0) {
    const parsed = schema.safeParse(document.toJS({ maxAliasCount: 100 }));
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const { message } = issue;
      const path =
        issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
      const place = path.map(String).join('.');
      wrong.push({
        line: lines.linePos(offsetOf(document, path)).line,
        says: place === '' ? message : `${place}: ${message}`,
      });
    }
  }
  throw new Error(wrong.map(({ line, says }) => `${file}:${line}: ${says}`).join('\n'));
}

/** Of the thing itself, or of what it is missing in. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}
