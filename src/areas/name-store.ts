// SQL of area names and of the names that typos are matched against.

import type { AreaType } from '../listings/vocabulary.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { trigramsOf } from '../text/tokenize.ts';

export interface NamedArea {
  readonly id: string;
  readonly name: string;
  readonly type: AreaType;
}

/** The names of these areas, in the order of the ids; one that is gone is left out. */
export async function findAreaNames(database: Database, ids: readonly string[]): Promise<NamedArea[]> {
  return database.read(
    (sql) => sql<NamedArea[]>`
      select id, name, type from area where id = any(${[...ids]}::text[])
      order by array_position(${[...ids]}::text[], id)`,
  );
}

/** Adds names, in their order so that two writers never wait for each other; a name that is known writes nothing. */
export async function writeNames(tx: Transaction, names: readonly string[]): Promise<void> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return;
  await tx`
    insert into search_word (word, trigrams)
    select word, string_to_array(trigrams, ${SEPARATOR}) from unnest(${distinct}::text[],
      ${distinct.map((name) => trigramsOf(name).join(SEPARATOR))}::text[]) as row (word, trigrams)
    where not exists (select from search_word as known where known.word = row.word)
    order by word on conflict do nothing`;
}

/** No word holds it. */
const SEPARATOR = '\u001e';
