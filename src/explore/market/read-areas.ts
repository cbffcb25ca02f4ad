// Areas of the market page: the one it is about, a second one, and those of its table.

import { NOTHING, type Reach } from '../../access/tiers/reach.ts';
import { type Area, slugOf } from '../../areas/area.ts';
import { type AreaQuery, includeOf, planAreas } from '../../areas/query.ts';
import { findArea, findAreaNo, findAreaNos, findAreas } from '../../areas/read-store.ts';
import type { AreaType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';

/** Areas of one table, those with the most homes: the others are found by their names. */
const MAX_AREAS = 1_000;
/** Areas of a name that people choose from. */
export const MAX_NAMED = 20;
/** Words of a name that are looked for; more are no name. */
const MAX_WORDS = 10;
/** Kinds of areas of the whole market, and of those below one area: the first that there are. */
const TYPES: readonly AreaType[] = [
  'city',
  'borough',
  'neighborhood',
  'county',
  'metro',
  'state',
  'postal_code',
  'custom',
  'school_district',
  'country',
];
/** Within a city its parts come first. */
const WITHIN: readonly AreaType[] = ['borough', 'neighborhood', ...TYPES];

export interface AreaSet {
  readonly type: AreaType;
  /** The area that they lie in; null: the whole market. */
  readonly parent: Pick<Area, 'id' | 'name'> | null;
  /** By number of homes, the most first; at most MAX_AREAS. */
  readonly areas: readonly Pick<Area, 'id' | 'name' | 'bbox'>[];
  /** How many there are, of those with the words that were looked for. */
  readonly total: number;
  /** Around them: west, south, east, north; null: not known. */
  readonly box: readonly [number, number, number, number] | null;
}

const firstWords = (text: string): string =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS).join(' ');

/** Null without such an area. */
export async function readArea(database: Database, id: string): Promise<Area | null> {
  const found = await database.read((sql) => findArea(sql, id, includeOf(NOTHING, ['ancestors'])));
  return found?.area ?? null;
}

/**
 * The area with this very name, or the only one whose name has all these words; several where it takes a choice, those with the
 * most homes first. Null: none.
 */
export async function findAreaByName(
  database: Database,
  text: string,
  reach: Reach,
): Promise<Area | Area[] | null> {
  if (!/[\p{L}\p{N}]/u.test(text)) return null;
  const plan = planAreas(
    { q: firstWords(text), sort: '-listingCount', include: ['ancestors', 'counts'] },
    MAX_NAMED,
    reach,
  );
  const found = (await database.read((sql) => findAreas(sql, plan))).map(({ area }) => area);
  const named = found.filter(({ name }) => slugOf(name) === slugOf(text));
  const choice = named.length > 0 ? named : found;
  return choice.length > 1 ? choice : (choice[0] ?? null);
}

/**
 * The areas that a page about this area compares: those in it, or those beside it where it has none; of these, those whose names
 * have the words `within`. Null: there are none.
 */
export async function readAreaSet(
  database: Database,
  area: Area | null,
  within: string | null,
  reach: Reach,
): Promise<AreaSet | null> {
  if (area === null) return readWholeMarket(database, within, reach);
  const inside = await readChildren(database, area, { within, reach });
  if (inside !== null) return inside;
  const parent = area.parentId === null ? null : await readArea(database, area.parentId);
  return parent === null ? null : readChildren(database, parent, { within, reach }, area.type);
}

/** The areas of the first type of which there are two or more. */
async function readWholeMarket(
  database: Database,
  within: string | null,
  reach: Reach,
): Promise<AreaSet | null> {
  for (const type of TYPES) {
    const found = await listAreas(database, { parentNo: null, type, within: null, reach }, 2);
    if (found.length > 1) return readSet(database, { parentNo: null, type, within, reach }, null);
  }
  return null;
}

async function readChildren(
  database: Database,
  parent: Area,
  { within, reach }: Pick<SetQuery, 'within' | 'reach'>,
  only: AreaType | null = null,
): Promise<AreaSet | null> {
  const parentNo = await database.read((sql) => findAreaNo(sql, parent.id));
  if (parentNo === null) return null;
  for (const type of only === null ? new Set(WITHIN) : [only]) {
    const found = await listAreas(database, { parentNo, type, within: null, reach }, 1);
    if (found.length > 0) return readSet(database, { parentNo, type, within, reach }, parent);
  }
  return null;
}

/** Which areas a table has. */
interface SetQuery {
  readonly parentNo: number | null;
  readonly type: AreaType;
  readonly within: string | null;
  /** What is open to the reader. */
  readonly reach: Reach;
}

const planOf = ({ parentNo, type, within, reach }: SetQuery, limit: number): AreaQuery => ({
  ...planAreas(
    { sort: '-listingCount', include: [], type, ...(within !== null && { q: firstWords(within) }) },
    limit,
    reach,
  ),
  parentNo,
});

async function listAreas(database: Database, query: SetQuery, limit: number): Promise<readonly Area[]> {
  const found = await database.read((sql) => findAreas(sql, planOf(query, limit)));
  return found.map(({ area }) => area);
}

async function readSet(database: Database, query: SetQuery, parent: Area | null): Promise<AreaSet> {
  const found = await listAreas(database, query, MAX_AREAS + 1);
  const total =
    found.length <= MAX_AREAS
      ? found.length
      : (await database.read((sql) => findAreaNos(sql, planOf(query, 1)))).length;
  const [west, south, east, north] = parent?.bbox ?? [];
  const isKnown = west !== undefined && south !== undefined && east !== undefined && north !== undefined;
  return {
    type: query.type,
    parent,
    box: isKnown ? [west, south, east, north] : null,
    areas: found.slice(0, MAX_AREAS),
    total,
  };
}
