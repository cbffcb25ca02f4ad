// SQL of `freehold doctor`.

import type { Sql } from '../postgres/client/database.ts';

export interface CatalogueCounts {
  readonly listings: number;
  readonly active: number;
  readonly areas: number;
  /** Imports that were stopped half-way. */
  readonly unfinished: number;
}

export async function countCatalogue(sql: Sql): Promise<CatalogueCounts> {
  const [row] = await sql<CatalogueCounts[]>`
    select (select count(*) from listing_search)::int as listings,
      (select count(*) from listing_search where status = 'ACTIVE')::int as active,
      (select count(*) from area)::int as areas,
      (select count(*) from import_run where finished_at is null)::int as unfinished`;
  return row ?? { listings: 0, active: 0, areas: 0, unfinished: 0 };
}
