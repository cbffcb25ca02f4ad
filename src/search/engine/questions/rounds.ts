// Rounds of the event loop: how much of the work that many do in turns is done in each, so that a crowd does not make it long.

export class Rounds {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #spent = 0;
  #isEnding = false;

  /** `most`: nanoseconds of work, after which no further turn begins in a round. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether some of that was done in this round. */
  get isBegun(): boolean {
    return this.#spent > 0;
  }

  /** Notes work that was done in this round. */
  spend(nanoseconds: number): void {
    this.#spent += nanoseconds;
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(this.#end);
  }

  /** Resolves at the next turn, in the order in which turns were asked for: in the next round, or in a later one. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      setImmediate(this.#give);
    });
  }

  readonly #end = (): void => {
    this.#isEnding = false;
    this.#spent = 0;
  };

  /** One turn at a time: what it resolves works before the next one is given. */
  readonly #give = (): void => {
    if (this.#spent >= this.#most) setImmediate(this.#give);
    else this.#waiting.shift()?.();
  };
}

/** Of the event loop of this thread: about two milliseconds, several where estimates are too low. */
export const ROUNDS = new Rounds(2_000_000);
