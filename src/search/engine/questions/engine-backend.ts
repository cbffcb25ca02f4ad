// Engine as a backend of searches: every question answered from the columns of one generation.

import type { Place } from '../../../lib/costly-work.ts';
import type { StoredListing } from '../../../listings/store.ts';
import type { Measure, Summary } from '../../query/measures.ts';
import type { Facet } from '../../query/parameters.ts';
import type { ResolvedSearch } from '../../query/plan.ts';
import type {
  FacetCount,
  FindKnown,
  HitPage,
  KnownListing,
  SearchBackend,
  SearchHit,
} from '../../query/search-backend.ts';
import type { Columns, Generation } from '../columns/segment.ts';
import { CELL_COST, CellGroups } from './cells.ts';
import { byCodePoints } from './code-point-order.ts';
import { countSets, numberSets } from './count-sets.ts';
import { facetCounter } from './facets.ts';
import { PAGE_PACE, Pace, type PaceLimits, SUMMARY_PACE } from './pace.ts';
import { type FoundId, findPage } from './page.ts';
import { PreparedSearch } from './prepared-search.ts';
import { partsOf, type RowConsumer, scanRows } from './scan.ts';
import { SummaryCollector } from './summaries.ts';

export interface EngineBackendOptions {
  /** The one to answer from. */
  readonly generation: () => Generation;
  /** The listings with these ids as they are stored now; those that are gone are missing. Rejects with the signal's reason. */
  readonly findListings: (
    ids: readonly string[],
    signal: AbortSignal | undefined,
  ) => Promise<ReadonlyMap<string, StoredListing>>;
  /** Which of these listings a search finds now, by the database. */
  readonly findMatching: (search: ResolvedSearch, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The ids of areas by their numbers. */
  readonly areaIds: (nos: readonly number[]) => Promise<ReadonlyMap<number, string>>;
  /** A place for a search that has turned out to be costly; absent: none is needed. */
  readonly enter?: (search: ResolvedSearch) => Promise<Place>;
}

/** About how many nanoseconds a result takes in a facet and in a measure. */
const FACET_COST = 15;
const MEASURE_COST = 10;

/** What is done with all results. */
interface Consumption {
  readonly consumersOf: (columns: Columns) => readonly RowConsumer[];
  /** Nanoseconds that each takes. */
  readonly row: number;
  readonly finish?: (pace: Pace) => Promise<void>;
  /** Default: those of a summary. */
  readonly limits?: PaceLimits;
}

/** Pages are filled up so often, where listings changed between the engine's answer and the reading of their records. */
const MOST_READS = 3;

export function createEngineBackend(options: EngineBackendOptions): SearchBackend {
  /** All results go to `consume`; then what is made of them. */
  const scan = <T>(
    search: ResolvedSearch,
    consume: (columns: Columns) => RowConsumer,
    finish: (pace: Pace) => T | Promise<T>,
    limits: PaceLimits & { readonly row?: number } = SUMMARY_PACE,
  ): Promise<T> =>
    paced(options, search, limits, async (pace) => {
      const prepared = new PreparedSearch(options.generation(), search, undefined, pace);
      await prepared.prepare();
      await scanRows(partsOf(prepared.table), prepared.filters, consume, pace, limits.row);
      return finish(pace);
    });

  return {
    page: (search, known) => readPage(options, search, known),
    countsAlong: () => true,
    count: (search) => scanWith(search, { consumersOf: () => [], row: 0, limits: PAGE_PACE }),
    async facets(search, facets, max) {
      const { dictionaries } = options.generation();
      const counters = [...new Set(facets)].map(
        (facet) => [facet, facetCounter(facet, dictionaries)] as const,
      );
      const consumersOf = (columns: Columns) => counters.map(([, counter]) => counter.consume(columns));
      const total = await scanWith(search, { consumersOf, row: FACET_COST * counters.length });
      const values = new Map<Facet, readonly FacetCount[]>();
      for (const [facet, counter] of counters)
        values.set(facet, mostFrequent(await named(facet, counter.counts()), max));
      return { total, values };
    },
    cells(search, grid) {
      const groups = new CellGroups(grid.letters);
      return scan(
        search,
        (columns) => groups.consume(columns),
        (pace) => pace.run(groups.cells(grid)),
        { ...SUMMARY_PACE, row: CELL_COST },
      );
    },
    async summaries(search, measures) {
      const collectors = measures.map((measure) => ({
        ...{ measure, collector: new SummaryCollector(measure, search.plan.startedAt) },
      }));
      const found = new Map<Measure, Summary>();
      const total = await scanWith(search, {
        consumersOf: (columns) => collectors.map(({ collector }) => collector.consume(columns)),
        row: MEASURE_COST * collectors.length,
        async finish(pace) {
          for (const { measure, collector } of collectors)
            found.set(measure, await pace.run(collector.summary()));
        },
      });
      return { total, measures: found };
    },
    countEach(search, all) {
      const { conditions, sets } = numberSets(all);
      return paced(options, search, SUMMARY_PACE, async (pace) => {
        const prepared = new PreparedSearch(options.generation(), search, conditions, pace);
        await prepared.prepare();
        return countSets(prepared.countedParts(), sets, pace);
      });
    },
    async currencies(search, among) {
      return (await codesOf(search, 'currency', PAGE_PACE)).filter((currency) => among.includes(currency));
    },
    sources: (search) => codesOf(search, 'providerId', SUMMARY_PACE),
  };

  /** All results go to each of these consumers. How many there are. */
  function scanWith(
    search: ResolvedSearch,
    { consumersOf, row, finish = async () => {}, limits = SUMMARY_PACE }: Consumption,
  ): Promise<number> {
    let total = 0;
    const consume = (columns: Columns): RowConsumer => {
      const consumers = consumersOf(columns);
      return (rows, count) => {
        total += count;
        for (const consume of consumers) consume(rows, count);
      };
    };
    const end = async (pace: Pace): Promise<number> => {
      await finish(pace);
      return total;
    };
    return scan(search, consume, end, { ...limits, row });
  }

  /** The words of a column among all results. */
  async function codesOf(
    search: ResolvedSearch,
    column: 'currency' | 'providerId',
    limits: PaceLimits,
  ): Promise<string[]> {
    const dictionary = options.generation().dictionaries[column];
    const isFound = new Uint8Array(dictionary.size);
    const note =
      ({ codes }: Columns): RowConsumer =>
      (rows, count) => {
        const own = codes[column];
        if (own === undefined) return;
        for (let at = 0; at < count; at++) isFound[own[rows[at] as number] as number] = 1;
      };
    await scan(search, note, () => {}, limits);
    return [...isFound.keys()].flatMap((code) =>
      code > 0 && isFound[code] === 1 ? [dictionary.word(code)] : [],
    );
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

/** Answers a question at a pace, and gives back the place that it may have needed. */
async function paced<T>(
  { enter }: EngineBackendOptions,
  search: ResolvedSearch,
  limits: PaceLimits,
  answer: (pace: Pace) => Promise<T>,
): Promise<T> {
  const pace = new Pace({ limits, signal: search.signal, ...(enter && { enter: () => enter(search) }) });
  try {
    await pace.begin();
    return await answer(pace);
  } finally {
    pace.end();
  }
}

/**
 * The page with its records: those that are known by the versions of the engine, and all others as they are stored now. A listing
 * whose record is newer than the engine's row is looked at again by the database; one that no longer matches, or is gone, makes
 * room for the next.
 */
async function readPage<Known extends KnownListing>(
  options: EngineBackendOptions,
  search: ResolvedSearch,
  known: FindKnown<Known> | undefined,
): Promise<HitPage<Known>> {
  const { plan } = search;
  const records = new Map<string, StoredListing | Known>();
  const gone = new Set<string>();
  for (let read = 1; ; read++) {
    const asked = plan.limit + 1 + 2 * gone.size;
    // No place is kept while records are read.
    const { found, total } = await paced(options, search, PAGE_PACE, (pace) =>
      findPage(plan, new PreparedSearch(options.generation(), search, undefined, pace), asked),
    );
    const present = found.filter(({ id }) => !gone.has(id));
    const shown = present.slice(0, plan.limit);
    const missing: FoundId[] = [];
    for (const each of shown) {
      if (records.has(each.id)) continue;
      const record = known?.(each.id, each.version);
      if (record === undefined) missing.push(each);
      else records.set(each.id, record);
    }
    for (const listing of await readRecords(options, search, missing)) records.set(listing.id, listing);
    for (const { id } of missing) if (!records.has(id)) gone.add(id);
    const hits = shown.flatMap((each) => hitOf(each, records));
    // What is behind the page is not read: the engine knows of it. More was asked for than is gone, so that it shows.
    const more = present.length > plan.limit;
    // A page that is short leads on from its last listing, so that it needs one.
    if (more && hits.length < plan.limit && (read < MOST_READS || hits.length === 0)) continue;
    if (plan.cursor?.direction === 'previous') hits.reverse();
    return { hits, more, total };
  }
}

function hitOf<Known extends KnownListing>(
  { id, values }: FoundId,
  records: ReadonlyMap<string, StoredListing | Known>,
): SearchHit<Known>[] {
  const listing = records.get(id);
  return listing === undefined ? [] : [{ listing, values }];
}

/** The records of those listings that the search finds still. */
async function readRecords(
  { findListings, findMatching }: EngineBackendOptions,
  search: ResolvedSearch,
  found: readonly FoundId[],
): Promise<readonly StoredListing[]> {
  if (found.length === 0) return [];
  const listings = await findListings(
    found.map(({ id }) => id),
    search.signal,
  );
  const changed = found
    .filter(({ id, version }) => listings.get(id)?.version !== version)
    .map(({ id }) => id);
  const matching = changed.length === 0 ? new Set<string>() : await findMatching(search, changed);
  return found.flatMap(({ id, version }) => {
    const listing = listings.get(id);
    return listing && (listing.version === version || matching.has(id)) ? [listing] : [];
  });
}

/** The most frequent first, ties as PostgreSQL orders their texts. */
function mostFrequent(counts: readonly FacetCount[], max: number): readonly FacetCount[] {
  const text = ({ value }: FacetCount): string => String(value);
  return [...counts].sort((a, b) => b.count - a.count || byCodePoints(text(a), text(b))).slice(0, max);
}
