// Fair queue: a few slots for expensive work. A free one goes to a request that has started already, else to the caller who has
// started none for the longest time.

export interface FairQueueOptions {
  /** One caller leaves one of them to others, if there are several. */
  readonly slots: number;
  /** Waiting, of all callers. */
  readonly maxWaiting: number;
  /** Waiting of one caller. */
  readonly maxWaitingEach: number;
}

export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** Gives a slot back; further calls do nothing. */
export type Leave = () => void;

/** Callers whose last slot is remembered: one who was forgotten counts as one who never had any. */
const MAX_REMEMBERED = 10_000;

interface Waiting {
  readonly start: () => void;
  readonly request: object;
}

interface Caller {
  busy: number;
  readonly waiting: Set<Waiting>;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #maxEach: number;
  /** Those who have a slot or wait for one. */
  readonly #callers = new Map<string, Caller>();
  /** By caller the number of the slot that its last request started with. */
  readonly #served = new Map<string, number>();
  /** Requests that had a slot. */
  readonly #started = new WeakSet<object>();
  #taken = 0;
  #busy = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#maxEach = Math.max(1, options.slots - 1);
  }

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves once there is a slot. Rejects with QueueFull, or with the signal's reason, which ends the wait. `request`: what this is
   * a part of; its further parts go first, so that a request of several waits once.
   */
  enter(name: string, signal: AbortSignal, request: object = {}): Promise<Leave> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const caller = this.#callers.get(name) ?? { busy: 0, waiting: new Set() };
    const { slots, maxWaiting, maxWaitingEach } = this.#options;
    if (this.#busy < slots && caller.busy < this.#maxEach)
      return Promise.resolve(this.#take(name, caller, request));
    const isFull = this.#waiting >= maxWaiting || caller.waiting.size >= maxWaitingEach;
    // What has started is not refused in its middle.
    if (isFull && !this.#started.has(request)) return Promise.reject(new QueueFull('Too many wait already'));
    this.#callers.set(name, caller);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        caller.waiting.delete(waiting);
        this.#waiting--;
        signal.removeEventListener('abort', giveUp);
      };
      const start = (): void => {
        end();
        resolve(this.#take(name, caller, request));
      };
      const giveUp = (): void => {
        end();
        this.#forgetIdle(name, caller);
        reject(signal.reason);
      };
      const waiting = { start, request };
      caller.waiting.add(waiting);
      this.#waiting++;
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #take(name: string, caller: Caller, request: object): Leave {
    this.#busy++;
    caller.busy++;
    this.#callers.set(name, caller);
    if (!this.#started.has(request)) this.#note(name, request);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#busy--;
      caller.busy--;
      this.#forgetIdle(name, caller);
      this.#next();
    };
  }

  #note(name: string, request: object): void {
    this.#started.add(request);
    // The order of the map is that of the numbers.
    this.#served.delete(name);
    this.#served.set(name, ++this.#taken);
    const [oldest] = this.#served.keys();
    if (this.#served.size > MAX_REMEMBERED && oldest !== undefined) this.#served.delete(oldest);
  }

  #forgetIdle(name: string, { busy, waiting }: Caller): void {
    if (busy === 0 && waiting.size === 0) this.#callers.delete(name);
  }

  #next(): void {
    let [next, number] = [undefined as Waiting | undefined, Number.POSITIVE_INFINITY];
    for (const [name, { busy, waiting }] of this.#callers) {
      if (busy >= this.#maxEach) continue;
      for (const each of waiting) {
        const own = this.#started.has(each.request) ? -1 : (this.#served.get(name) ?? 0);
        if (own < number) [next, number] = [each, own];
      }
    }
    next?.start();
  }
}
