import { existsSync, readFileSync } from 'node:fs';

interface OwnPackage {
  version: string;
  /** Dependencies that may run scripts when they are installed; newer versions of npm ask for each. */
  allowScripts: Record<string, boolean>;
}

/** This package's package.json, which lies one folder up from source, two from `dist`. */
export function ownPackage(): OwnPackage {
  const file = ['../package.json', '../../package.json']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url));
  if (!file) throw new Error('package.json is missing');
  return JSON.parse(readFileSync(file, 'utf8')) as OwnPackage;
}

export function packageVersion(): string {
  return ownPackage().version;
}
