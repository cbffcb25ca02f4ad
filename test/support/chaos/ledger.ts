// Writers that record every acknowledged batch, and checks whether the catalogue still has each.

import { writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { pause, systemClock } from '../../../src/lib/clock.ts';
import { Problem } from '../../../src/lib/problem.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from '../catalogue/drafts.ts';

/** Listings in a batch: all of them carry the batch's number, or none does. */
export const BATCH = 5;
const GROUPS = 10;
const SOURCE = 'chaos';
const CITY = 'Crashville';

export interface Acknowledged {
  readonly group: string;
  readonly number: number;
}

export interface Ledger {
  /** Every batch whose commit was confirmed. */
  readonly acknowledged: Acknowledged[];
  /** Refusals with the right reason: the database is away. */
  refused: number;
  /** Errors that were anything else. */
  readonly faults: unknown[];
}

export interface Findings {
  readonly lost: number;
  /** Events that should be there and are not. */
  readonly missing: number;
  /** Events that should not be there. */
  readonly extra: number;
  /** Groups of which only a part was written, and rows beside them that say something else. */
  readonly torn: number;
}

export function newLedger(): Ledger {
  return { acknowledged: [], refused: 0, faults: [] };
}

/**
 * The drafts of a group's batch: its number is the price, and every tenth of it decides the status, so that the events
 * that must exist follow from the prices alone.
 */
export function batchOf(group: string, number: number): ListingDraft[] {
  return Array.from({ length: BATCH }, (_, index) =>
    draft(`${group}-${index}`, {
      listPrice: number,
      status: isPending(number) ? 'PENDING' : 'ACTIVE',
      listedAt: '2026-01-01T00:00:00.000Z',
      address: { ...NO_ADDRESS, city: CITY },
      bedrooms: 3,
    }),
  );
}

export const isPending = (number: number): boolean => Math.floor(number / GROUPS) % 2 === 1;

/** The area that all these listings lie in. */
export async function writeCity(database: Database): Promise<void> {
  const city = { type: 'city', externalId: CITY, name: CITY, aliases: [], codes: {} } as const;
  await writeAreaBatch(database, SOURCE, [
    { ...city, parentReference: null, population: null, boundary: null },
  ]);
}

/** Writes one batch in one transaction. */
export async function writeBatch(database: Database, group: string, number: number): Promise<void> {
  const catalogue = createCatalogue(database);
  await database.transaction((tx) => catalogue.write(tx, SOURCE, batchOf(group, number), systemClock.now()));
}

/** Writes batch after batch until the signal; each is noted once its commit was confirmed. */
export async function writeOn(
  name: string,
  database: Database,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  const catalogue = createCatalogue(database);
  for (let number = 1; !signal.aborted; number++) {
    const group = `${name}-${number % GROUPS}`;
    try {
      const drafts = batchOf(group, number);
      await database.transaction((tx) => catalogue.write(tx, SOURCE, drafts, systemClock.now()));
      ledger.acknowledged.push({ group, number });
    } catch (error) {
      if (error instanceof Problem && error.code === 'DATABASE_UNAVAILABLE') ledger.refused++;
      else ledger.faults.push(error);
      await pause(systemClock, 20, signal);
    }
  }
}

/** Compares what is stored with what was acknowledged from that position in the ledger on, and with itself. */
export async function examine(database: Database, ledger: Ledger, from = 0): Promise<Findings> {
  const acknowledged = ledger.acknowledged.slice(from);
  const limits = { timeout: 120_000 };
  const lost = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int from unnest(${acknowledged.map((each) => each.group)}::text[],
        ${acknowledged.map((each) => each.number)}::float8[]) as acknowledged (name, number),
        generate_series(0, ${BATCH - 1}) as place
      where not exists (select from listing join listing_event on listing_id = listing.id
        where source = ${SOURCE} and listing_key = acknowledged.name || '-' || place and listing_event.price = acknowledged.number
          and event in ('LISTED', 'PRICE_CHANGED'))`,
    limits,
  );
  const [events] = await database.read((sql) => compareEvents(sql), limits);
  const [torn] = await database.read((sql) => countTorn(sql), limits);
  return {
    lost: lost[0]?.count ?? 0,
    missing: events?.missing ?? 0,
    extra: events?.extra ?? 0,
    torn: torn?.count ?? 0,
  };
}

type Sql = Parameters<Parameters<Database['read']>[0]>[0];

/**
 * For each listing the events that its version and its chain of prices demand: one LISTED, one PRICE_CHANGED for each
 * further version, each beginning where the last one ended, the last one ending at the listing's price, and a change of
 * status wherever two prices that follow each other mean different ones. All in one statement: one moment.
 */
function compareEvents(sql: Sql) {
  return sql<{ missing: number; extra: number }[]>`
    with step as (
      select listing_id, event, price, previous_price, sequence,
        lag(price) over (partition by listing_id order by sequence) as before,
        row_number() over (partition by listing_id order by sequence desc) = 1 as last,
        div(price::int, ${GROUPS}) % 2 <> div(previous_price::int, ${GROUPS}) % 2 as turned
      from listing_event where event in ('LISTED', 'PRICE_CHANGED')),
    chain as (
      select listing_id, count(*) filter (where event = 'LISTED') as listed,
        count(*) filter (where event = 'PRICE_CHANGED') as changed,
        count(*) filter (where event = 'PRICE_CHANGED' and previous_price is distinct from before) as broken,
        count(*) filter (where turned) as turns, max(price) filter (where last) as price
      from step group by listing_id),
    turned as (
      select listing_id, count(*) as turns from listing_event
      where event not in ('LISTED', 'PRICE_CHANGED') group by listing_id),
    difference as (
      select unnest(array[coalesce(listed, 0) - 1, coalesce(changed, 0) - (version - 1),
        coalesce(turned.turns, 0) - coalesce(chain.turns, 0), coalesce(broken, 0),
        (chain.price is distinct from (record ->> 'price')::float8)::int]) as surplus
      from listing left join chain on chain.listing_id = id left join turned on turned.listing_id = id
      where source = ${SOURCE}
      union all
      select 1 from listing_event where not exists (select from listing where id = listing_id))
    select coalesce(sum(greatest(-surplus, 0)), 0)::int as missing,
      coalesce(sum(greatest(surplus, 0)), 0)::int as extra from difference`;
}

/** Groups written in part, search rows that differ from their listings, and areas that count wrongly. */
function countTorn(sql: Sql) {
  return sql<{ count: number }[]>`
    with row as (
      select listing.*, (record ->> 'price')::float8 as price, regexp_replace(listing_key, '-[0-9]+$', '') as name
      from listing where source = ${SOURCE}),
    torn as (
      select from row group by name
        having count(*) <> ${BATCH} or min(price) <> max(price) or min(version) <> max(version)
      union all
      select from row left join listing_search as found using (id)
        where found.price is distinct from row.price or found.status is distinct from row.status
          or (row.status = 'PENDING') <> (div(row.price::int, ${GROUPS}) % 2 = 1)
      union all
      select from area left join area_count on area_no = no and listing_type = 'sale'
        where name = ${CITY} and coalesce(active, 0) <> (select count(*) from row where status = 'ACTIVE'))
    select count(*)::int from torn`;
}
