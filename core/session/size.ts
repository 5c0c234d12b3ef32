/**
 * Temporal refuses 2 MB in one payload and 4 MB in one request, and a workflow whose command it refuses gives the
 * same command again for ever. So what the agent makes is measured before Temporal sees it.
 */
const KIB = 1024;

/** Most bytes of JSON in an activity's input or a checkpoint: several fit into one request. */
const INPUT_BYTES = 512 * KIB;
/** Most that goes from one run to the next: a checkpoint, the first message, and what is unread. */
const CARRIED_BYTES = 1_536 * KIB;

/** Whether a fresh history may begin with it. */
export function canBeCarried(state: object): boolean {
  return bytesOf(state) <= CARRIED_BYTES;
}

/** Throws an error whose message may be shown to callers. */
export function checkInput(value: unknown, what: string): void {
  const bytes = bytesOf(value);
  if (bytes > INPUT_BYTES)
    throw new TooBig(`${what} of ${bytes} bytes is too big: ${INPUT_BYTES} are the most.`);
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value) ?? '').length;
}

class TooBig extends Error {
  /** As in every failure that was written for callers (`endings.ts`). */
  readonly details = [{ safeMessage: this.message }];
  override readonly name = 'TooBig';
}
