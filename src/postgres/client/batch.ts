// Batches of statements: requests that arrive while others are served share one statement, and each gets its own result.
//
// A round trip and a commit cost several times as much as the exchange of one token, so they are shared (P13 of the benchmarks).

import { Problem } from '../../lib/problem.ts';
import { databaseUnavailable } from './connection-errors.ts';

/** Does the work for these items, all of them or none; results in the order of the items. */
type BatchWork<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

/** Items in the queue beyond which further ones are refused at once. */
const MAX_QUEUE = 1_000;
/** Batches at once: one runs while another is answered. */
const MAX_CONCURRENT = 2;

interface QueuedItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A function for one item that does the work for many at once. A batch starts at the end of this turn of the event loop, so a
 * lone caller does not wait for others. Throws what the work throws, and DATABASE_UNAVAILABLE if the queue is full.
 */
export function batch<Item, Result>(work: BatchWork<Item, Result>): (item: Item) => Promise<Result> {
  let queue: QueuedItem<Item, Result>[] = [];
  let running = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || running === MAX_CONCURRENT || queue.length === 0) return;
    scheduled = true;
    setImmediate(start);
  }

  function start(): void {
    const items = queue;
    queue = [];
    scheduled = false;
    running++;
    void run(work, items).finally(() => {
      running--;
      schedule();
    });
  }

  return (item) => {
    if (queue.length >= MAX_QUEUE)
      return Promise.reject(databaseUnavailable(new Error('Too many requests wait for the database')));
    return new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      schedule();
    });
  };
}

async function run<Item, Result>(
  work: BatchWork<Item, Result>,
  queued: readonly QueuedItem<Item, Result>[],
): Promise<void> {
  try {
    const results = await work(queued.map(({ item }) => item));
    for (const [index, { resolve }] of queued.entries()) resolve(results[index] as Result);
  } catch (error) {
    // An unavailable database fails all of them, and may have served all. Any other error is one item's own: nothing was
    // written, so each is tried alone, and only its caller gets the error.
    if (queued.length > 1 && !(error instanceof Problem))
      await Promise.all(queued.map((each) => run(work, [each])));
    else for (const { reject } of queued) reject(error);
  }
}
