// Areas of the market page: the one it is about, a second one, and those of its table.

import { type Area, slugOf } from '../../areas/area.ts';
import { includeOf, planAreas } from '../../areas/query.ts';
import { findArea, findAreaNo, findAreas } from '../../areas/read-store.ts';
import type { AreaType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';

/** Areas of one table: more are left out, the smallest first. */
const MAX_AREAS = 1_000;
/** Areas of a name that are looked at. */
const MAX_NAMED = 20;
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
  readonly areas: readonly Pick<Area, 'id' | 'name'>[];
  readonly isComplete: boolean;
  /** Around them: west, south, east, north; null: not known. */
  readonly box: readonly [number, number, number, number] | null;
}

/** Null without such an area. */
export async function readArea(database: Database, id: string): Promise<Area | null> {
  const found = await database.read((sql) => findArea(sql, id, includeOf(['ancestors'])));
  return found?.area ?? null;
}

/** The area whose name has all these words; of several the one with this very name, else with the most homes. Null: none. */
export async function findAreaByName(database: Database, text: string): Promise<Area | null> {
  if (!/[\p{L}\p{N}]/u.test(text)) return null;
  const plan = planAreas({ q: text, sort: '-listingCount', include: [] }, MAX_NAMED);
  const found = await database.read((sql) => findAreas(sql, plan));
  const isNamed = ({ area }: (typeof found)[number]) => slugOf(area.name) === slugOf(text);
  return (found.find(isNamed) ?? found[0])?.area ?? null;
}

/** The areas that a page about this area compares: those in it, or those beside it where it has none. Null: there are none. */
export async function readAreaSet(database: Database, area: Area | null): Promise<AreaSet | null> {
  if (area === null) return readWholeMarket(database);
  const inside = await readChildren(database, area);
  if (inside !== null) return inside;
  const parent = area.parentId === null ? null : await readArea(database, area.parentId);
  return parent === null ? null : readChildren(database, parent, area.type);
}

/** The areas of the first type of which there are two or more. */
async function readWholeMarket(database: Database): Promise<AreaSet | null> {
  for (const type of TYPES) {
    const found = await listAreas(database, null, type);
    if (found.length > 1) return areaSet(type, null, found);
  }
  return null;
}

async function readChildren(database: Database, parent: Area, only?: AreaType): Promise<AreaSet | null> {
  const no = await database.read((sql) => findAreaNo(sql, parent.id));
  if (no === null) return null;
  const found = await listAreas(database, no, only);
  const type = WITHIN.find((each) => found.some((area) => area.type === each));
  if (type === undefined) return null;
  return areaSet(
    type,
    parent,
    found.filter((area) => area.type === type),
  );
}

async function listAreas(
  database: Database,
  parentNo: number | null,
  type: AreaType | undefined,
): Promise<readonly Area[]> {
  const plan = planAreas({ sort: '-listingCount', include: [], ...(type && { type }) }, MAX_AREAS + 1);
  const found = await database.read((sql) => findAreas(sql, { ...plan, parentNo }));
  return found.map(({ area }) => area);
}

function areaSet(type: AreaType, parent: Area | null, found: readonly Area[]): AreaSet {
  const [west, south, east, north] = parent?.bbox ?? [];
  const isKnown = west !== undefined && south !== undefined && east !== undefined && north !== undefined;
  return {
    type,
    parent,
    box: isKnown ? [west, south, east, north] : null,
    areas: found.slice(0, MAX_AREAS),
    isComplete: found.length <= MAX_AREAS,
  };
}
