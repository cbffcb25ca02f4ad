// SQL that deletes listings with all that is stored of them, and the areas of a source.

import type { Transaction } from '../../postgres/client/database.ts';

/** The next listings of a source, in the order of their keys. */
export async function findIdsOfSource(tx: Transaction, source: string, limit: number): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from listing where source = ${source} order by listing_key limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Deletes listings that the transaction has locked; the timelines of their properties have to be rebuilt afterwards. */
export async function deleteListings(tx: Transaction, ids: readonly string[]): Promise<void> {
  const gone = tx`any(${[...ids]}::text[])`;
  await Promise.all([
    tx`delete from listing_search where id = ${gone}`,
    tx`delete from listing_text where listing_id = ${gone}`,
    tx`delete from listing_event where listing_id = ${gone}`,
    tx`delete from listing_reso where listing_id = ${gone}`,
    tx`delete from raw_record using listing
      where listing.id = ${gone} and raw_record.source = listing.source and raw_record.key = listing.listing_key`,
    tx`delete from listing_confirmation where listing_id = ${gone}`,
    tx`delete from market_listing where listing_id = ${gone}`,
    tx`delete from listing where id = ${gone}`,
  ]);
}

/** Locks properties, in one order, before listings of theirs are deleted: nobody adds a listing to them meanwhile. */
export async function lockProperties(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx`select from property where id = any(${[...ids]}::text[]) order by id for update`;
}

/** Deletes those of these properties that have no listing left. */
export async function deleteEmptyProperties(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx`
    delete from property where id = any(${[...ids]}::text[])
      and not exists (select from listing where property_id = property.id)`;
}

/**
 * Deletes currencies that no listing has any more. The transaction has changed the areas' version, so that nobody
 * writes listings until it ends.
 */
export async function deleteUnusedCurrencies(tx: Transaction): Promise<void> {
  await tx`
    delete from listing_currency as known where not exists (select from listing_search as listing
      where listing.listing_type = known.listing_type and listing.currency = known.currency
        and listing.licence = known.licence_no::text)`;
}

/** Deletes names of places, features and the like that no displayed listing has any more, as `deleteUnusedCurrencies` does. */
export async function deleteUnusedNames(tx: Transaction): Promise<void> {
  await tx`
    with present as (
      select distinct listing_type, kind, key, licence::smallint as licence_no from listing_search cross join lateral (
        values ('city', city), ('neighborhood', neighborhood), ('county', county), ('state', state),
          ('country', country), ('postalCode', postal_code), ('furnished', furnished), ('propertySubType', property_sub_type)
        union all select 'features', unnest(features)
        union all select 'pets', unnest(pets)
        union all select 'utilitiesIncluded', unnest(utilities)
        union all select 'saleCondition', unnest(sale_conditions)) as named (kind, key)
      where displayed and key is not null)
    delete from search_name as known where not exists (select from present
      where present.listing_type = known.listing_type and present.kind = known.kind and present.key = known.key
        and present.licence_no = known.licence_no)`;
}

/** Deletes the records that programs pushed of a source, and the events that its server pushed. */
export async function deletePushed(tx: Transaction, source: string): Promise<void> {
  await tx`delete from entity_event where source = ${source}`;
  await tx`delete from pushed_listing where source = ${source}`;
}
