// SQL of properties: which there are for identities, which listing each was first made for, and new ones.

import type { BatchPosition } from '../changes/change-store.ts';
import { wholeAddress } from '../listings/lean-record.ts';
import type { StoredRecord } from '../listings/stored-record.ts';
import type { Sql, Transaction } from '../postgres/client/database.ts';
import { toJson } from '../postgres/client/value-types.ts';
import { type EvidenceRecord, type HomeEvidence, recordEvidence } from './identity.ts';
import type { AssignedProperty, FirstListing } from './property-assignment.ts';

/** The ids of properties that kept their ids under these identities, by identity; the oldest where there are several. */
export async function findRenamed(
  sql: Sql | Transaction,
  identities: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ identity: string; id: string }[]>`
    select distinct on (identity) identity, id from property
    where renamed and identity = any(${[...new Set(identities)]}::text[]) order by identity, created_at, id`;
  return new Map(rows.map(({ identity, id }) => [identity, id]));
}

/** What is read of a stored listing to compare homes. */
interface EvidenceRow
  extends Pick<HomeEvidence, 'source' | 'listingKey' | 'addressDisplayed'>,
    EvidenceRecord {
  readonly id: string;
  readonly propertyId: string;
}

const evidenceColumns = (sql: Sql | Transaction) => sql`
  id, property_id as "propertyId", source, listing_key as "listingKey", address_displayed as "addressDisplayed",
  record -> 'address' as address, record -> 'location' as location,
  json_build_object('parcelNumber', record -> 'property' -> 'parcelNumber',
    'universalPropertyId', record -> 'property' -> 'universalPropertyId') as property`;

const evidenceOf = (row: EvidenceRow): HomeEvidence =>
  recordEvidence(row, { ...row, address: wholeAddress(row.address) });

/** The first listing of each of these properties, and of those that these listings belong to, by property id. */
export async function findFirstListings(
  tx: Transaction,
  ids: readonly string[],
  propertyIds: readonly string[],
): Promise<Map<string, FirstListing>> {
  const rows = await tx<EvidenceRow[]>`
    select distinct on (property_id) ${evidenceColumns(tx)} from listing
    where property_id in (
      select unnest(${[...new Set(propertyIds)]}::text[])
      union select property_id from listing where id = any(${[...ids]}::text[]))
    order by property_id, created_at, id`;
  return new Map(rows.map((row) => [row.propertyId, { id: row.id, home: evidenceOf(row) }]));
}

/** Which of these properties there are. */
export async function findExisting(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from property where id = any(${[...new Set(ids)]}::text[])`;
  return rows.map(({ id }) => id);
}

/**
 * Creates properties that are new, and locks the others, in one order: the update that never happens is what locks. Returns those
 * that it created, of which nothing is stored.
 */
export async function lockProperties(
  tx: Transaction,
  assigned: readonly AssignedProperty[],
  observedAt: number,
): Promise<Set<string>> {
  const identities = new Map(assigned.map(({ propertyId, identity }) => [propertyId, identity]));
  const ids = [...identities.keys()].sort();
  const created = await tx<{ id: string }[]>`
    insert into property (id, identity, created_at)
    select id, identity, ${new Date(observedAt).toISOString()}
    from unnest(${ids}::text[], ${ids.map((id) => identities.get(id) ?? '')}::text[]) as row (id, identity)
    on conflict (id) do update set created_at = excluded.created_at where false
    returning id`;
  const renamed = assigned.filter((each) => each.renamed);
  const createdIds = new Set(created.map(({ id }) => id));
  if (renamed.length === 0) return createdIds;
  await tx`
    update property set identity = row.identity, renamed = true
    from unnest(${renamed.map((each) => each.propertyId)}::text[], ${renamed.map((each) => each.identity)}::text[])
      as row (id, identity) where property.id = row.id`;
  return createdIds;
}

/** Writes the property of listings, as their records name it, wherever it is stored; `position` is that of the first change. */
export async function updatePropertyOfListings(
  tx: Transaction,
  listings: readonly { readonly id: string; readonly record: StoredRecord }[],
  position: BatchPosition,
  updatedAt: string,
): Promise<void> {
  const rows = toJson(listings.map(({ id, record }, at) => ({ id, record, ordinal: position.ordinal + at })));
  const row = () => tx`json_to_recordset(${rows}::text::json) as row (id text, record json, ordinal integer)`;
  await tx`
    update listing set property_id = row.record ->> 'propertyId', record = row.record, version = version + 1,
      updated_at = ${updatedAt}, change_batch_id = ${position.batchId}, change_ordinal = ordinal
    from ${row()} where listing.id = row.id`;
  await tx`
    update listing_search set version = version + 1, updated_at = ${updatedAt}
    from ${row()} where listing_search.id = row.id`;
  await tx`
    update listing_event set property_id = row.record ->> 'propertyId'
    from ${row()} where listing_id = row.id`;
  await tx`
    update market_listing set property_id = row.record ->> 'propertyId'
    from ${row()} where listing_id = row.id`;
}

/** A stored property with its listings, the first one first. */
export interface ReviewedProperty {
  readonly id: string;
  readonly identity: string;
  readonly listings: readonly { readonly id: string; readonly home: HomeEvidence }[];
}

/** The next properties in the order of their ids. */
export async function findProperties(
  sql: Sql | Transaction,
  after: string,
  limit: number,
): Promise<ReviewedProperty[]> {
  const properties = await sql<{ id: string; identity: string }[]>`
    select id, identity from property where id > ${after} order by id limit ${limit}`;
  const rows = await sql<EvidenceRow[]>`
    select ${evidenceColumns(sql)} from listing where property_id = any(${properties.map(({ id }) => id)}::text[])
    order by property_id, created_at, id`;
  const listings = Map.groupBy(rows, ({ propertyId }) => propertyId);
  return properties.map((property) => ({
    ...property,
    listings: (listings.get(property.id) ?? []).map((row) => ({ id: row.id, home: evidenceOf(row) })),
  }));
}
