import type { Scope } from './caller.js';
import type { Command, StoredEvent } from './journal.js';
import type { StreamResponse } from './task.js';

/** A caller's wish to be told of a task by HTTP (specification section 4.3.1). */
export interface PushConfig {
  /** Unique in its task; chosen by the caller, or by the server. */
  id: string;
  taskId: string;
  /** Where to POST to: http or https. */
  url: string;
  /** Sent back as it is, so that the receiver knows the sender. */
  token?: string;
  authentication?: PushAuthentication;
}

/** What the `Authorization` header of a delivery is made of: scheme, blank, credentials. */
export interface PushAuthentication {
  /** Such as `Bearer`. */
  scheme: string;
  credentials?: string;
}

/** As a caller gives it: beside a send, or for a task that exists. */
export type NewPushConfig = Omit<PushConfig, 'id' | 'taskId'> & { id?: string };

/** A config on its way into the journal: `dialect` names the shape of its bodies (D06). */
export type PushRegistration = Omit<PushConfig, 'taskId'> & { dialect: string };

/** What receivers are told: every change of status and every closed artifact (C05). */
export function isPushed(event: StreamResponse): boolean {
  if ('artifactUpdate' in event) return event.artifactUpdate.lastChunk === true;
  return 'statusUpdate' in event;
}

/** What a delivery is known by, the same on every attempt: the `webhook-id` of Standard Webhooks. */
export function deliveryId(pushId: string, seq: number): string {
  return `${pushId}.${seq}`;
}

/** Says whether deliveries may go to an address: before it is recorded, and again when it is dialled. */
export interface WebhookGuard {
  /** What is wrong with the URL, for its caller to read; undefined where nothing is known to be. */
  refusal(url: string): Promise<string | undefined>;
}

/**
 * - `active`: whatever is due is delivered at once.
 * - `retrying`: the receiver failed; Temporal tries it again.
 * - `dead`: given up. What it did not get can be read, and creating the config again goes on there.
 */
export type PushState = 'active' | 'retrying' | 'dead';

/** How far a receiver has come, for its owner to read. */
export interface PushProgress {
  pushId: string;
  configId: string;
  state: PushState;
  /** Everything up to this sequence was delivered, or needed no delivery. */
  deliveredSeq: number;
  /** Failed attempts since the last success. */
  attempts: number;
  /** Why the last attempt failed. Never what the receiver said. */
  lastError?: string;
  /** Milliseconds since the epoch, each where there was or will be one. */
  lastAttemptAt?: number;
  nextAttemptAt?: number;
  /** What the receiver has not got, oldest first: dead letters, once the state is `dead`. */
  undelivered: StoredEvent[];
}

/** A delivery's work, as whoever does it finds it in the journal. */
export interface PushClaim {
  pushId: string;
  config: PushConfig;
  dialect: string;
  deliveredSeq: number;
  attempts: number;
  /** When the failures since the last success began. */
  failingSince: number | undefined;
}

/** Whose turn it is to deliver: nobody else does until `until`, or until it is given back. */
export interface PushLease {
  /** Made up anew for each claim. */
  holder: string;
  /** Milliseconds since the epoch. */
  until: number;
}

export interface PushFailure {
  reason: string;
  /** When to try again; absent to give the receiver up. Milliseconds since the epoch. */
  nextAttemptAt?: number;
}

/** The journal's part in webhooks: configs, and how far each receiver has come. */
export interface PushLog {
  /**
   * Creates the config, or replaces the one of that id, which then goes on where it was. It is told what
   * comes after. Throws TASK_NOT_FOUND, or INVALID_PARAMS where the task has too many.
   */
  putPushConfig(
    scope: Scope,
    taskId: string,
    config: PushRegistration,
  ): Promise<{ config: PushConfig; commands: Command[] }>;
  /** Without an id the task's oldest one. Undefined for unknown and foreign ones alike. */
  readPushConfig(scope: Scope, taskId: string, id?: string): Promise<PushConfig | undefined>;
  /** Oldest first. Throws TASK_NOT_FOUND, or INVALID_PARAMS on `pageToken`. */
  listPushConfigs(
    scope: Scope,
    taskId: string,
    page: { size: number; token?: string },
  ): Promise<{ configs: PushConfig[]; nextPageToken: string }>;
  /** Idempotent. Throws TASK_NOT_FOUND. */
  deletePushConfig(scope: Scope, taskId: string, id: string): Promise<Command[]>;
  /** Undefined for unknown and foreign ones alike; at most `limit` events. */
  readPushProgress(
    scope: Scope,
    taskId: string,
    id: string,
    limit: number,
  ): Promise<PushProgress | undefined>;

  /** Receivers that something is due for and that nobody is busy with. */
  duePushes(limit: number): Promise<string[]>;
  /**
   * Takes the lease. `first` is for what has just become due, `retry` for a receiver that has failed. `busy`:
   * somebody else has it. `over`: there is nothing to do, here or at all. `early`: its next attempt is later.
   */
  claimPush(
    pushId: string,
    lease: PushLease,
    attempt: 'first' | 'retry',
  ): Promise<PushClaim | { outcome: 'busy' | 'over' } | { outcome: 'early'; nextAttemptAt: number }>;
  /** False where the lease was lost, or the config is gone. */
  extendPush(pushId: string, lease: PushLease): Promise<boolean>;
  /**
   * Records that all up to `seq` is delivered. `over`: nothing more is due and the lease is given back; or it
   * was lost, or the config is gone.
   */
  confirmPush(pushId: string, lease: PushLease, seq: number): Promise<PushClaim | 'over'>;
  /** Records a failed attempt and gives the lease back. The first one hands the receiver over to Temporal. */
  failPush(pushId: string, lease: PushLease, failure: PushFailure): Promise<Command[]>;
  /** Gives the lease back with nothing said: somebody else goes on. */
  yieldPush(pushId: string, lease: PushLease): Promise<void>;
  /** Receivers whose next attempt was due before then and did not happen: Temporal is told once more. */
  restartPushes(before: Date): Promise<Command[]>;
}
