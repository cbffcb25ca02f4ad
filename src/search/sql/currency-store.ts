// SQL of currencies: which ones a type of listings has had, and which of them a search finds.

import type { ListingType } from '../../listings/vocabulary.ts';
import { compose, run } from '../../postgres/client/compose.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { inTurn } from '../legacy/search-sql.ts';
import type { SearchPlan } from '../query/search.ts';
import { sourceOf } from './source-sql.ts';
import type { Meanings } from './text-sql.ts';

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

/** Adds those that are new, in their order so that two writers never wait for each other; else it writes nothing. */
export async function addTypedCurrencies(tx: Transaction, held: readonly TypedCurrency[]): Promise<void> {
  await tx`
    insert into listing_currency
    select distinct listing_type, currency from unnest(${held.map(({ listingType }) => listingType)}::text[],
      ${held.map(({ currency }) => currency)}::text[]) as row (listing_type, currency)
    where not exists (select from listing_currency as known
      where known.listing_type = row.listing_type and known.currency = row.currency)
    order by 1, 2 on conflict do nothing`;
}

/** Those of these currencies that listings found by the plan have. */
export async function findCurrenciesFound(
  database: Database,
  plan: SearchPlan,
  meanings: Meanings,
  currencies: readonly string[],
): Promise<readonly string[]> {
  const { from, where, column } = sourceOf(compose, plan, meanings, ['currency']);
  const found = currencies.map(
    (currency) => compose`(select ${currency}::text as currency where exists (
      select from ${from} where ${where} and ${column('currency')} = ${currency}))`,
  );
  const rows = await database.read((sql) => run<{ currency: string }>(sql, inTurn(compose, found)));
  return rows.map(({ currency }) => currency);
}
