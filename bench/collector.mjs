/**
 * Loaded into each product of the bench: SIGUSR2 collects its garbage, so that two readings of its memory differ by what
 * it holds and not by when it last collected. The flag is set here, so that the command line stays the users' own.
 * Plain JavaScript, since worker threads load it too, before they know TypeScript.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  process.on('SIGUSR2', () => collect());
}
