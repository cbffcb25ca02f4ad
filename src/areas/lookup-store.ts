// SQL that finds areas by the ids of a search and by the numbers of listings.

import type { Database } from '../postgres/client/database.ts';

export interface NamedArea {
  readonly id: string;
  readonly no: number;
  readonly name: string;
  /** Its active listings. */
  readonly listings: number;
}

/** The areas with these ids, in their order; unknown ids are left out. */
export function findNamedAreas(database: Database, ids: readonly string[]): Promise<NamedArea[]> {
  return database.read(
    (sql) => sql<NamedArea[]>`
      select id, no, name,
        coalesce((select sum(active) from area_count where area_no = no), 0)::double precision as listings
      from area where id = any(${[...ids]}::text[]) order by array_position(${[...ids]}::text[], id)`,
    { planned: 'once' },
  );
}

/** The ids of the areas with these numbers. */
export function findAreaIds(
  database: Database,
  nos: readonly number[],
): Promise<Pick<NamedArea, 'no' | 'id'>[]> {
  return database.read(
    (sql) => sql<Pick<NamedArea, 'no' | 'id'>[]>`
      select no, id from area where no = any(${[...nos]}::integer[])`,
    { planned: 'once' },
  );
}

/** The id of an area that has a word beginning as one of these do; for suggestions. */
export async function suggestArea(database: Database, words: readonly string[]): Promise<string | null> {
  const [row] = await database.read(
    (sql) => sql<{ id: string }[]>`
      select area.id from unnest(${[...words]}::text[]) as asked (asked)
      join area_word on word >= asked and word < asked || ${'\u{10ffff}'}
      join area on area.no = area_no group by area.id, area.name
      order by count(*) desc, length(area.name), area.id limit 1`,
  );
  return row?.id ?? null;
}
