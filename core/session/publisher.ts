import type { AppendResult, Entry } from '../journal.js';
import { canFollow, isTerminal } from '../states.js';
import { checkEntry } from '../well-formed.js';
import { TaskClosed } from './endings.js';
import type { SessionRuntime } from './runtime.js';
import type { SessionState } from './state.js';

interface Pending {
  entries: Entry[];
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

/**
 * Microtasks in which an agent that has just begun, or gone on, may say something of its own. WORKING then goes with
 * it; an agent that completes at once costs one write and one local activity.
 */
const BREATH = 10;

/**
 * The one queue through which a run publishes. One write is in flight at a time: two local activities at
 * once break Temporal's replay (docs/decisions/0009-one-publish-queue.md). What is published meanwhile waits and is joined.
 */
export class Publisher {
  private queue: Pending[] = [];
  private pumping = false;
  /** WORKING is due before the next entry. */
  private workingDue = false;
  private turnSignals = 0;
  private stopped = false;

  constructor(
    private readonly runtime: SessionRuntime,
    private readonly state: SessionState,
  ) {}

  /** Resolves when the entries are recorded; throws {@link TaskClosed} where the task is over. */
  publish(entries: Entry[]): Promise<AppendResult> {
    if (this.stopped || this.closed) return Promise.reject(new TaskClosed(this.state.state));
    return this.enqueue(entries);
  }

  /** The last entry of all. What is queued before it and not yet in flight is dropped. */
  publishFinal(entries: Entry[]): Promise<AppendResult> {
    this.stopped = true;
    this.workingDue = false;
    this.rejectAll(this.queue.splice(0), new TaskClosed(this.state.state));
    return this.closed ? Promise.reject(new TaskClosed(this.state.state)) : this.enqueue(entries);
  }

  /** Shows WORKING with the next entry, or alone if there is none in this breath. */
  showWorking(): void {
    this.workingDue = true;
    void this.showAfterBreath();
  }

  /** The context's turn was granted. */
  turnGranted(): void {
    this.turnSignals += 1;
  }

  get closed(): boolean {
    return isTerminal(this.state.state);
  }

  get idle(): boolean {
    return !this.pumping;
  }

  private enqueue(entries: Entry[]): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      // Here and not in the journal, whose faults are retried for ever.
      entries.forEach(checkEntry);
      this.queue.push({ entries, resolve, reject });
      this.start();
    });
  }

  private start(): void {
    if (this.pumping) return;
    this.pumping = true;
    void this.runtime.shield(() => this.pump());
  }

  private async showAfterBreath(): Promise<void> {
    for (let i = 0; i < BREATH && this.workingDue; i++) await Promise.resolve();
    if (this.workingDue) this.start();
  }

  private async pump(): Promise<void> {
    // What is said in the same statement goes with the first write.
    await Promise.resolve();
    while (this.queue.length > 0 || this.workingDue) {
      const batch = this.queue.splice(0);
      const entries = this.withWorking(batch.flatMap((pending) => pending.entries));
      try {
        const result = await this.write(entries);
        if (result) for (const pending of batch) pending.resolve(result);
        else this.rejectAll(batch, new TaskClosed(this.state.state));
      } catch (error) {
        this.rejectAll(batch, error);
      }
    }
    this.pumping = false;
  }

  /** Undefined where the task is over, or ends before its turn came. */
  private async write(entries: Entry[]): Promise<AppendResult | undefined> {
    for (;;) {
      if (this.closed) return undefined;
      const signals = this.turnSignals;
      const result = await this.runtime.publish({
        taskId: this.state.start.taskId,
        prevKey: this.state.lastKey,
        entries,
      });
      switch (result.outcome) {
        case 'recorded':
          this.state.state = result.state;
          this.state.lastKey = result.lastKey;
          return result;
        case 'terminal':
          this.state.state = result.state;
          return undefined;
        case 'unknown':
          await this.runtime.restore();
          break;
        case 'turn':
          await this.runtime.until(() => this.turnSignals > signals || this.stopped);
          if (this.stopped && !endsTask(entries)) return undefined;
      }
    }
  }

  private withWorking(entries: Entry[]): Entry[] {
    if (!this.workingDue) return entries;
    this.workingDue = false;
    const first = entries[0];
    const direct =
      first?.kind === 'message' ||
      (first?.kind === 'status' &&
        (first.state === 'TASK_STATE_WORKING' || canFollow(this.state.state, first.state)));
    return direct ? entries : [{ kind: 'status', state: 'TASK_STATE_WORKING' }, ...entries];
  }

  private rejectAll(batch: Pending[], error: unknown): void {
    for (const pending of batch) pending.reject(error);
  }
}

function endsTask(entries: Entry[]): boolean {
  return entries.some((entry) => entry.kind === 'status' && isTerminal(entry.state));
}
