import type { StreamResponse, Task } from '../core/task.js';
import type { Codec } from './codec.js';
import { DIALECTS, type DialectName } from './dialects.js';

/** The body of a webhook in its registrant's dialect (D06). */
export interface WebhookBody {
  type: string;
  body: string;
}

/** What the body is made of, asked for only where the dialect wants it. */
export interface WebhookSources {
  event: StreamResponse;
  /** The task as it was after the event; undefined where it is gone. */
  task(): Promise<Task | undefined>;
  /** The task's id by its caller's choice (D03). */
  chosenId(): Promise<string | undefined>;
}

/**
 * Undefined where the dialect has nothing to say. An unknown dialect, of a release that had more of them, is told
 * in 1.0's words.
 */
export async function webhookBody(
  codecs: Record<DialectName, Codec>,
  dialect: string,
  { event, task, chosenId }: WebhookSources,
): Promise<WebhookBody | undefined> {
  const { webhook, chosenIds = false } =
    DIALECTS[Object.hasOwn(DIALECTS, dialect) ? (dialect as DialectName) : 'v1'];
  const codec = codecs[webhook.codec];
  if (webhook.of === 'event') {
    const body = codec.encodeEvent(event);
    return body === undefined ? undefined : { type: 'application/a2a+json', body };
  }
  const whole = 'task' in event ? event.task : await task();
  if (whole === undefined) return undefined;
  const shown = chosenIds ? asChosen(whole, await chosenId()) : whole;
  return { type: 'application/json', body: codec.encodeTask(shown) };
}

/** Where callers choose the ids, history is for those who ask for it. */
function asChosen({ history: _, ...task }: Task, id = task.id): Task {
  return { ...task, id };
}
