// Geocoding: approximate places are refined in the background, by one process at a time.

import { distanceKm, type Point } from '../geometry/geometry.ts';
import { type GeocodingAddress, geocodingAddress, geocodingKey } from '../ingest/geocoding-key.ts';
import { PlacementCache } from '../ingest/placement-cache.ts';
import { relocate } from '../ingest/reviews/relocation.ts';
import { findUnlocated, type UnlocatedListing } from '../ingest/reviews/relocation-store.ts';
import { type Clock, DAY, MINUTE } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import { type PeriodicWork, startPeriodicWork } from '../lib/periodic-work.ts';
import { NO_ADDRESS } from '../listings/draft.ts';
import type { Database } from '../postgres/client/database.ts';
import { WorkLease, WorkTaken } from '../postgres/client/work-lease.ts';
import type { Geocoder } from './geocoder.ts';
import { findAnswered, saveAnswer } from './geocoding-store.ts';

export interface GeocodingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly geocoder: Geocoder;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

/** Listings that are looked at together. */
const BATCH = 200;
/** Milliseconds of one transaction. */
const TIMEOUT = 60_000;
/** Milliseconds of the lease: a request with its deadline, and a transaction. */
const LEASE = 90_000;
/** Days after which an unknown address, and one of which only the street is known, is asked about again. */
const RETRY_DAYS = { unknown: 30, approximate: 90 };
/** Kilometres from the town of the address; what lies further away is another address. */
const MAX_KM = 100;

export function startGeocoding({
  database,
  clock,
  metrics,
  geocoder,
  report,
}: GeocodingOptions): PeriodicWork {
  const lease = new WorkLease(database, 'geocoding', LEASE);
  const placements = new PlacementCache();
  const requests = metrics.counter(
    'freehold_geocoder_requests_total',
    'Addresses that a geocoder was asked for.',
    ['result'],
  );
  metrics.gauge('freehold_geocoder_paused', '1 while a geocoder that failed is left alone.', () =>
    geocoder.isPaused ? 1 : 0,
  );

  async function move(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await database.transaction(
      async (tx) => {
        await lease.hold(tx);
        await relocate(tx, ids, await placements.load(tx), clock.now(), false);
      },
      { timeout: TIMEOUT },
    );
  }

  async function ask(key: string, address: GeocodingAddress, near: Point | null): Promise<boolean> {
    const found = await geocoder.find(address).catch((error: unknown) => {
      requests.inc({ result: 'failed' });
      throw error;
    });
    const place = found !== null && near !== null && distanceKm(found, near) > MAX_KM ? null : found;
    const result = place?.precision ?? 'unknown';
    requests.inc({ result });
    const now = clock.now();
    const retryAt = result === 'exact' ? null : new Date(now + RETRY_DAYS[result] * DAY);
    await database.write((sql) => saveAnswer(sql, key, place, { askedAt: new Date(now), retryAt }));
    return place !== null;
  }

  /** Asks about the addresses of a batch, and moves their listings. False: the round is over. */
  async function refine(batch: readonly UnlocatedListing[], isStopped: () => boolean): Promise<boolean> {
    const byKey = new Map<string, UnlocatedListing[]>();
    for (const listing of batch) {
      const key = geocodingKey(listing.address);
      if (key !== null) byKey.set(key, [...(byKey.get(key) ?? []), listing]);
    }
    const answered = await database.read((sql) =>
      findAnswered(sql, [...byKey.keys()], new Date(clock.now())),
    );
    // Answers of before, for listings that were written meanwhile.
    const behind = [...byKey].flatMap(([key, listings]) =>
      answered.get(key) ? listings.filter(({ location }) => location?.source !== 'geocoder') : [],
    );
    await move(behind.map(({ id }) => id));
    for (const [key, listings] of byKey) {
      const address = geocodingAddress(listings[0]?.address ?? NO_ADDRESS);
      if (answered.has(key) || address === null) continue;
      if (isStopped() || geocoder.isPaused || !(await lease.acquire())) return false;
      if (await ask(key, address, listings[0]?.location ?? null)) await move(listings.map(({ id }) => id));
    }
    return true;
  }

  return startPeriodicWork({
    clock,
    report,
    pause: MINUTE,
    async work(isStopped) {
      if (geocoder.isPaused || !(await lease.acquire())) return;
      try {
        let after = '';
        for (;;) {
          const from = after;
          const batch = await database.read((sql) => findUnlocated(sql, from, BATCH));
          const last = batch.at(-1);
          if (last === undefined || !(await refine(batch, isStopped))) return;
          after = last.id;
          if (isStopped() || !(await lease.acquire())) return;
        }
      } catch (error) {
        if (!(error instanceof WorkTaken)) throw error;
      } finally {
        await lease.release();
      }
    },
  });
}
