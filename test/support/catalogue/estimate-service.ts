// Service for a test file with streets of homes to compare, and requests for comparables and estimates.

import type { Listing } from '../../../src/listings/record.ts';
import type { Closing } from '../database/database.ts';
import { manualClock } from '../service/clock.ts';
import { startService } from '../service/service.ts';
import { type Home, writer } from './property-market.ts';

export interface Comparable {
  readonly price: number;
  readonly basis: string;
  readonly distance: number;
  readonly similarity: number;
  readonly why: {
    readonly agrees: readonly string[];
    readonly differs: readonly {
      readonly fact: string;
      readonly subject: unknown;
      readonly other: unknown;
    }[];
    readonly unknown: readonly string[];
  };
  readonly listing: Listing;
}
export interface Valuation {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly level: number | null;
  readonly n: number;
  readonly basis: string | null;
  readonly asOf: string;
  readonly method: string;
  readonly reason: string | null;
}
export interface Estimate {
  readonly currency: string;
  readonly sale: Valuation;
  readonly rent: Valuation;
}

/** Starts the service; stopped when the test or the file ends. */
export async function startEstimates(t: Closing) {
  const clock = manualClock(Date.UTC(2026, 5, 1, 12));
  const service = await startService(t, { clock });
  const { keys } = service;
  const write = writer(service);

  const comparables = async (
    id: string | undefined,
    query = '',
    key: string = keys.free,
  ): Promise<Comparable[]> =>
    ((await service.json(`/v1/property/${id}/comparables?${query}`, key)) as { data: Comparable[] }).data;
  const estimate = (id: string | undefined, query = '', key: string = keys.free): Promise<Estimate> =>
    service.json(`/v1/property/${id}/estimate?${query}`, key);

  return { clock, service, keys, write, comparables, estimate };
}

/** Markets lie far apart, so that none is in the reach of another. */
export const town = (number: number) => (north: number, east: number) => ({
  lat: 40 + number + north / 111.195,
  lng: -100 + east / (111.195 * Math.cos(((40 + number) * Math.PI) / 180)),
});

export const known = { bedrooms: 3, bathrooms: 2, lotSize: 5_000, yearBuilt: 1990, waterfront: false };

/** Seven that were sold around the subject, each different in another way. */
export function street(at: ReturnType<typeof town>, name: string): { subject: Home; homes: Home[] } {
  const home = (key: string, place: Home['place'], price: number, more: Partial<Home> = {}): Home => ({
    key: `${name}-${key}`,
    place,
    price,
    livingArea: 2_000,
    ...known,
    ...more,
  });
  return {
    subject: home('subject', at(0, 0), 900_000),
    homes: [
      home('twin', at(0.1, 0), 500_000),
      home('large', at(0.3, 0.2), 640_000, { livingArea: 2_600, bedrooms: 4 }),
      home('small', at(-0.4, 0.1), 410_000, { livingArea: 1_500, bathrooms: 1 }),
      home('old', at(0, 0.9), 455_000, { yearBuilt: 1950 }),
      home('garden', at(1.2, -0.5), 560_000, { lotSize: 11_000 }),
      home('shore', at(0.5, -1), 830_000, { waterfront: true }),
      home('far', at(4, 3), 380_000, { livingArea: 1_800 }),
    ],
  };
}
