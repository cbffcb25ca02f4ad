// Rows of the engine's benchmark: active listings of the seeded country, as the catalogue would write them.

import { Placement } from '../../src/areas/placement.ts';
import { writtenSnapshot } from '../../src/ingest/listing-change.ts';
import { searchRow, textRow } from '../../src/ingest/rows/search-row.ts';
import { planWrite } from '../../src/ingest/write-plan.ts';
import type { SearchRow } from '../../src/listings/search-row.ts';
import type { ListingType } from '../../src/listings/vocabulary.ts';
import { ColumnBuffer } from '../../src/search/engine/columns/column-buffer.ts';
import { createDictionaries } from '../../src/search/engine/columns/dictionary.ts';
import type { Generation, Table } from '../../src/search/engine/columns/segment.ts';
import { TailWords } from '../../src/search/engine/columns/tail-words.ts';
import { hashWord } from '../../src/search/engine/columns/word-hash.ts';
import { WordCollector } from '../../src/search/engine/columns/word-index.ts';
import { mergeSegment } from '../../src/search/engine/segments/build-segment.ts';
import { random } from '../market.ts';
import { COPIES, degrees, listingsOf } from '../million/drafts.ts';
import { country, type Town } from '../million/towns.ts';

const SEED = 20_261;
export const TODAY = Date.UTC(2026, 0, 5);
const NONE = new Uint32Array(0);
const NOWHERE = new Placement([]);

export interface Market {
  readonly generation: Generation;
  readonly towns: readonly Town[];
  /** Milliseconds that building the segments took. */
  readonly buildMs: number;
}

/** About so many active listings of both types; of ten, six are sales. */
export function buildMarket(listings: number): Market {
  const { towns } = country(SEED);
  const dictionaries = createDictionaries();
  const buffers = { sale: new ColumnBuffer(dictionaries), rental: new ColumnBuffer(dictionaries) };
  const words = { sale: new WordCollector(), rental: new WordCollector() };
  const numbers = areaNumbers(towns);
  let count = 0;
  for (let kind = 0; count < listings; kind++) {
    for (const { row, hashes } of activeRows(towns, kind * COPIES, numbers)) {
      for (let copy = 0; copy < COPIES; copy++) {
        const own = copyOf(row, copy, kind);
        buffers[row.listing_type].add(own, 1);
        addWords(words[row.listing_type], hashes, own.id);
      }
      count += COPIES;
    }
  }
  const begun = performance.now();
  const tableOf = (type: ListingType): Table => {
    const base = mergeSegment(null, NONE, buffers[type].columns(), NONE, (source) =>
      words[type].build(source),
    );
    return {
      base,
      baseRemoved: NONE,
      tail: new ColumnBuffer(dictionaries).columns(),
      tailRemoved: NONE,
      tailWords: new TailWords(),
      live: base.rows,
    };
  };
  const tables = { sale: tableOf('sale'), rental: tableOf('rental') };
  return { generation: { tables, dictionaries, sequence: 0 }, towns, buildMs: performance.now() - begun };
}

interface ActiveRow {
  readonly row: SearchRow;
  /** Of its words, without those of its id. */
  readonly hashes: readonly number[];
}

/** The active listings of a home. */
function activeRows(towns: readonly Town[], home: number, areas: AreasOf): ActiveRow[] {
  return listingsOf(towns, SEED, home, TODAY).flatMap(({ draft, observedAt }) => {
    if (draft.status !== 'ACTIVE' && draft.status !== 'ACTIVE_UNDER_CONTRACT') return [];
    const write = planWrite('bench', draft, null, NOWHERE, observedAt);
    if (write === null) return [];
    const snapshot = writtenSnapshot(write, observedAt);
    const row = { ...searchRow(snapshot), area_nos: areas(draft.address.city) };
    const lexemes = String(textRow(snapshot).row.words).split(/['\s]+/);
    const hashes = lexemes.filter((lexeme) => /^[^A#]/.test(lexeme)).map(hashWord);
    return [{ row, hashes }];
  });
}

/** Ids and keys are four words that no other listing has. */
function addWords(words: WordCollector, hashes: readonly number[], id: string): void {
  words.beginRow();
  for (const hash of hashes) words.addWord(hash);
  for (const own of ['', 'k', 'p', 'm']) words.add(words.addToVocabulary(hashWord(`A${id}${own}`)));
}

/** A listing like another one, some streets away, somewhat cheaper or dearer, and listed at another hour. */
function copyOf(row: SearchRow, copy: number, kind: number): SearchRow {
  const next = random(kind * COPIES + copy);
  const [, lng = '0', lat = '0'] = /^\((.*),(.*)\)$/.exec(row.location ?? '') ?? [];
  const earlier = (time: string | null): string | null =>
    time && new Date(Date.parse(time) - Math.floor(next() * 86_400_000)).toISOString();
  const price = row.price === null ? null : Math.round(row.price * (0.8 + next() * 0.4));
  return {
    ...row,
    id: `${row.id}${copy.toString(36)}`,
    mls_number: `${row.mls_number}${copy}`,
    price,
    price_per_area: price !== null && row.living_area ? price / row.living_area : null,
    location: `(${degrees(Number(lng) + (next() - 0.5) * 0.016)},${degrees(Number(lat) + (next() - 0.5) * 0.012)})`,
    listed_at: earlier(row.listed_at),
    days_on_market_start: earlier(row.days_on_market_start),
  };
}

type AreasOf = (city: string | null) => readonly number[];

/** The areas of a town: state, county and city. */
function areaNumbers(towns: readonly Town[]): AreasOf {
  const nos = new Map<string, number>();
  const no = (name: string): number => {
    const known = nos.get(name) ?? nos.size + 1;
    nos.set(name, known);
    return known;
  };
  const byCity = new Map(
    towns.map(({ name, state, county }) => [
      name,
      [no(state), no(`${state} ${county}`), no(`${state} ${name}`)],
    ]),
  );
  return (city) => byCity.get(city ?? '') ?? [];
}
