// SQL of currencies: which ones a type of listings has had, and which of them a search finds.

import type { ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import { sourceOf } from './source-sql.ts';

export interface TypedCurrency {
  readonly listingType: ListingType;
  /** ISO 4217. */
  readonly currency: string;
}

/** Every currency that listings of either type have, or once had. */
export function findTypedCurrencies(database: Database): Promise<readonly TypedCurrency[]> {
  return database.read(
    (sql) =>
      sql<
        TypedCurrency[]
      >`select listing_type as "listingType", currency from listing_currency order by 1, 2`,
  );
}

/** Those of these currencies that listings found by the plan have. */
export async function findCurrenciesFound(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  currencies: readonly string[],
): Promise<readonly string[]> {
  const rows = await database.read((sql) => {
    const { from, where, column } = sourceOf(sql, plan, resolved, ['currency']);
    const selects = currencies.map(
      (currency) => sql`(select ${currency}::text as currency where exists (
      select from ${from} where ${where} and ${column('currency')} = ${currency}))`,
    );
    return sql<{ currency: string }[]>`${joinSql(selects, ' union all ')}`;
  });
  return rows.map(({ currency }) => currency);
}
