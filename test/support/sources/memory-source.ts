// Source in memory: listings, pages on demand, failures to order.

import type { ListingDraft } from '../../../src/listings/draft.ts';
import { mapProperty } from '../../../src/sources/reso/mapping/map.ts';
import { LiveError, type Position, type Source, type SourcePage } from '../../../src/sources/source.ts';

export interface MemorySource extends Source {
  readonly listings: Map<string, ListingDraft>;
  readonly fieldErrors: Map<string, number>;
  /** Keys fetched live. */
  readonly fetched: string[];
  /** Thrown by the next reads, one each. */
  readonly failures: LiveError[];
  pageSize: number;
  /** Called before a listing is given live. */
  beforeFetch: (signal: AbortSignal) => Promise<void>;
  /** Puts a listing in, or a change of it, at the given time (RFC 3339). */
  put(draft: ListingDraft, at: string): void;
}

/** Positions: `load` counts listings in the order of their keys, `since` is the time of the last change read. */
export function memorySource(id = 'memory'): MemorySource {
  const source: MemorySource = {
    id,
    name: 'Memory',
    live: true,
    refreshesPerMinute: 60,
    fieldErrors: new Map(),
    listings: new Map(),
    fetched: [],
    failures: [],
    pageSize: 2,
    beforeFetch: async () => {},
    put(draft, at) {
      source.listings.set(draft.listingKey, { ...draft, upstreamModifiedAt: at });
    },
    async *pages(from, signal) {
      for await (const page of pagesOf(source, from)) {
        const failure = source.failures.shift();
        if (failure !== undefined) throw failure;
        if (signal.aborted) throw new LiveError('timeout', 'aborted');
        yield page;
      }
    },
    async fetchOne(key, signal) {
      source.fetched.push(key);
      await source.beforeFetch(signal);
      const failure = source.failures.shift();
      if (failure !== undefined) throw failure;
      if (signal.aborted) throw new LiveError('timeout', 'aborted');
      const draft = source.listings.get(key);
      if (draft === undefined) throw new LiveError('not_found_upstream', 'not here');
      return draft;
    },
    check: async () => {},
    close: async () => {},
  };
  return source;
}

const modified = (draft: ListingDraft) => draft.upstreamModifiedAt ?? '';

async function* pagesOf(source: MemorySource, from: Position | null): AsyncGenerator<SourcePage> {
  const all = [...source.listings.values()];
  const since = from?.since;
  if (typeof since === 'string') {
    const changed = all
      .filter((draft) => modified(draft) > since)
      .sort((a, b) => (modified(a) < modified(b) ? -1 : 1));
    yield { drafts: changed, gone: [], next: { since: changed.map(modified).at(-1) ?? since }, last: true };
    return;
  }
  const mark = typeof from?.mark === 'string' ? from.mark : (all.map(modified).sort().at(-1) ?? '1970');
  for (let at = Number(from?.load ?? 0); ; at += source.pageSize) {
    const last = at + source.pageSize >= all.length;
    const next = last ? { since: mark } : { load: at + source.pageSize, mark };
    yield { drafts: all.slice(at, at + source.pageSize), gone: [], next, last, total: all.length };
    if (last) return;
  }
}

/** A draft with this key, from RESO's words for its fields. */
export function draftOf(listingKey: string, fields: Readonly<Record<string, unknown>> = {}): ListingDraft {
  const record = { StandardStatus: 'Active', PropertyType: 'Residential', ListPrice: 100, ...fields };
  const draft = mapProperty({ ...record, ListingKey: listingKey }, { currency: 'USD', note: () => {} });
  if (draft === null) throw new Error('A draft needs a key');
  return draft;
}
