// Scheduler of the event loop: long work runs in slices by the clock, so that requests are answered in between.

import { type Clock, systemClock } from './clock.ts';

/** Milliseconds of work after which a task gives the event loop back. */
const SLICE = 0.5;
/** Milliseconds of an iteration of the event loop, from its first slice on, after which no other slice starts in it. */
const ITERATION = 2;

/** A slot among expensive tasks. */
export interface Slot {
  /** Aborts at the deadline of the task, or when its client leaves. */
  readonly signal: AbortSignal;
  leave(): void;
}

export interface TaskOptions {
  /** Ends the task at its next slice. */
  readonly signal?: AbortSignal | undefined;
  /** When the task is expensive, and how it then gets a slot; absent: it never is. */
  readonly expensive?: ExpensiveTask | undefined;
}

export interface ExpensiveTask {
  /** Milliseconds of work. */
  readonly after: number;
  readonly admit: () => Promise<Slot>;
}

/** Runs work as a task. */
export type RunTask = <T>(work: (task: Task) => Promise<T>) => Promise<T>;

/**
 * Work in steps of about a tenth of a millisecond. A step that took much longer than that on every machine would hold up all
 * requests, and much shorter ones would mostly read the clock.
 */
export type Steps<T> = Generator<undefined, T>;

interface Waiter {
  readonly isExpensive: boolean;
  readonly resolve: () => void;
}

export class Scheduler {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** In the order in which they came. */
  readonly #waiting: Waiter[] = [];
  /** When the first slice of this iteration started; null: none did. */
  #start: number | null = null;
  #hasRunExpensive = false;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Runs a task once there is time for it, and gives its slot back at the end. */
  async run<T>(options: TaskOptions, work: (task: Task) => Promise<T>): Promise<T> {
    if (this.isIterationOver) await this.wait(false);
    options.signal?.throwIfAborted();
    const task = new Task(this, options);
    try {
      return await work(task);
    } finally {
      task.end();
    }
  }

  /** A task that is never expensive, and whose first slice starts now. */
  task(): Task {
    return new Task(this, {});
  }

  /** Does the same with each item. */
  async forEach<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
    const task = this.task();
    for (const item of items) {
      if (task.shouldYield()) await task.yield();
      work(item);
    }
  }

  /** Monotonic milliseconds. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** Starts a slice; returns its monotonic milliseconds. */
  startSlice(): number {
    const now = this.now();
    if (this.#start === null) {
      this.#start = now;
      setImmediate(this.#endIteration);
    }
    return now;
  }

  /** Whether slices have to wait for the next iteration. */
  get isIterationOver(): boolean {
    return this.#start !== null && this.now() - this.#start >= ITERATION;
  }

  /** Resolves when it is time for the next slice. Of expensive tasks one runs in an iteration. */
  wait(isExpensive: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ isExpensive, resolve });
      // One callback for each that waits: what it resolves runs before the next callback does.
      setImmediate(this.#resolveNext);
    });
  }

  readonly #resolveNext = (): void => {
    const next = this.isIterationOver ? undefined : this.#takeNext();
    if (next === undefined) setImmediate(this.#resolveNext);
    else next.resolve();
  };

  #takeNext(): Waiter | undefined {
    const at = this.#waiting.findIndex(({ isExpensive }) => !(isExpensive && this.#hasRunExpensive));
    if (at === -1) return undefined;
    const [next] = this.#waiting.splice(at, 1);
    if (next?.isExpensive) this.#hasRunExpensive = true;
    return next;
  }

  readonly #endIteration = (): void => {
    this.#start = null;
    this.#hasRunExpensive = false;
  };
}

/** Work that gives the event loop back after each slice: where `shouldYield()`, `await yield()`. */
class Task {
  readonly #scheduler: Scheduler;
  readonly #options: TaskOptions;
  #slot: Slot | null = null;
  #sliceStart: number;
  /** Milliseconds of former slices. */
  #worked = 0;

  constructor(scheduler: Scheduler, options: TaskOptions) {
    this.#scheduler = scheduler;
    this.#options = options;
    this.#sliceStart = scheduler.startSlice();
  }

  /** Whether the slice is over. Reads the clock: to be called once a block of work. */
  shouldYield(): boolean {
    return this.#scheduler.now() - this.#sliceStart >= SLICE;
  }

  /** Resolves at the next slice. Rejects with the reason of a signal that has aborted, or where the task gets no slot. */
  async yield(): Promise<void> {
    const { signal, expensive } = this.#options;
    this.#worked += this.#scheduler.now() - this.#sliceStart;
    if (this.#slot === null && expensive !== undefined && this.#worked >= expensive.after)
      this.#slot = await expensive.admit();
    await this.#scheduler.wait(this.#slot !== null);
    this.#sliceStart = this.#scheduler.startSlice();
    this.#slot?.signal.throwIfAborted();
    signal?.throwIfAborted();
  }

  /** Does work in steps; returns their result. */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      if (this.shouldYield()) await this.yield();
    }
  }

  /** Gives the slot back. */
  end(): void {
    this.#slot?.leave();
    this.#slot = null;
  }
}

export type { Task };

/** That of this thread. */
export const eventLoop = new Scheduler(systemClock);
