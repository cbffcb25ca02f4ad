// Fair queue: a few places for costly work. The next one goes on with what was begun, else it is given to the caller who began
// nothing for the longest time.

export interface FairQueueOptions {
  /** Held at once; one caller leaves one of them to others, if there are several. */
  readonly places: number;
  /** Waiting in all. */
  readonly maxWaiting: number;
  /** Waiting of one caller. */
  readonly maxWaitingEach: number;
}

export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** Gives a place back; further calls do nothing. */
export type Leave = () => void;

/** Callers whose last place is remembered: one who was forgotten counts as one who never had any. */
const MOST_REMEMBERED = 10_000;

interface Waiting {
  readonly begin: () => void;
  readonly request: object;
}

interface Caller {
  busy: number;
  readonly waiting: Set<Waiting>;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #maxEach: number;
  /** Those who hold a place or wait for one. */
  readonly #callers = new Map<string, Caller>();
  /** By caller the number of the place that its last request began with. */
  readonly #served = new Map<string, number>();
  /** Those that had a place. */
  readonly #begun = new WeakSet<object>();
  #given = 0;
  #busy = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#maxEach = Math.max(1, options.places - 1);
  }

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves once there is a place. Rejects with QueueFull, or with the signal's reason, which gives up the turn. `request`: what
   * this is a part of; its further parts go first, so that a request of several waits for its turn once.
   */
  enter(name: string, signal: AbortSignal, request: object = {}): Promise<Leave> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const caller = this.#callers.get(name) ?? { busy: 0, waiting: new Set() };
    const { places, maxWaiting, maxWaitingEach } = this.#options;
    if (this.#busy < places && caller.busy < this.#maxEach)
      return Promise.resolve(this.#take(name, caller, request));
    const isFull = this.#waiting >= maxWaiting || caller.waiting.size >= maxWaitingEach;
    // What was begun is not refused in its middle.
    if (isFull && !this.#begun.has(request)) return Promise.reject(new QueueFull('Too many wait already'));
    this.#callers.set(name, caller);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        caller.waiting.delete(waiting);
        this.#waiting--;
        signal.removeEventListener('abort', giveUp);
      };
      const begin = (): void => {
        end();
        resolve(this.#take(name, caller, request));
      };
      const giveUp = (): void => {
        end();
        this.#forgetIdle(name, caller);
        reject(signal.reason);
      };
      const waiting = { begin, request };
      caller.waiting.add(waiting);
      this.#waiting++;
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #take(name: string, caller: Caller, request: object): Leave {
    this.#busy++;
    caller.busy++;
    this.#callers.set(name, caller);
    if (!this.#begun.has(request)) this.#note(name, request);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#busy--;
      caller.busy--;
      this.#forgetIdle(name, caller);
      this.#next();
    };
  }

  #note(name: string, request: object): void {
    this.#begun.add(request);
    // The order of the map is that of the numbers.
    this.#served.delete(name);
    this.#served.set(name, ++this.#given);
    const [oldest] = this.#served.keys();
    if (this.#served.size > MOST_REMEMBERED && oldest !== undefined) this.#served.delete(oldest);
  }

  #forgetIdle(name: string, { busy, waiting }: Caller): void {
    if (busy === 0 && waiting.size === 0) this.#callers.delete(name);
  }

  #next(): void {
    let [next, number] = [undefined as Waiting | undefined, Number.POSITIVE_INFINITY];
    for (const [name, { busy, waiting }] of this.#callers) {
      if (busy >= this.#maxEach) continue;
      for (const each of waiting) {
        const own = this.#begun.has(each.request) ? -1 : (this.#served.get(name) ?? 0);
        if (own < number) [next, number] = [each, own];
      }
    }
    next?.begin();
  }
}
