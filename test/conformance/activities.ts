import { setTimeout as delay } from 'node:timers/promises';

/** Works on although its task was cancelled. */
export async function ignoreCancel({ millis }: { millis: number }): Promise<void> {
  await delay(millis);
}
