// Owns asking the database once for many who ask at the same moment: one statement, one commit, and to each an answer of its own.
import { Problem } from '../../lib/problem.ts';
import { databaseUnavailable } from './connection-errors.ts';

/** Does the work for these items, all of them or none, and gives what tells each its result. */
type BatchWork<Item, Result> = (items: readonly Item[]) => Promise<(item: Item, at: number) => Result>;

/** Who finds more than that waiting goes without at once: their wait would only grow. */
const LONGEST_LINE = 1_000;
/** While one run is answered and the next is put together, another works. */
const AT_ONCE = 2;

interface Asked<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Nobody waits for company: what comes in one turn of the event loop goes together, and what comes while others are served
 * goes with the next run. So a lone caller waits as long as without this, and a crowd shares round trips and flushes to disk.
 */
export class Batch<Item, Result> {
  readonly #work: BatchWork<Item, Result>;
  #waiting: Asked<Item, Result>[] = [];
  #running = 0;
  #planned = false;

  constructor(work: BatchWork<Item, Result>) {
    this.#work = work;
  }

  /** The result for this item. Throws what the work throws for it, and DATABASE_UNAVAILABLE where too many wait. */
  ask(item: Item): Promise<Result> {
    if (this.#waiting.length >= LONGEST_LINE)
      return Promise.reject(databaseUnavailable(new Error('Too many wait for the database')));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#planned || this.#running === AT_ONCE || this.#waiting.length === 0) return;
    this.#planned = true;
    setImmediate(this.#start);
  }

  readonly #start = (): void => {
    const asked = this.#waiting;
    this.#waiting = [];
    this.#planned = false;
    this.#running++;
    void this.#serve(asked).finally(() => {
      this.#running--;
      this.#plan();
    });
  };

  async #serve(asked: readonly Asked<Item, Result>[]): Promise<void> {
    try {
      const resultOf = await this.#work(asked.map(({ item }) => item));
      for (const [at, { item, resolve }] of asked.entries()) resolve(resultOf(item, at));
    } catch (error) {
      // A database that cannot serve now can serve none of them, and may have served all. A fault is one item's own:
      // nothing was written, so each is tried alone, and only its owner hears of it.
      if (asked.length > 1 && !(error instanceof Problem))
        await Promise.all(asked.map((each) => this.#serve([each])));
      else for (const { reject } of asked) reject(error);
    }
  }
}
