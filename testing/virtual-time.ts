interface Wait {
  ready(): boolean;
  /** Virtual milliseconds since the epoch. */
  deadline: number | undefined;
  settle(ready: boolean): void;
}

/**
 * The clock of a test. It stands still while anything can happen, and jumps to the next deadline when
 * nothing can: hours of sleep cost no time, and the order of events is the same in every run.
 */
export class VirtualTime {
  private readonly waits = new Set<Wait>();
  private working = 0;
  private ticking = false;
  private elapsing: { to: number; done(): void } | undefined;

  constructor(
    private millis: number,
    /** False while somebody outside has to act: then only {@link elapse} moves the clock. */
    private readonly mayPass: () => boolean,
    /** Called when nothing can happen any more without an act from outside. */
    private readonly onIdle: () => void,
  ) {}

  now(): number {
    return this.millis;
  }

  /** Waits for the predicate, which is asked again whenever something has happened; false at the timeout. */
  until(predicate: () => boolean, millis?: number): { result: Promise<boolean>; drop(): void } {
    let wait: Wait | undefined;
    const result = new Promise<boolean>((resolve) => {
      wait = {
        ready: predicate,
        deadline: millis === undefined ? undefined : this.millis + millis,
        settle: resolve,
      };
      this.waits.add(wait);
    });
    this.touch();
    return { result, drop: () => wait && this.waits.delete(wait) };
  }

  /** Work outside of virtual time, such as an activity: the clock stands still until it is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.working += 1;
    try {
      return await work();
    } finally {
      this.working -= 1;
      this.touch();
    }
  }

  /** Lets time pass although somebody outside should act. */
  elapse(millis: number): Promise<void> {
    return new Promise((done) => {
      this.elapsing = { to: this.millis + millis, done };
      this.touch();
    });
  }

  /** When the next wait runs out, in virtual milliseconds since the epoch. */
  nextDeadline(): number | undefined {
    const deadlines = [...this.waits].flatMap(({ deadline }) => deadline ?? []);
    return deadlines.length === 0 ? undefined : Math.min(...deadlines);
  }

  /** Says that something has happened. */
  touch(): void {
    if (this.ticking) return;
    this.ticking = true;
    // After all microtasks: whatever the agent does in one breath is done by then.
    setImmediate(() => {
      this.ticking = false;
      this.tick();
    });
  }

  private tick(): void {
    const ready = [...this.waits].filter((wait) => wait.ready());
    if (ready.length > 0) this.settle(ready, true);
    else if (this.working === 0 && !this.passTime()) this.onIdle();
  }

  /** Jumps to the next deadline, or to the end of {@link elapse}; false where time may not pass. */
  private passTime(): boolean {
    const limit = this.elapsing?.to ?? (this.mayPass() ? Infinity : -Infinity);
    const next = this.nextDeadline();
    if (next !== undefined && next <= limit) {
      this.millis = Math.max(this.millis, next);
      const over = [...this.waits].filter((wait) => wait.deadline === next);
      this.settle(over, false);
      return true;
    }
    const elapsing = this.elapsing;
    if (!elapsing) return false;
    this.elapsing = undefined;
    this.millis = elapsing.to;
    elapsing.done();
    this.touch();
    return true;
  }

  private settle(waits: Wait[], ready: boolean): void {
    for (const wait of waits) {
      this.waits.delete(wait);
      wait.settle(ready);
    }
    this.touch();
  }
}
