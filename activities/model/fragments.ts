import type { GenerateCall } from '../../core/generation.js';
import type { JournalAppend } from '../../core/journal.js';

/**
 * Appends streamed text to the journal as it comes. While a write is in flight the next words wait and
 * are joined (adaptive batching): a fast journal gets every word, a busy one gets fewer and longer
 * fragments, and no timer delays anything.
 */
export class FragmentWriter {
  private waiting = '';
  private writing: Promise<void> | undefined;
  private count = 0;
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly journal: Pick<JournalAppend, 'appendDeltas'>,
    private readonly call: Pick<GenerateCall, 'taskId' | 'artifact'>,
    private readonly attempt: number,
    /** Called once when no more can be written: the task is over, or the journal failed. */
    private readonly onStopped: () => void,
  ) {}

  /** Whether any fragment was recorded or is on its way. */
  get begun(): boolean {
    return this.count > 0;
  }

  write(text: string): void {
    if (text === '' || this.failure) return;
    this.waiting += text;
    this.writing ??= this.drain();
  }

  /** Puts an empty text in the place of what an earlier attempt had streamed (B11). */
  replaceWithNothing(): Promise<void> {
    return this.append('');
  }

  /** Resolves when all that was written is recorded; throws {@link TaskOver}, or the journal's error. */
  async done(): Promise<void> {
    await this.writing;
    if (this.failure) throw this.failure.error;
  }

  private async drain(): Promise<void> {
    try {
      while (this.waiting !== '') {
        const text = this.waiting;
        this.waiting = '';
        await this.append(text);
      }
    } catch (error) {
      this.failure = { error };
      this.onStopped();
    } finally {
      this.writing = undefined;
    }
  }

  private async append(text: string): Promise<void> {
    const { taskId, artifact } = this.call;
    const { artifactId, name, streamKey } = artifact;
    const append = this.begun;
    this.count += 1;
    const key = `${streamKey}:${this.attempt}:${this.count}`;
    const delta = { taskId, key, artifactId, name, append, text };
    if (!(await this.journal.appendDeltas([delta]))) throw new TaskOver();
  }
}

/** The task is terminal: nothing more is recorded, and the work should stop. */
export class TaskOver extends Error {
  constructor() {
    super('The task is over');
    this.name = 'TaskOver';
  }
}
