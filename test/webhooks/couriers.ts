import { onTestFinished } from 'vitest';
import type { Command, Entry, Journal } from '../../core/journal.js';
import type { PushRegistration } from '../../core/push.js';
import type { SqlJournal } from '../../journal/index.js';
import { Courier, type CourierDeps, type RetryOutcome } from '../../webhooks/courier.js';
import { AddressGuard } from '../../webhooks/guard.js';
import { DEFAULT_SCHEDULE } from '../../webhooks/schedule.js';
import { Sender } from '../../webhooks/sender.js';
import { createCodecs } from '../../wire/codecs.js';
import { artifact, type Run, SCOPE, startRun, status } from '../journal/support.js';
import { type Behaviour, Receiver } from '../support/receiver.js';

export async function startReceiver(behaviour?: Behaviour): Promise<Receiver> {
  const receiver = await Receiver.start(behaviour);
  onTestFinished(() => receiver.close());
  return receiver;
}

export interface TestCourier {
  courier: Courier;
  /** Commands for Temporal, which is not there: the test does what it would. */
  commands: Command[];
  warnings: { fields: object; message: string }[];
  /** What Temporal's workflow does, without its pauses: gives what the first `rounds` attempts came to. */
  retry(pushId: string, rounds?: number, pause?: (millis: number) => void): Promise<RetryOutcome[]>;
}

/** A courier on a real journal, sending over real sockets; where nothing else is said, to loopback too. */
export function openCourier(
  journal: Journal,
  options: Partial<CourierDeps> & { guard?: AddressGuard; timeout?: number } = {},
): TestCourier {
  const { guard = new AddressGuard({ allowPrivate: true }), timeout = 2_000, ...deps } = options;
  const sender = new Sender({ guard, timeout });
  const commands: Command[] = [];
  const warnings: TestCourier['warnings'] = [];
  const courier = new Courier({
    journal,
    send: (outgoing, signal) => sender.send(outgoing, signal),
    codecs: createCodecs({ parts: 1_000, depth: 100 }),
    schedule: DEFAULT_SCHEDULE,
    deliver: (more) => commands.push(...more),
    log: {
      warn: (fields, message) => warnings.push({ fields, message }),
      error: (fields, message) => warnings.push({ fields, message }),
    },
    ...deps,
  });
  onTestFinished(async () => {
    await courier.close();
    await sender.close();
  });
  return {
    courier,
    commands,
    warnings,
    async retry(pushId, rounds = Infinity, pause = () => undefined) {
      const outcomes: RetryOutcome[] = [];
      while (outcomes.length < rounds) {
        const outcome = await courier.retry(pushId, new AbortController().signal);
        outcomes.push(outcome);
        if (outcome.afterMillis === undefined) break;
        pause(outcome.afterMillis);
      }
      return outcomes;
    },
  };
}

export function registration(
  receiver: { url: string },
  more: Partial<PushRegistration> = {},
): PushRegistration {
  return { id: 'c', url: receiver.url, dialect: 'v1', ...more };
}

/** A task that tells its receiver. */
export async function watchedRun(
  journal: SqlJournal,
  receiver: { url: string },
  more: Partial<PushRegistration> = {},
): Promise<Run> {
  return startRun(journal, { push: registration(receiver, more) });
}

/** Writes and wakes the courier, as the publish activity does. */
export async function publish({ courier }: TestCourier, run: Run, ...entries: Entry[]): Promise<void> {
  courier.wake((await run.append(...entries)).pushes ?? []);
}

/** WORKING, an artifact, COMPLETED: three deliveries. */
export const LIFE: Entry[] = [
  status('TASK_STATE_WORKING'),
  artifact('a', [{ text: 'answer' }]),
  status('TASK_STATE_COMPLETED'),
];

/** The push id of a task's config, from what is due. */
export async function pushIdOf(journal: SqlJournal, run: Run, id = 'c'): Promise<string> {
  const progress = await journal.readPushProgress(SCOPE, run.taskId, id, 0);
  if (progress === undefined) throw new Error('there is no such config');
  return progress.pushId;
}
