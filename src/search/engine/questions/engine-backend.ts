// Engine as a backend of searches: every question answered from the columns of one generation.

import { bitsOf } from '../../../geometry/geohash.ts';
import { insertAmong } from '../../../lib/lower-bound.ts';
import { eventLoop, type Task } from '../../../lib/scheduler.ts';
import type { StoredListing } from '../../../listings/store.ts';
import { isCurrency } from '../../query/condition.ts';
import { numberSets } from '../../query/condition-sets.ts';
import type { Measure, Summary } from '../../query/measures.ts';
import type { Facet } from '../../query/parameters.ts';
import type { ResolvedSearch } from '../../query/plan.ts';
import type {
  FacetCount,
  FindKnown,
  HitPage,
  KnownListing,
  SearchBackend,
} from '../../query/search-backend.ts';
import type { Columns, Generation } from '../columns/segment.ts';
import { CellGroups } from './cells.ts';
import { SetCounter } from './count-sets.ts';
import { codeCounter, facetCounter } from './facets.ts';
import { type FoundId, findPage } from './page.ts';
import { PointCollector } from './points.ts';
import { prepareSearch } from './prepared-search.ts';
import { EXPENSIVE_AFTER, partsOf, type RowConsumer, scanRows } from './scan.ts';
import { SummaryCollector } from './summaries.ts';

