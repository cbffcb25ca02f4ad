// Keys of the watcher index: those of a search, and those of a row that find it. Pure.

import type { Box } from '../../../geometry/geometry.ts';
import type { SearchRow } from '../../../listings/search-row.ts';
import type { ListingType } from '../../../listings/vocabulary.ts';
import { type Condition, columnOf, type WordColumn } from '../../../search/query/condition.ts';
import type { SavedSearch } from '../../../search/query/saved-search.ts';
import { zipOf } from '../../../text/place-key.ts';
import { AFTER, BEFORE, BOTH, type ChangeSides, type ListingPart, type ListingSide } from './change-sides.ts';

/** The keys of a search: every row that it matches has one of them. */
export interface IndexKeys {
  readonly keys: readonly string[];
  /** The condition that having the only key is as good as; null: the keys only narrow the search. */
  readonly replaces: Condition | null;
}

/** Letters of the keys, in the order of how few watchers share one. */
const WORD_KEYS = {
  id: 'l',
  mlsNumber: 'm',
  agentId: 'g',
  postalCode: 'z',
  neighborhood: 'n',
  officeId: 'o',
  city: 'c',
} as const satisfies Partial<Record<WordColumn, string>>;
const STATE_KEYS = { county: 'u', state: 's' } as const;
type KeyColumn = keyof typeof WORD_KEYS | keyof typeof STATE_KEYS;

/** From the most selective condition on; the first that a search has decides. */
const KEY_CHOICES: readonly ((search: SavedSearch) => IndexKeys | null)[] = [
  (search) => byColumn(search, 'id', WORD_KEYS.id),
  (search) => byColumn(search, 'mlsNumber', WORD_KEYS.mlsNumber),
  (search) => byColumn(search, 'agentId', WORD_KEYS.agentId),
  (search) => byColumn(search, 'postalCode', WORD_KEYS.postalCode),
  byShape,
  byAreas,
  (search) => byColumn(search, 'neighborhood', WORD_KEYS.neighborhood),
  (search) => byColumn(search, 'officeId', WORD_KEYS.officeId),
  (search) => byColumn(search, 'city', WORD_KEYS.city),
  byWords,
  byPrice,
  byBedrooms,
  (search) => byColumn(search, 'county', STATE_KEYS.county),
  (search) => byColumn(search, 'state', STATE_KEYS.state),
];

/** The keys of a search by its most selective condition. */
export function chooseKeys(search: SavedSearch): IndexKeys {
  for (const choose of KEY_CHOICES) {
    const keys = choose(search);
    if (keys !== null) return keys;
  }
  return { keys: [`t${search.listingType}`], replaces: null };
}

export const listingKey = (listingId: string): string => `i${listingId}`;
export const propertyKey = (propertyId: string): string => `p${propertyId}`;

function byColumn(
  { conditions, listingType }: SavedSearch,
  column: KeyColumn,
  letter: string,
): IndexKeys | null {
  for (const condition of conditions) {
    if (condition.kind !== 'words' || condition.column !== column) continue;
    const keys = [...new Set(condition.values)].map((value) => `${letter}${listingType}:${value}`);
    return { keys, replaces: keys.length === 1 ? condition : null };
  }
  return null;
}

function byAreas({ conditions, areaNos, listingType }: SavedSearch): IndexKeys | null {
  const condition = conditions.find(({ kind }) => kind === 'areas');
  if (condition === undefined) return null;
  const keys = [...new Set(areaNos)].map((no) => areaKey(listingType, no));
  return { keys, replaces: keys.length === 1 ? condition : null };
}

const areaKey = (type: ListingType, no: number): string => `a${type}:${no}`;

function byShape({ conditions, listingType }: SavedSearch): IndexKeys | null {
  for (const condition of conditions) {
    if (!('boxes' in condition)) continue;
    const cells = condition.boxes.flatMap(cellsOf);
    return {
      keys: [...new Set(cells)].map((cell) => `x${listingType}:${cell}`),
      replaces: null,
    };
  }
  return null;
}

/** Cells of level n have a side of 256 / 2^n degrees. */
const MAX_LEVEL = 16;
const cellSide = (level: number): number => 256 / 2 ** level;

/** At most nine cells that together hold the box: its longer side is two of theirs or less. */
function cellsOf([west, south, east, north]: Box): string[] {
  const length = Math.max(east - west, north - south);
  let level = MAX_LEVEL;
  while (level > 0 && cellSide(level) * 2 < length) level--;
  const side = cellSide(level);
  const cells: string[] = [];
  for (let x = Math.floor(west / side); x <= Math.floor(east / side); x++)
    for (let y = Math.floor(south / side); y <= Math.floor(north / side); y++)
      cells.push(`${level}/${x}/${y}`);
  return cells;
}

/** A word that is in a listing as itself, as one of its spellings, or through an area of that name. */
function byWords({ conditions, words, listingType }: SavedSearch): IndexKeys | null {
  const condition = conditions.find(({ kind }) => kind === 'text');
  if (condition?.kind !== 'text') return null;
  // Long words are rarer.
  const word = condition.words.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  const { spellings, areaNos } = words[word] ?? { spellings: [word], areaNos: [] };
  const keys = [
    ...spellings.map((spelling) => `w${listingType}:${spelling}`),
    ...areaNos.map((no) => areaKey(listingType, no)),
  ];
  return { keys: [...new Set(keys)], replaces: null };
}

