// SQL of the live fetches that processes share.

import type { Database, Sql } from '../postgres/client/database.ts';
import { notify } from '../postgres/client/listen.ts';

/** Its payload is the id of a listing whose fetch has ended. */
export const FLIGHTS_CHANNEL = 'live_flights';

/** How a fetch ended: `live` if the listing was stored, otherwise the code of a failure; null: it was abandoned. */
export interface FlightEnd {
  readonly outcome: string | null;
  readonly message: string | null;
  /** Milliseconds that the source wants to be left alone; null: it did not say. */
  readonly retryAfter: number | null;
}

/** The fetch that is under way, and milliseconds until its lease ends. */
export interface FlightUnderWay {
  readonly flight: string;
  readonly left: number;
}

/** Milliseconds for one statement: readers wait for it. */
const TIMEOUT = 500;
/** Ended fetches are removed a few at a time, whenever another one ends. */
const REMOVED_AT_ONCE = 100;

/** Starts a fetch under this id, or gives the one that is under way; null: one has just started, so ask again. */
export async function startFlight(
  database: Database,
  listingId: string,
  flight: string,
  lease: number,
): Promise<FlightUnderWay | null> {
  const [row] = await database.write(
    (sql) => sql<FlightUnderWay[]>`
      with started as (
        insert into live_flight as current (listing_id, flight, leased_until)
        values (${listingId}, ${flight}, ${leaseEnd(sql, lease)})
        on conflict (listing_id) do update set flight = excluded.flight, leased_until = excluded.leased_until,
          ended_at = null, outcome = null, message = null, retry_at = null
        where current.ended_at is not null or current.leased_until < clock_timestamp()
        returning flight, leased_until)
      select flight::text, greatest(0, extract(epoch from leased_until - clock_timestamp()) * 1000)::float8 as left
      from (
        select flight, leased_until, 1 as place from started
        union all select flight, leased_until, 2 from live_flight where listing_id = ${listingId}) as found
      order by place limit 1`,
    { timeout: TIMEOUT, planned: 'once' },
  );
  // What another transaction has committed meanwhile is met by the insert and not yet seen by the query.
  return row ?? null;
}

/** Whether it is still the one that is under way. */
export async function renewFlight(
  database: Database,
  listingId: string,
  flight: string,
  lease: number,
): Promise<boolean> {
  const { count } = await database.write(
    (sql) => sql`
      update live_flight set leased_until = ${leaseEnd(sql, lease)}
      where listing_id = ${listingId} and flight = ${flight} and ended_at is null`,
    { timeout: TIMEOUT, planned: 'once' },
  );
  return count > 0;
}

/** Ends a fetch, and notifies those who wait for it; does nothing where another one has taken its place. */
export async function endFlight(
  database: Database,
  listingId: string,
  flight: string,
  { outcome, message, retryAfter }: FlightEnd,
): Promise<void> {
  await database.transaction(
    async (tx) => {
      await tx`
        update live_flight set ended_at = clock_timestamp(), outcome = ${outcome}, message = ${message},
          retry_at = clock_timestamp() + ${retryAfter}::float8 * interval '1 millisecond'
        where listing_id = ${listingId} and flight = ${flight}`;
      await notify(tx, FLIGHTS_CHANNEL, listingId);
      await tx`
        delete from live_flight where listing_id in (
          select listing_id from live_flight
          where coalesce(ended_at, leased_until) < clock_timestamp() - interval '1 minute'
          limit ${REMOVED_AT_ONCE} for update skip locked)`;
    },
    { timeout: TIMEOUT, planned: 'once' },
  );
}

/** How a fetch ended; null: it has not, or another one has taken its place. */
export async function findFlightEnd(
  database: Database,
  listingId: string,
  flight: string,
): Promise<FlightEnd | null> {
  const [row] = await database.read(
    (sql) => sql<FlightEnd[]>`
      select outcome, message,
        case when retry_at is not null
          then greatest(0, extract(epoch from retry_at - clock_timestamp()) * 1000)::float8 end as "retryAfter"
      from live_flight
      where listing_id = ${listingId} and flight = ${flight} and ended_at is not null`,
    { timeout: TIMEOUT, planned: 'once' },
  );
  return row ?? null;
}

const leaseEnd = (sql: Sql, lease: number) => sql`clock_timestamp() + ${lease} * interval '1 millisecond'`;
