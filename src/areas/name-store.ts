// SQL that finds areas by id, number and name, and writes the words that typos are matched against.

import type { AreaType } from '../listings/vocabulary.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { trigramsOf } from '../text/tokenize.ts';

/** An area with its type and name. */
export interface NamedArea {
  readonly id: string;
  readonly no: number;
  readonly type: AreaType;
  readonly name: string;
}

/** A character that no word contains. */
const SEPARATOR = '\u001e';

/** The areas with these ids, in their order, without unknown ids. */
export function findNamedAreas(database: Database, ids: readonly string[]): Promise<NamedArea[]> {
  return database.read(
    (sql) => sql<NamedArea[]>`
      select id, no, type, name from area where id = any(${[...ids]}::text[]) order by array_position(${[...ids]}::text[], id)`,
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

/** The id of the area with most words that start like these, for suggestions. */
export async function suggestArea(database: Database, words: readonly string[]): Promise<string | null> {
  const [row] = await database.read(
    (sql) => sql<{ id: string }[]>`
      select area.id from unnest(${[...words]}::text[]) as prefix (prefix)
      join area_word on word >= prefix and word < prefix || ${'\u{10ffff}'}
      join area on area.no = area_no group by area.id, area.name
      order by count(*) desc, length(area.name), area.id limit 1`,
  );
  return row?.id ?? null;
}

/** The names of these areas, in the order of the ids, without unknown ids. */
export async function findAreaNames(
  database: Database,
  ids: readonly string[],
): Promise<Pick<NamedArea, 'id' | 'name' | 'type'>[]> {
  return database.read(
    (sql) => sql<Pick<NamedArea, 'id' | 'name' | 'type'>[]>`
      select id, name, type from area where id = any(${[...ids]}::text[])
      order by array_position(${[...ids]}::text[], id)`,
  );
}

/** Adds missing names, sorted so that concurrent writers cannot deadlock. */
export async function writeNames(tx: Transaction, names: readonly string[]): Promise<void> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return;
  await tx`
    insert into search_word (word, trigrams)
    select word, string_to_array(trigrams, ${SEPARATOR}) from unnest(${distinct}::text[],
      ${distinct.map((name) => trigramsOf(name).join(SEPARATOR))}::text[]) as row (word, trigrams)
    where not exists (select from search_word as existing where existing.word = row.word)
    order by word on conflict do nothing`;
}
