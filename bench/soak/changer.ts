// Changes of the soak: so many a second through the catalogue, after which the market is about what it was.

import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { random } from '../market.ts';
import { listingsOf } from '../million/drafts.ts';
import { SOURCE } from '../million/rows.ts';
import type { LargeTestbed } from '../million/testbed.ts';
import { country, pick } from '../million/towns.ts';

/** Milliseconds from the beginning of one batch to the next. */
const BATCH_EVERY = 100;
/** However far behind the writer is. */
const LARGEST_BATCH = 500;
/** Homes that enter have numbers which no home of the load has. */
const ENTERING = 50_000_000;
/** So many of those that have entered are there at once. */
const GUESTS = 1_000;
const STATUSES = ['ACTIVE', 'ACTIVE', 'ACTIVE', 'PENDING', 'ACTIVE_UNDER_CONTRACT'] as const;

export interface Changer {
  /** Changes that were written so far. */
  written(): number;
  /** Of the last batch: milliseconds from the first statement to the end of its commit. */
  batchTime(): number;
  stop(): Promise<void>;
}

/** Of a hundred changes 60 are prices, 20 statuses, 10 listings that enter and 10 that leave. */
export function startChanges({ database, loaded }: LargeTestbed, aSecond: number): Changer {
  const catalogue = createCatalogue(database);
  const { towns } = country(loaded.seed);
  const next = random(Date.now());
  const guests: string[] = [];
  // A soak that goes on with the folder of another one brings others.
  let entering = ENTERING + (Math.floor(Date.now() / 1_000) % 100_000_000);
  let [written, batchTime, isStopped] = [0, 0, false];

  const draftOf = (home: number): ListingDraft | undefined =>
    listingsOf(towns, loaded.seed, home, loaded.today).at(-1)?.draft;

  function change(): ListingDraft | undefined {
    const luck = next();
    if (luck < 0.1) {
      const guest = draftOf(entering++);
      if (guest) guests.push(guest.listingKey);
      return guest && { ...guest, status: 'ACTIVE', closedAt: null, closePrice: null };
    }
    const draft = draftOf(Math.floor(next() * 0.9 * loaded.homes));
    if (luck < 0.3) return draft && { ...draft, status: pick(next, STATUSES), closedAt: null };
    return draft && { ...draft, listPrice: Math.round((draft.listPrice ?? 0) * (0.92 + next() * 0.16)) };
  }

  async function writeBatch(size: number): Promise<void> {
    const drafts = Array.from({ length: size }, () => change() ?? []).flat();
    const leaving = guests.splice(0, Math.max(0, guests.length - GUESTS));
    const begun = performance.now();
    const { created, changed, removed } = await database.transaction((tx) =>
      catalogue.write(tx, SOURCE, drafts, Date.now(), leaving),
    );
    batchTime = performance.now() - begun;
    written += created + changed + removed;
  }

  async function run(): Promise<void> {
    const begun = performance.now();
    let asked = 0;
    while (!isStopped) {
      const batchBegun = performance.now();
      const due = Math.round(((batchBegun - begun) / 1_000) * aSecond) - asked;
      const size = Math.min(due, LARGEST_BATCH);
      if (size > 0) await writeBatch(size);
      // What it could not write in time is not caught up with.
      asked += due;
      const left = batchBegun + BATCH_EVERY - performance.now();
      if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  const running = run();
  return {
    written: () => written,
    batchTime: () => batchTime,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