/** Bands of prices, four for each doubling. */
const priceBand = (price: number): number => (price <= 1 ? 0 : Math.floor(4 * Math.log2(price)));
const MAX_BANDS = 6;

function byPrice({ conditions, listingType }: SavedSearch): IndexKeys | null {
  for (const condition of conditions) {
    if (condition.kind !== 'range' || condition.column !== 'price') continue;
    const { min, max = condition.below } = condition;
    if (typeof min !== 'number' || typeof max !== 'number') continue;
    const keys = sequence(priceBand(min), priceBand(max), `b${listingType}:`);
    if (keys.length <= MAX_BANDS) return { keys, replaces: null };
  }
  return null;
}

const MAX_BEDROOM_KEYS = 4;

function byBedrooms({ conditions, listingType }: SavedSearch): IndexKeys | null {
  for (const condition of conditions) {
    if (!('column' in condition) || condition.column !== 'bedrooms') continue;
    const keys = bedroomKeys(condition, `r${listingType}:`);
    if (keys !== null && keys.length <= MAX_BEDROOM_KEYS) return { keys, replaces: null };
  }
  return null;
}

function bedroomKeys(condition: Condition, prefix: string): string[] | null {
  if (condition.kind === 'numbers')
    return [...new Set(condition.values.map((value) => `${prefix}${Math.floor(value)}`))];
  if (condition.kind !== 'range') return null;
  const { min, max } = condition;
  if (typeof min !== 'number' || typeof max !== 'number') return null;
  return sequence(Math.floor(min), Math.floor(max), prefix);
}

function sequence(first: number, last: number, prefix: string): string[] {
  return Array.from(
    { length: Math.max(0, Math.min(last - first + 1, 100)) },
    (_, at) => `${prefix}${first + at}`,
  );
}

/** The keys of a listing that begin with a letter, each once, and what they come from besides the listing type. */
interface ListingKeys {
  readonly letter: string;
  readonly from: ListingPart | null;
  keys(side: ListingSide): readonly string[];
}

const LISTING_KEYS: readonly ListingKeys[] = [
  { letter: 'i', from: null, keys: ({ listingId }) => [listingKey(listingId)] },
  { letter: 'p', from: 'propertyId', keys: ({ propertyId }) => [propertyKey(propertyId)] },
  { letter: 't', from: null, keys: ({ row }) => [`t${row.listing_type}`] },
  ...Object.entries({ ...WORD_KEYS, ...STATE_KEYS }).map(([column, letter]) =>
    columnKeys(letter, columnOf(column as KeyColumn) as keyof SearchRow, (value) =>
      column === 'postalCode' ? postalKeys(String(value)) : [String(value)],
    ),
  ),
  columnKeys('b', 'price', (price) => [priceBand(price)]),
  columnKeys('r', 'bedrooms', (bedrooms) => [Math.floor(bedrooms)]),
  columnKeys('a', 'area_nos', (areaNos) => [...new Set(areaNos)]),
  columnKeys('x', 'location', cellsAt),
  {
    letter: 'w',
    from: 'words',
    keys: wordKeys,
  },
];

/** A postal code, and the ZIP code that finds it too. */
function postalKeys(code: string): readonly string[] {
  const zip = zipOf(code);
  return zip === null ? [code] : [code, zip];
}

function columnKeys<C extends keyof SearchRow>(
  letter: string,
  column: C,
  valuesOf: (value: NonNullable<SearchRow[C]>) => readonly (string | number)[],
): ListingKeys {
  return {
    letter,
    from: column,
    keys({ row }) {
      const value = row[column];
      if (value === null || value === undefined) return [];
      return valuesOf(value).map((each) => `${letter}${row.listing_type}:${each}`);
    },
  };
}

/** Words are searched without the letters of their fields; terms of areas and statuses are not searched as words. */
function wordKeys({ row, words }: ListingSide): string[] {
  const plain = new Set<string>();
  for (const word of words ?? []) {
    const first = word.charAt(0);
    if (first !== '#' && first !== '=') plain.add(/[ABCD]/.test(first) ? word.slice(1) : word);
  }
  return Array.from(plain, (word) => `w${row.listing_type}:${word}`);
}

/**
 * Calls `onKey` once for each key that the listing has before or after a change, with the sides that have it.
 * @param letters of the keys in use
 */
export function eachKey(
  { after, before, isChanged }: ChangeSides,
  letters: ReadonlySet<string>,
  onKey: (key: string, sides: number) => void,
): void {
  const isOtherType = isChanged('listing_type');
  for (const { letter, from, keys } of LISTING_KEYS) {
    if (!letters.has(letter)) continue;
    const keysAfter = keys(after);
    const isSame = before === null || !(isOtherType || (from !== null && isChanged(from)));
    const keysBefore = isSame ? null : new Set(keys(before));
    for (const key of keysAfter) {
      const isBefore = keysBefore === null ? before !== null : keysBefore.delete(key);
      onKey(key, isBefore ? BOTH : AFTER);
    }
    for (const key of keysBefore ?? []) onKey(key, BEFORE);
  }
}

/** The cell of each level that holds a location. */
function cellsAt(location: string): string[] {
  const [lng = 0, lat = 0] = location.slice(1, -1).split(',').map(Number);
  return Array.from({ length: MAX_LEVEL + 1 }, (_, level) => {
    const side = cellSide(level);
    return `${level}/${Math.floor(lng / side)}/${Math.floor(lat / side)}`;
  });
}