export interface EngineBackendOptions {
  /** The one to answer from. */
  readonly generation: Generation;
  /** The listings with these ids as they are stored now, in their order; undefined: it is gone. Rejects with the signal's reason. */
  readonly findListings: (
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ) => Promise<readonly (StoredListing | undefined)[]>;
  /** Which of these listings a search finds now, by the database. */
  readonly findMatching: (search: ResolvedSearch, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The ids of areas by their numbers. */
  readonly areaIds: (nos: readonly number[]) => Promise<ReadonlyMap<number, string>>;
  /** Runs scans, which are expensive after so many milliseconds; absent: they never are. */
  readonly scan?: <T>(
    search: ResolvedSearch,
    expensiveAfter: number,
    work: (task: Task) => Promise<T>,
  ) => Promise<T>;
}

/** Values of a facet that are looked at between two looks at the clock. */
const VALUES = 512;

/** What is done with all results. */
interface Consumption<T> {
  readonly consumersOf: (columns: Columns) => readonly RowConsumer[];
  /** What is made of them, and of how many there are. */
  readonly finish: (total: number, task: Task) => T | Promise<T>;
  /** Milliseconds from which on the question is expensive; default: those of a summary. */
  readonly expensiveAfter?: number;
}

/** Pages are filled up so often, where listings changed between the engine's answer and the reading of their records. */
const MAX_READS = 3;

const SCAN: NonNullable<EngineBackendOptions['scan']> = ({ signal }, _, work) =>
  eventLoop.run({ signal }, work);

export function createEngineBackend(options: EngineBackendOptions): SearchBackend {
  const { generation, scan: runScan = SCAN } = options;
  const { dictionaries } = generation;
  return {
    page: (search, known) => readPage(options, search, known),
    countsAlong: () => true,
    count: (search) =>
      scan(search, {
        consumersOf: () => [],
        finish: (total) => total,
        expensiveAfter: EXPENSIVE_AFTER.page,
      }),
    async facets(search, facets, { max, priceStep }) {
      const counters = [...new Set(facets)].map(
        (facet) => [facet, facetCounter(facet, dictionaries, priceStep)] as const,
      );
      return scan(search, {
        consumersOf: (columns) => counters.map(([, counter]) => counter.consume(columns)),
        async finish(total, task) {
          const values = new Map<Facet, readonly FacetCount[]>();
          for (const [facet, counter] of counters)
            values.set(facet, await mostFrequent(counter.counts(), (some) => named(facet, some), max, task));
          return { total, values };
        },
      });
    },
    cells(search, grid) {
      const groups = new CellGroups(bitsOf(grid.letters));
      return scan(search, {
        consumersOf: (columns) => [groups.consume(columns)],
        finish: (_, task) => task.run(groups.cells(grid)),
      });
    },
    points(search, grid) {
      const points = new PointCollector(grid, dictionaries);
      return scan(search, {
        consumersOf: (columns) => points.consumersOf(columns),
        finish: (total, task) => points.result(total, task),
      });
    },
    summaries(search, measures) {
      const collectors = measures.map((measure) => new SummaryCollector(measure, search.plan.startedAt));
      return scan(search, {
        consumersOf: (columns) => collectors.map((collector) => collector.consume(columns)),
        async finish(total, task) {
          const found = new Map<Measure, Summary>();
          for (const collector of collectors)
            found.set(collector.measure, await task.run(collector.summary()));
          return { total, measures: found };
        },
      });
    },
    countEach(search, all) {
      const { conditions, sets } = numberSets(all);
      const counter = new SetCounter(sets);
      const { plan } = search;
      const among = { ...plan, conditions: plan.conditions.filter(isCurrency), text: null };
      return runScan(search, EXPENSIVE_AFTER.summary, async (task) => {
        const prepared = await prepareSearch(generation, { ...search, plan: among }, task, conditions);
        const consume = (columns: Columns) => {
          const filters = conditions.map((each) => prepared.filterOf(each, columns));
          return counter.consume(columns, filters, task);
        };
        await scanRows(partsOf(prepared.table), prepared.filters, consume, task);
        return counter.counts;
      });
    },
    async currencies(search, among) {
      return (await codesOf(search, 'currency', EXPENSIVE_AFTER.page)).filter((currency) =>
        among.includes(currency),
      );
    },
    sources: (search) => codesOf(search, 'providerId', EXPENSIVE_AFTER.summary),
  };

  function scan<T>(
    search: ResolvedSearch,
    { consumersOf, finish, expensiveAfter = EXPENSIVE_AFTER.summary }: Consumption<T>,
  ): Promise<T> {
    return runScan(search, expensiveAfter, async (task) => {
      const prepared = await prepareSearch(generation, search, task);
      let total = 0;
      const consume = (columns: Columns): RowConsumer => {
        const consumers = consumersOf(columns);
        return (rows, count) => {
          total += count;
          for (const take of consumers) take(rows, count);
        };
      };
      await scanRows(partsOf(prepared.table), prepared.filters, consume, task);
      return finish(total, task);
    });
  }

  /** The words of a column among all results, in alphabetical order. */
  function codesOf(
    search: ResolvedSearch,
    column: 'currency' | 'providerId',
    expensiveAfter: number,
  ): Promise<string[]> {
    const counter = codeCounter(column, dictionaries[column]);
    return scan(search, {
      consumersOf: (columns) => [counter.consume(columns)],
      finish: () =>
        counter
          .counts()
          .map(({ value }) => String(value))
          .toArray()
          .sort(),
      expensiveAfter,
    });
  }

  /** Counts of areas by their ids; of other facets as they are. */
  async function named(facet: Facet, counts: readonly FacetCount[]): Promise<readonly FacetCount[]> {
    if (facet !== 'areaId') return counts;
    const ids = await options.areaIds(counts.map(({ value }) => Number(value)));
    return counts.flatMap(({ value, count }) => {
      const id = ids.get(Number(value));
      return id === undefined ? [] : [{ value: id, count }];
    });
  }
}

/** A result of a page, and its record once that is known. */
interface Result<Known extends KnownListing> {
  readonly found: FoundId;
  listing: StoredListing | Known | undefined;
}

/**
 * The page with its records: those that are known by the versions of the engine, and all others as they are stored now. A listing
 * whose record is newer than the engine's row is looked at again by the database; one that no longer matches, or is gone, makes
 * room for the next. Records are named by their positions: V8 enters each text that a Map or Set is asked for into a table of the whole process.
 */
async function readPage<Known extends KnownListing>(
  options: EngineBackendOptions,
  search: ResolvedSearch,
  known: FindKnown<Known> | undefined,
): Promise<HitPage<Known>> {
  const { plan } = search;
  const { scan = SCAN } = options;
  const gone = new Set<string>();
  for (let read = 1; ; read++) {
    const asked = plan.limit + 1 + 2 * gone.size;
    // No slot is kept while records are read.
    const { found, total } = await scan(search, EXPENSIVE_AFTER.page, async (task) =>
      findPage(plan, await prepareSearch(options.generation, search, task), asked),
    );
    const present = gone.size === 0 ? found : found.filter(({ id }) => !gone.has(id));
    const shown: Result<Known>[] = present
      .slice(0, plan.limit)
      .map((each) => ({ found: each, listing: known?.(each.id, each.version) }));
    const unknown = shown.filter(({ listing }) => listing === undefined);
    const records = await readRecords(
      options,
      search,
      unknown.map((result) => result.found),
    );
    for (const [place, result] of unknown.entries()) {
      result.listing = records[place];
      if (result.listing === undefined) gone.add(result.found.id);
    }
    const hits = shown.flatMap(({ found: { values }, listing }) => (listing ? [{ listing, values }] : []));
    // What is behind the page is not read: the engine knows of it. More was asked for than is gone, so that it shows.
    const more = present.length > plan.limit;
    // A page that is short leads on from its last listing, so that it needs one.
    if (more && hits.length < plan.limit && (read < MAX_READS || hits.length === 0)) continue;
    if (plan.cursor?.direction === 'previous') hits.reverse();
    return { hits, more, total };
  }
}

/** The records of those listings that the search finds still, in their order; undefined: it no longer does. */
async function readRecords(
  { findListings, findMatching }: EngineBackendOptions,
  search: ResolvedSearch,
  found: readonly FoundId[],
): Promise<readonly (StoredListing | undefined)[]> {
  if (found.length === 0) return [];
  const listings = await findListings(
    found.map(({ id }) => id),
    search.signal,
  );
  const changed = found
    .filter(({ version }, place) => listings[place]?.version !== version)
    .map(({ id }) => id);
  const matching = changed.length === 0 ? new Set<string>() : await findMatching(search, changed);
  return found.map(({ id, version }, place) => {
    const listing = listings[place];
    return listing?.version === version || matching.has(id) ? listing : undefined;
  });
}

/** The most frequent first, ties as PostgreSQL orders their texts. */
async function mostFrequent(
  counts: IteratorObject<FacetCount>,
  named: (some: readonly FacetCount[]) => Promise<readonly FacetCount[]>,
  max: number,
  task: Task,
): Promise<readonly FacetCount[]> {
  const first: FacetCount[] = [];
  let some: FacetCount[] = [];
  const offer = async (): Promise<void> => {
    for (const each of await named(some)) insertAmong(first, each, max, compareCounts);
    if (task.shouldYield()) await task.yield();
    some = [];
  };
  for (const each of counts) if (some.push(each) === VALUES) await offer();
  await offer();
  return first;
}

const compareCounts = (one: FacetCount, other: FacetCount): number =>
  other.count - one.count || byCodePoints(String(one.value), String(other.value));

/**
 * Compares two texts by code points, as PostgreSQL does where the collation is "C". `<` compares units of UTF-16, by which characters
 * beyond U+FFFF come before those from U+E000 on.
 */
function byCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return unitRank(a) - unitRank(b);
  }
  return one.length - other.length;
}

/** Surrogates, which make up characters beyond U+FFFF, come after all other units. */
const unitRank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x1_0000 : unit);
