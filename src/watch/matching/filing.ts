// Filing of watchers: the keys under which a search is found, and the keys of a row that find it. Pure.

import type { Box } from '../../geometry/geometry.ts';
import type { SearchRow } from '../../listings/search-row.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { Condition, WordColumn } from '../../search/query/condition.ts';
import type { SavedSearch } from '../../search/query/saved-search.ts';

/** Where a search is filed: every row that it matches has one of the keys. */
export interface Filing {
  readonly keys: readonly string[];
  /** The condition that having the only key is as good as; null: the keys only narrow the search. */
  readonly replaces: Condition | null;
  /** Whether the keys are words, which a row does not contain. */
  readonly byWords: boolean;
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
const FILINGS: readonly ((search: SavedSearch) => Filing | null)[] = [
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
export function fileSearch(search: SavedSearch): Filing {
  for (const file of FILINGS) {
    const filing = file(search);
    if (filing !== null) return filing;
  }
  return { keys: [`t${search.listingType}`], replaces: null, byWords: false };
}

export const listingKey = (listingId: string): string => `i${listingId}`;
export const propertyKey = (propertyId: string): string => `p${propertyId}`;

function byColumn(
  { conditions, listingType }: SavedSearch,
  column: KeyColumn,
  letter: string,
): Filing | null {
  for (const condition of conditions) {
    if (condition.kind !== 'words' || condition.column !== column) continue;
    const keys = [...new Set(condition.values)].map((value) => `${letter}${listingType}:${value}`);
    return { keys, replaces: keys.length === 1 ? condition : null, byWords: false };
  }
  return null;
}

function byAreas({ conditions, areaNos, listingType }: SavedSearch): Filing | null {
  const condition = conditions.find(({ kind }) => kind === 'areas');
  if (condition === undefined) return null;
  const keys = [...new Set(areaNos)].map((no) => areaKey(listingType, no));
  return { keys, replaces: keys.length === 1 ? condition : null, byWords: false };
}

const areaKey = (type: ListingType, no: number): string => `a${type}:${no}`;

function byShape({ conditions, listingType }: SavedSearch): Filing | null {
  for (const condition of conditions) {
    if (!('boxes' in condition)) continue;
    const cells = condition.boxes.flatMap(cellsOf);
    return {
      keys: [...new Set(cells)].map((cell) => `x${listingType}:${cell}`),
      replaces: null,
      byWords: false,
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
function byWords({ conditions, words, listingType }: SavedSearch): Filing | null {
  const condition = conditions.find(({ kind }) => kind === 'text');
  if (condition?.kind !== 'text') return null;
  // Long words are rarer.
  const word = condition.words.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  const { spellings, areaNos } = words[word] ?? { spellings: [word], areaNos: [] };
  const keys = [
    ...spellings.map((spelling) => `w${listingType}:${spelling}`),
    ...areaNos.map((no) => areaKey(listingType, no)),
  ];
  return { keys: [...new Set(keys)], replaces: null, byWords: true };
}

/** Bands of prices, four for each doubling. */
const priceBand = (price: number): number => (price <= 1 ? 0 : Math.floor(4 * Math.log2(price)));
const MAX_BANDS = 6;

function byPrice({ conditions, listingType }: SavedSearch): Filing | null {
  for (const condition of conditions) {
    if (condition.kind !== 'range' || condition.column !== 'price') continue;
    const { min, max = condition.below } = condition;
    if (typeof min !== 'number' || typeof max !== 'number') continue;
    const keys = sequence(priceBand(min), priceBand(max), `b${listingType}:`);
    if (keys.length <= MAX_BANDS) return { keys, replaces: null, byWords: false };
  }
  return null;
}

const MAX_BEDROOM_KEYS = 4;

function byBedrooms({ conditions, listingType }: SavedSearch): Filing | null {
  for (const condition of conditions) {
    if (!('column' in condition) || condition.column !== 'bedrooms') continue;
    const keys = bedroomKeys(condition, `r${listingType}:`);
    if (keys !== null && keys.length <= MAX_BEDROOM_KEYS) return { keys, replaces: null, byWords: false };
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

/** The keys of a row under which searches that match it are filed; those of words only if the words are given. */
export function rowKeys(row: SearchRow, words: ReadonlySet<string> | null): string[] {
  const type = row.listing_type;
  const keys = [`t${type}`];
  const add = (letter: string, value: string | number | null): void => {
    if (value !== null) keys.push(`${letter}${type}:${value}`);
  };
  add(WORD_KEYS.id, row.id);
  add(WORD_KEYS.mlsNumber, row.mls_number);
  add(WORD_KEYS.agentId, row.agent_id);
  add(WORD_KEYS.postalCode, row.postal_code);
  add(WORD_KEYS.neighborhood, row.neighborhood);
  add(WORD_KEYS.officeId, row.office_id);
  add(WORD_KEYS.city, row.city);
  add(STATE_KEYS.county, row.county);
  add(STATE_KEYS.state, row.state);
  add('b', row.price === null ? null : priceBand(row.price));
  add('r', row.bedrooms === null ? null : Math.floor(row.bedrooms));
  for (const no of row.area_nos) add('a', no);
  for (const cell of cellsAt(row.location)) add('x', cell);
  for (const word of words ?? []) if (!/^[#=]/.test(word)) add('w', word.replace(/^[ABCD]/, ''));
  return keys;
}

/** The cell of each level that holds a location. */
function cellsAt(location: string | null): string[] {
  if (location === null) return [];
  const [lng = 0, lat = 0] = location.slice(1, -1).split(',').map(Number);
  return Array.from({ length: MAX_LEVEL + 1 }, (_, level) => {
    const side = cellSide(level);
    return `${level}/${Math.floor(lng / side)}/${Math.floor(lat / side)}`;
  });
}
