// SQL of pushed listings: the last message about each, and the state of the listing beside it.

import type { FieldError } from '../lib/problem.ts';
import type { Status } from '../listings/vocabulary.ts';
import type { Sql, Transaction } from '../postgres/client/database.ts';
import type { LastMessage, Order } from './order.ts';

/** The last message about a listing, as it is stored. */
export interface StoredMessage extends LastMessage {
  readonly key: string;
  readonly document: Record<string, unknown> | null;
  /** RFC 3339; null: none came yet. */
  readonly receivedAt: string | null;
}

interface MessageRow {
  readonly key: string;
  readonly document: Record<string, unknown> | null;
  readonly digest: Buffer | null;
  readonly sequence: number | null;
  readonly modifiedAt: string | null;
  readonly receivedAt: string | null;
}

const columns = (sql: Sql) =>
  sql`listing_key as key, document, digest, sequence::float8 as sequence, modified_at as "modifiedAt",
    received_at as "receivedAt"`;

function orderOf({ sequence, modifiedAt }: Pick<MessageRow, 'sequence' | 'modifiedAt'>): Order | null {
  if (sequence !== null) return { kind: 'sequence', value: sequence };
  return modifiedAt === null ? null : { kind: 'modifiedAt', value: modifiedAt };
}

const messageOf = (row: MessageRow): StoredMessage => ({
  key: row.key,
  document: row.document,
  digest: row.digest,
  order: orderOf(row),
  receivedAt: row.receivedAt,
});

/**
 * Keeps the token and its source as they are until the transaction ends; false where one of them has ended. The source is locked
 * first, as when one of them ends: in the other order the two could wait for each other.
 */
export async function holdToken(tx: Transaction, source: string, token: string): Promise<boolean> {
  const [row] = await tx`
    select from source join source_token as token on token.source = source.id
    where token.id = ${token} and source.id = ${source} and source.enabled
    for key share of source for key share of token`;
  return row !== undefined;
}

/** Locks these listings of a source against other messages, in one order, also those of which nothing is stored yet. */
export async function lockMessages(
  tx: Transaction,
  source: string,
  keys: readonly string[],
): Promise<Map<string, StoredMessage>> {
  await tx`
    insert into pushed_listing (source, listing_key)
    select ${source}, key from unnest(${[...keys]}::text[]) as key order by key collate "C" on conflict do nothing`;
  const rows = await tx<MessageRow[]>`
    select ${columns(tx)} from pushed_listing
    where source = ${source} and listing_key = any(${[...keys]}::text[]) order by listing_key for update`;
  return new Map(rows.map((row) => [row.key, messageOf(row)]));
}

/** A message that counts. */
export interface CountedMessage {
  readonly key: string;
  /** Null: the stored one stays, with `status` in it where it is in our own field names. */
  readonly document: Record<string, unknown> | null;
  readonly status: Status | null;
  readonly digest: Buffer;
  readonly order: Order | null;
}

/** Writes messages whose listings the transaction has locked; what was refused before no longer matters. */
export async function writeMessages(
  tx: Transaction,
  source: string,
  messages: readonly CountedMessage[],
  now: Date,
): Promise<void> {
  if (messages.length === 0) return;
  const rows = messages.map(({ key, document, status, digest, order }) => ({
    key,
    document,
    status,
    digest: digest.toString('hex'),
    sequence: order?.kind === 'sequence' ? order.value : null,
    modified_at: order?.kind === 'modifiedAt' ? order.value : null,
  }));
  await tx`
    update pushed_listing as stored set
      document = case when message.document is not null then message.document
        else stored.document || jsonb_build_object('status', message.status) end,
      digest = decode(message.digest, 'hex'),
      sequence = coalesce(message.sequence, stored.sequence),
      modified_at = coalesce(message.modified_at, stored.modified_at),
      received_at = ${now}, faults = null, refused_at = null
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as message (key text, document jsonb, status text, digest text, sequence bigint, modified_at timestamptz)
    where source = ${source} and listing_key = message.key`;
}

/** Forgets the records of ended listings: those that may no longer be shown, and those in field names of the sender, of which a PATCH would list one again. */
export async function forgetDocuments(
  tx: Transaction,
  source: string,
  keys: readonly string[],
): Promise<void> {
  await tx`
    update pushed_listing set document = null
    where source = ${source} and listing_key = any(${[...keys]}::text[])`;
}

export interface RefusedRecord {
  readonly key: string;
  readonly errors: readonly FieldError[];
}

/** Notes what is wrong with records that were refused. */
export async function writeFaults(
  tx: Transaction,
  source: string,
  refused: readonly RefusedRecord[],
  now: Date,
): Promise<void> {
  if (refused.length === 0) return;
  const rows = [...new Map(refused.map((each) => [each.key, each])).values()];
  await tx`
    insert into pushed_listing (source, listing_key, faults, refused_at)
    select ${source}, key, errors, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as refused (key text, errors json)
    order by key collate "C"
    on conflict (source, listing_key) do update set faults = excluded.faults, refused_at = excluded.refused_at`;
}

/** What is stored of a listing that was pushed. */
export interface StoredPush {
  readonly id: string | null;
  readonly propertyId: string | null;
  readonly version: number | null;
  readonly status: Status | null;
  readonly document: Record<string, unknown> | null;
  readonly digest: Buffer | null;
  readonly order: Order | null;
  /** RFC 3339. */
  readonly receivedAt: string | null;
  readonly faults: readonly FieldError[] | null;
  readonly refusedAt: string | null;
}

export async function findPush(sql: Sql, source: string, key: string): Promise<StoredPush | null> {
  const [row] = await sql<(Omit<StoredPush, 'order'> & Pick<MessageRow, 'sequence' | 'modifiedAt'>)[]>`
    select listing.id, listing.property_id as "propertyId", listing.version, listing.status, document, pushed_listing.digest,
      sequence::float8 as sequence, modified_at as "modifiedAt", received_at as "receivedAt", faults,
      refused_at as "refusedAt"
    from (select ${source}::text as source, ${key}::text as listing_key) as sought
      left join pushed_listing using (source, listing_key)
      left join listing on listing.source = sought.source and listing.listing_key = sought.listing_key`;
  if (row === undefined || (row.id === null && row.faults === null)) return null;
  const { sequence, modifiedAt, ...stored } = row;
  return { ...stored, order: orderOf({ sequence, modifiedAt }) };
}

export interface ListingState {
  readonly id: string;
  readonly version: number;
  readonly status: Status;
}

/** Versions and statuses of stored listings, by their ids. */
export async function findStates(sql: Sql, ids: readonly string[]): Promise<Map<string, ListingState>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<ListingState[]>`
    select id, version, status from listing where id = any(${[...ids]}::text[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** The next listings of a source with these statuses, in the order of their keys, with the order of their last messages. */
export async function findListed(
  sql: Sql,
  source: string,
  {
    statuses,
    after,
    limit,
  }: { readonly statuses: readonly Status[]; readonly after: string; readonly limit: number },
): Promise<{ key: string; order: Order | null }[]> {
  const rows = await sql<Pick<MessageRow, 'key' | 'sequence' | 'modifiedAt'>[]>`
    select listing.listing_key as key, sequence::float8 as sequence, modified_at as "modifiedAt"
    from listing left join pushed_listing as pushed
      on pushed.source = listing.source and pushed.listing_key = listing.listing_key
    where listing.source = ${source} and listing.listing_key > ${after} and status = any(${[...statuses]}::text[])
    order by listing.listing_key limit ${limit}`;
  return rows.map((row) => ({ key: row.key, order: orderOf(row) }));
}
