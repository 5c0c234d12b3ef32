// Not the global one, which tests replace when they fake timers.
import { setImmediate } from 'node:timers';

interface Wait {
  ready(): boolean;
  /** Virtual milliseconds since the epoch. */
  deadline: number | undefined;
  settle(ready: boolean): void;
}

interface Elapsing {
  to: number | 'timeout';
  timedOut: boolean;
  done(timedOut: boolean): void;
}

/**
 * The clock of a test. It stands still while anything can happen, and jumps to the next deadline when
 * nothing can: hours of sleep cost no time, and the order of events is the same in every run.
 */
export class VirtualTime {
  private readonly waits = new Set<Wait>();
  private working = 0;
  private ticking = false;
  private elapsing: Elapsing | undefined;

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

  /**
   * Lets time pass although somebody outside should act: so many milliseconds, or until the next wait runs
   * out. Resolves when what follows from it is done; false where no wait ran out.
   */
  elapse(millis: number | 'timeout'): Promise<boolean> {
    return new Promise((done) => {
      this.elapsing = { to: millis === 'timeout' ? millis : this.millis + millis, timedOut: false, done };
      this.touch();
    });
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
    const { elapsing } = this;
    const next = Math.min(...[...this.waits].map((wait) => wait.deadline ?? Infinity));
    if (next < Infinity && next <= this.limit()) {
      this.millis = Math.max(this.millis, next);
      if (elapsing) elapsing.timedOut = true;
      if (elapsing?.to === 'timeout') elapsing.to = this.millis;
      const over = [...this.waits].filter((wait) => wait.deadline === next);
      this.settle(over, false);
      return true;
    }
    if (!elapsing) return false;
    if (elapsing.to !== 'timeout') this.millis = elapsing.to;
    this.elapsing = undefined;
    elapsing.done(elapsing.timedOut);
    this.touch();
    return true;
  }

  private limit(): number {
    if (this.elapsing) return this.elapsing.to === 'timeout' ? Infinity : this.elapsing.to;
    return this.mayPass() ? Infinity : -Infinity;
  }

  private settle(waits: Wait[], ready: boolean): void {
    for (const wait of waits) {
      this.waits.delete(wait);
      wait.settle(ready);
    }
    this.touch();
  }
}
