// Owns the SQL that tells what areas are called.

import type { AreaType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';

export interface NamedArea {
  readonly id: string;
  readonly name: string;
  readonly type: AreaType;
}

/** The names of these areas, in the order of the ids; one that is gone is left out. */
export async function nameAreas(database: Database, ids: readonly string[]): Promise<NamedArea[]> {
  return database.read(
    (sql) => sql<NamedArea[]>`
      select id, name, type from area where id = any(${[...ids]}::text[])
      order by array_position(${[...ids]}::text[], id)`,
  );
}
