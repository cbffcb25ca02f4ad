// Engine as a backend of searches: every question answered from the columns of one generation.

import type { StoredListing } from '../../../listings/store.ts';
import { type Condition, isCurrency } from '../../query/condition.ts';
import type { Facet } from '../../query/parameters.ts';
import type { ResolvedSearch } from '../../query/plan.ts';
import type {
  Cell,
  FacetCount,
  FindKnown,
  HitPage,
  KnownListing,
  SearchBackend,
  SearchHit,
} from '../../query/search-backend.ts';
import type { Columns, Generation } from '../columns/segment.ts';
import { CellGroups } from './cells.ts';
import { facetCounter } from './facets.ts';
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
}

/** Pages are filled up so often, where listings changed between the engine's answer and the reading of their records. */
const MOST_READS = 3;

export function createEngineBackend(options: EngineBackendOptions): SearchBackend {
  const scan = (
    search: ResolvedSearch,
    consume: (columns: Columns) => RowConsumer,
    conditions: readonly Condition[] = search.plan.conditions,
  ): Promise<void> => {
    const { table, filters, signal } = new PreparedSearch(options.generation(), search, conditions);
    return scanRows(partsOf(table), filters, consume, signal);
  };

  return {
    page: (search, known) => readPage(options, search, known),
    countsAlong: () => true,
    count: (search) => countRows(search, search.plan.conditions),
    async facets(search, facets, max) {
      const { dictionaries } = options.generation();
      const counters = [...new Set(facets)].map(
        (facet) => [facet, facetCounter(facet, dictionaries)] as const,
      );
      let total = 0;
      await scan(search, (columns) => {
        const consumers = counters.map(([, counter]) => counter.consume(columns));
        return (rows, count) => {
          total += count;
          for (const consume of consumers) consume(rows, count);
        };
      });
      const values = new Map<Facet, readonly FacetCount[]>();
      for (const [facet, counter] of counters)
        values.set(facet, mostFrequent(await named(facet, counter.counts()), max));
      return { total, values };
    },
    async cells(search, { letters, limit, after }) {
      const groups = new CellGroups(letters);
      await scan(search, (columns) => groups.consume(columns));
      const cells = groups.cells();
      const from = after === undefined ? 0 : cells.findIndex((cell) => isBehind(cell, after));
      return from < 0 ? [] : cells.slice(from, from + limit);
    },
    async summaries(search, measures) {
      const collectors = measures.map((measure) => new SummaryCollector(measure, search.plan.startedAt));
      let total = 0;
      await scan(search, (columns) => {
        const consumers = collectors.map((collector) => collector.consume(columns));
        return (rows, count) => {
          total += count;
          for (const consume of consumers) consume(rows, count);
        };
      });
      const summaries = collectors.map((collector, at) => [measures[at], collector.summary()] as const);
      return {
        total,
        measures: new Map(summaries.flatMap(([measure, each]) => (measure ? [[measure, each]] : []))),
      };
    },
    async countEach(search, sets) {
      const counts: number[] = [];
      const currency = search.plan.conditions.filter(isCurrency);
      for (const set of sets) counts.push(await countRows(search, [...set, ...currency]));
      return counts;
    },
    async currencies(search, among) {
      return (await codesOf(search, 'currency')).filter((currency) => among.includes(currency));
    },
    sources: (search) => codesOf(search, 'providerId'),
  };

  async function countRows(search: ResolvedSearch, conditions: readonly Condition[]): Promise<number> {
    let total = 0;
    const add: RowConsumer = (_, count) => {
      total += count;
    };
    await scan(search, () => add, conditions);
    return total;
  }

  /** The words of a column among all results. */
  async function codesOf(search: ResolvedSearch, column: 'currency' | 'providerId'): Promise<string[]> {
    const dictionary = options.generation().dictionaries[column];
    const isFound = new Uint8Array(dictionary.size);
    await scan(search, ({ codes }) => (rows, count) => {
      const own = codes[column];
      if (own === undefined) return;
      for (let at = 0; at < count; at++) isFound[own[rows[at] as number] as number] = 1;
    });
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
  const prepared = new PreparedSearch(options.generation(), search);
  const records = new Map<string, StoredListing | Known>();
  const gone = new Set<string>();
  for (let read = 1; ; read++) {
    const asked = plan.limit + 1 + 2 * gone.size;
    const { found, total } = await findPage(plan, prepared, asked);
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
    // What is behind the page is not read: the engine knows of it.
    const more = present.length > plan.limit || found.length === asked;
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

/** The most frequent first, ties as their texts are ordered. */
function mostFrequent(counts: readonly FacetCount[], max: number): readonly FacetCount[] {
  const text = ({ value }: FacetCount): string => String(value);
  return [...counts].sort((a, b) => b.count - a.count || (text(a) < text(b) ? -1 : 1)).slice(0, max);
}

/** Whether a cell comes behind the one with this count, column and row. */
function isBehind(cell: Cell, [count = 0, column = 0, row = 0]: readonly number[]): boolean {
  if (cell.count !== count) return cell.count < count;
  return cell.column === column ? cell.row > row : cell.column > column;
}
