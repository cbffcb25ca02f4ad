// Geocoding: approximate places are refined in the background, by one process at a time.

import { distanceKm, type Point } from '../geometry/geometry.ts';
import { type GeocodingAddress, geocodingAddress, geocodingKey } from '../ingest/geocoding-key.ts';
import { PlacementCache } from '../ingest/placement-cache.ts';
import { relocate } from '../ingest/reviews/relocation.ts';
import { findUnlocated, type UnlocatedListing } from '../ingest/reviews/relocation-store.ts';
import { type Clock, DAY, MINUTE } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { PeriodicWork } from '../lib/periodic-work.ts';
import { NO_ADDRESS } from '../listings/draft.ts';
import type { Database } from '../postgres/client/database.ts';
import type { HeldLease } from '../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../postgres/leases/leased-work.ts';
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
  const placements = new PlacementCache();
  const requests = metrics.counter(
    'freehold_geocoder_requests_total',
    'Addresses that a geocoder was asked for.',
    ['result'],
  );
  metrics.gauge('freehold_geocoder_paused', '1 while a geocoder that failed is left alone.', () =>
    geocoder.isPaused ? 1 : 0,
  );

  async function move(lease: HeldLease, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await lease.transaction(
      async (tx) => {
        await relocate(tx, ids, await placements.load(tx), clock.now(), false);
      },
      { timeout: TIMEOUT },
    );
  }

  async function ask(
    lease: HeldLease,
    key: string,
    address: GeocodingAddress,
    near: Point | null,
  ): Promise<boolean> {
    const found = await geocoder.find(address).catch((error: unknown) => {
      requests.inc({ result: 'failed' });
      throw error;
    });
    const place = found !== null && near !== null && distanceKm(found, near) > MAX_KM ? null : found;
    const result = place?.precision ?? 'unknown';
    requests.inc({ result });
    const now = clock.now();
    const retryAt = result === 'exact' ? null : new Date(now + RETRY_DAYS[result] * DAY);
    await lease.transaction((tx) => saveAnswer(tx, key, place, { askedAt: new Date(now), retryAt }));
    return place !== null;
  }

  /** Asks about the addresses of a batch, and moves their listings. False: the round is over. */
  async function refine(
    lease: HeldLease,
    batch: readonly UnlocatedListing[],
    isOver: () => boolean,
  ): Promise<boolean> {
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
    await move(
      lease,
      behind.map(({ id }) => id),
    );
    for (const [key, listings] of byKey) {
      const address = geocodingAddress(listings[0]?.address ?? NO_ADDRESS);
      if (answered.has(key) || address === null) continue;
      if (isOver() || geocoder.isPaused) return false;
      if (!(await ask(lease, key, address, listings[0]?.location ?? null))) continue;
      await move(
        lease,
        listings.map(({ id }) => id),
      );
    }
    return true;
  }

  return startLeasedWork({
    database,
    clock,
    report,
    name: 'geocoding',
    pause: MINUTE,
    isDue: async () => !geocoder.isPaused,
    async work(lease, isOver) {
      for (let after = ''; !isOver(); ) {
        const from = after;
        const batch = await database.read((sql) => findUnlocated(sql, from, BATCH));
        const last = batch.at(-1);
        if (last === undefined || !(await refine(lease, batch, isOver))) return;
        after = last.id;
      }
    },
  });
}
