// Stage of engines in tests: a database whose listings change, engines that follow it, and faults on the way.

import assert from 'node:assert/strict';
import { headSequence } from '../../../src/changes/change-store.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import type { Database, Sql } from '../../../src/postgres/client/database.ts';
import { readSnapshot } from '../../../src/postgres/client/snapshot.ts';
import type { Generation } from '../../../src/search/engine/columns/segment.ts';
import { createSearchEngine, type SearchEngineOptions } from '../../../src/search/engine/lifecycle/engine.ts';
import type { SearchEngine } from '../../../src/search/engine/lifecycle/search-engine.ts';
import { type BaseBuilder, createLocalBuilder } from '../../../src/search/engine/segments/build-base.ts';
import { NOW } from '../catalogue/random-market.ts';
import { atEnd, type Closing, testDatabase } from '../database/database.ts';
import type { Facts } from './column-rows.ts';
import { factsOfListings, type HeldListing, heldFacts } from './tables.ts';

/** All listings on the market as they are stored, and the newest change of the log. */
async function findHeldRows(sql: Sql): Promise<{ rows: HeldListing[]; sequence: number }> {
  const sequence = await headSequence(sql);
  const rows = await sql<HeldListing[]>`
    select row_to_json(listing_search) as row, listing.version from listing_search join listing using (id)
    where listing_search.status in ('ACTIVE', 'ACTIVE_UNDER_CONTRACT', 'COMING_SOON')`;
  return { rows, sequence };
}

/** Passes whoever comes while it is open, which it is at first. */
export class Gate {
  #opened = Promise.resolve();
  #open = (): void => {};
  /** How many have come. */
  came = 0;

  close(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.#opened, this.#open] = [promise, resolve];
  }

  open(): void {
    this.#open();
  }

  async pass(signal?: AbortSignal): Promise<void> {
    this.came++;
    const left = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => left.reject(signal.reason));
    await Promise.race([this.#opened, left.promise]);
  }
}

/** The builder of this thread, with gates before a load and a merge. */
function gatedBuilder(database: Database, gates: { readonly load: Gate; readonly merge: Gate }): BaseBuilder {
  const closing = new AbortController();
  const builder = createLocalBuilder(database);
  return {
    async load(onProgress, signal) {
      const base = await builder.load(onProgress, signal);
      await gates.load.pass(AbortSignal.any([signal, closing.signal]));
      return base;
    },
    async merge(generation, signal) {
      await gates.merge.pass(AbortSignal.any([signal, closing.signal]));
      return builder.merge(generation, signal);
    },
    close: async () => closing.abort(new Error('closed')),
  };
}

export async function engineStage(t: Closing) {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);

  /** Writes listings, and removes those with these keys. */
  const write = (drafts: readonly ListingDraft[], removed: readonly string[] = [], at = NOW) =>
    database.transaction((tx) => catalogue.write(tx, 'test', drafts, at, removed));

  /** An engine, not yet started, with its faults; stopped when the test ends. */
  function createEngine(options: Partial<SearchEngineOptions> = {}) {
    const gates = { load: new Gate(), merge: new Gate() };
    const reported: unknown[] = [];
    const fault = { isAway: false };
    const base = options.database ?? database;
    const read: Database['read'] = (work, how) =>
      fault.isAway ? Promise.reject(new Error('The database is away')) : base.read(work, how);
    const own: Database = { ...base, read };
    const engine = createSearchEngine({
      builder: gatedBuilder(own, gates),
      clock: systemClock,
      report: (error) => void reported.push(error),
      ...options,
      database: own,
    });
    atEnd(t, () => engine.stop());
    return { engine, gates, reported, fault };
  }

  /** Asserts that an engine has what is stored once it has caught up. */
  async function assertCurrent(engine: SearchEngine): Promise<void> {
    assert.equal(await engine.catchUp(60_000), true);
    const { rows, sequence } = await readSnapshot(database, (snapshot) => snapshot.read(findHeldRows));
    const generation = engine.generation() ?? assert.fail('The engine has no generation');
    assert.equal(generation.sequence, sequence);
    assert.deepEqual(comparable(heldFacts(generation)), comparable(factsOfListings(rows)));
  }

  return { database, write, createEngine, assertCurrent };
}

/** PostgreSQL joins open houses that overlap, so that only the moments that are covered compare. */
const comparable = (held: ReadonlyMap<string, Facts>): Map<string, Facts> =>
  new Map(
    [...held].map(([id, facts]) => [id, { ...facts, openHours: covered(facts.openHours as number[]) }]),
  );

function covered(bounds: readonly number[]): readonly (readonly [number, number])[] {
  const ranges = bounds.flatMap((from, at) =>
    at % 2 === 0 ? [[from, bounds[at + 1] ?? from] as const] : [],
  );
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** The ids that a generation holds. */
export const idsOf = (generation: Generation | null): string[] => [
  ...heldFacts(generation ?? assert.fail()).keys(),
];
