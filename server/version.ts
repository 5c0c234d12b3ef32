import { existsSync, readFileSync } from 'node:fs';

/** This package's version; its package.json lies one folder up from source, two from `dist`. */
export function packageVersion(): string {
  const file = ['../package.json', '../../package.json']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url));
  if (!file) throw new Error('package.json is missing');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
