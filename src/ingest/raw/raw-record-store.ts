// SQL of raw records: what sources sent, written beside its listings.

import { hash } from 'node:crypto';
import { eventLoop } from '../../lib/scheduler.ts';
import type { RawRecord } from '../../listings/raw-record.ts';
import { copyRows } from '../../postgres/client/copy-rows.ts';
import type { Sql, Transaction } from '../../postgres/client/database.ts';
import { compressBody, readBody } from './raw-body.ts';

/** Records that are compared and written at once. */
const SLICE = 500;
/** Hexadecimal digits of a digest that are kept. */
const DIGITS = 32;

interface Row {
  readonly resource: string;
  readonly key: string;
  readonly digest: string;
  readonly text: string;
}

/** Writes the records of listings, by their keys, that differ from what is stored. The transaction has locked the listings. */
export async function writeRawRecords(
  tx: Transaction,
  source: string,
  records: ReadonlyMap<string, readonly RawRecord[]>,
): Promise<void> {
  const all = [...records].flatMap(([key, sent]) => sent.map((each) => ({ key, ...each })));
  for (let from = 0; from < all.length; from += SLICE) {
    const rows: Row[] = [];
    await eventLoop.forEach(all.slice(from, from + SLICE), ({ key, resource, record }) => {
      const text = JSON.stringify(record);
      rows.push({ resource, key, text, digest: hash('sha256', text, 'hex').slice(0, DIGITS) });
    });
    await writeChanged(tx, source, rows);
  }
}

async function writeChanged(tx: Transaction, source: string, rows: readonly Row[]): Promise<void> {
  const nameOf = ({ resource, key }: Pick<Row, 'resource' | 'key'>): string => `${resource} ${key}`;
  const stored = await tx<Pick<Row, 'resource' | 'key' | 'digest'>[]>`
    select resource, key, encode(digest, 'hex') as digest from raw_record
    where source = ${source} and resource = any(${[...new Set(rows.map(({ resource }) => resource))]}::text[])
      and key = any(${rows.map(({ key }) => key)}::text[])`;
  const before = new Map(stored.map((row) => [nameOf(row), row.digest]));
  const created: Record<'source' | 'resource' | 'key' | 'digest' | 'body', string>[] = [];
  const changed: { readonly row: Row; readonly body: Buffer }[] = [];
  await eventLoop.forEach(rows, (row) => {
    const { resource, key, digest, text } = row;
    const known = before.get(nameOf(row));
    if (known === digest) return;
    const body = compressBody(text);
    if (known === undefined)
      created.push({ source, resource, key, digest: `\\x${digest}`, body: `\\x${body.toString('hex')}` });
    else changed.push({ row, body });
  });
  await copyRows(tx, 'raw_record', created);
  if (changed.length === 0) return;
  await tx`
    update raw_record set digest = row.digest, body = row.body
    from unnest(${changed.map(({ row }) => row.resource)}::text[], ${changed.map(({ row }) => row.key)}::text[],
      ${changed.map(({ row }) => Buffer.from(row.digest, 'hex'))}::bytea[], ${changed.map(({ body }) => body)}::bytea[])
      as row (resource, key, digest, body)
    where raw_record.source = ${source} and raw_record.resource = row.resource and raw_record.key = row.key`;
}

/** Deletes what a source sent of listings with these keys. */
export async function deleteRawRecords(
  tx: Transaction,
  source: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await tx`
    delete from raw_record where source = ${source}
      and resource = any(${[...LISTING_RESOURCES]}::text[]) and key = any(${[...keys]}::text[])`;
}

/** Resources whose keys are those of listings. */
const LISTING_RESOURCES = ['Property', 'Media', 'OpenHouse', 'OpenHouses'] as const;

/** A listing's records, by its key. */
export interface StoredRawRecords {
  readonly key: string;
  readonly records: readonly RawRecord[];
  /** Of all of them, one after the other. */
  readonly digests: string;
}

interface Body extends Pick<Row, 'key' | 'resource' | 'digest'> {
  readonly body: Buffer;
}

/** What a source sent of the next listings after a key, in their order. */
export async function findRawRecords(
  sql: Sql,
  source: string,
  after: string,
  limit: number,
): Promise<StoredRawRecords[]> {
  const properties = await sql<Body[]>`
    select key, resource, encode(digest, 'hex') as digest, body from raw_record
    where source = ${source} and resource = 'Property' and key > ${after} order by key limit ${limit}`;
  const others = await sql<Body[]>`
    select key, resource, encode(digest, 'hex') as digest, body from raw_record
    where source = ${source} and resource <> 'Property' and resource = any(${[...LISTING_RESOURCES]}::text[])
      and key > ${after} and key <= ${properties.at(-1)?.key ?? ''}
    order by key, resource desc`;
  const byKey = new Map<string, { readonly records: RawRecord[]; digests: string }>();
  await eventLoop.forEach([...properties, ...others], ({ key, resource, digest, body }) => {
    const known = byKey.get(key) ?? { records: [], digests: '' };
    known.records.push({ resource, record: readBody(body) });
    known.digests += digest;
    byKey.set(key, known);
  });
  return [...byKey].map(([key, { records, digests }]) => ({ key, records, digests }));
}

/** Whether these are still the last records that the source sent of their listings, which the transaction has locked. */
export async function isStillSent(
  tx: Transaction,
  source: string,
  known: readonly StoredRawRecords[],
): Promise<boolean> {
  const rows = await tx<{ key: string; digests: string }[]>`
    select key, string_agg(encode(digest, 'hex'), '' order by resource desc) as digests from raw_record
    where source = ${source} and resource = any(${[...LISTING_RESOURCES]}::text[])
      and key = any(${known.map(({ key }) => key)}::text[])
    group by key`;
  const now = new Map(rows.map(({ key, digests }) => [key, digests]));
  return known.every(({ key, digests }) => now.get(key) === digests);
}

/** Whether a record is kept of every listing that the source still has. */
export async function isEveryRecordKept(sql: Sql, source: string): Promise<boolean> {
  const [row] = await sql<{ complete: boolean }[]>`
    select not exists (
      select from listing left join raw_record as raw
        on raw.source = listing.source and raw.resource = 'Property' and raw.key = listing.listing_key
      where listing.source = ${source} and listing.status <> 'DELETED' and raw.key is null) as complete`;
  return row?.complete ?? false;
}

/** Deletes records of a source that must not be kept any more; returns how many, `limit` at most. */
export async function deleteSomeRawRecords(tx: Transaction, source: string, limit: number): Promise<number> {
  const { count } = await tx`
    delete from raw_record where source = ${source} and (resource, key) in (
      select resource, key from raw_record where source = ${source} limit ${limit})`;
  return count;
}
