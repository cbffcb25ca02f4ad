// SQL of what results have among them: currencies and data sources.

import type { ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { whereSql } from './condition-sql.ts';

export interface TypedCurrency {
  readonly listingType: ListingType;
  /** ISO 4217. */
  readonly currency: string;
  readonly licenceNo: number;
}

/** Every currency that listings of either type have or had, by their licences. */
export function findTypedCurrencies(database: Database): Promise<readonly TypedCurrency[]> {
  return database.read(
    (sql) => sql<TypedCurrency[]>`
      select listing_type as "listingType", currency, licence_no as "licenceNo" from listing_currency
      order by 1, 2, 3`,
  );
}

/** Those of these currencies that results of the search have, in alphabetical order. */
export async function findCurrenciesAmong(
  database: Database,
  { plan, resolved }: ResolvedSearch,
  currencies: readonly string[],
): Promise<readonly string[]> {
  const rows = await database.read((sql) => {
    const selects = currencies.map(
      (currency) => sql`(select ${currency}::text as currency where exists (
      select from listing_search where ${whereSql(sql, plan, resolved)} and currency = ${currency}))`,
    );
    return sql<{ currency: string }[]>`${joinSql(selects, ' union all ')}`;
  });
  return rows.map(({ currency }) => currency).sort();
}

/** The ids of the data sources of which a result comes, in alphabetical order. */
export async function findSourcesAmong(
  database: Database,
  { plan, resolved }: ResolvedSearch,
): Promise<readonly string[]> {
  const rows = await database.read(
    (sql) => sql<{ id: string }[]>`
      select source as id from source_freshness as known where exists (
        select from listing_search where ${whereSql(sql, plan, resolved)} and provider_id = known.source)`,
  );
  return rows.map(({ id }) => id).sort();
}
