// Seeded market of the benchmarks: any number of plausible listings, the same for the same seed.

import type { ListingDraft } from '../src/listings/draft.ts';
import { draft, NO_ADDRESS } from '../test/support/catalogue/drafts.ts';

const CITIES = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Gum', 'Hazel', 'Ivy', 'Juniper'];
const TYPES = ['SINGLE_FAMILY', 'CONDO', 'TOWNHOUSE', 'APARTMENT', 'LAND'] as const;
const FIRST_DAY = Date.UTC(2024, 0, 1);
const DAYS = 700;

/** mulberry32: small, seeded, and good enough to draw houses from. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `count` listings from number `first` on; three of five are sales, about one in eight is active. */
export function marketDrafts(seed: number, first: number, count: number): ListingDraft[] {
  return Array.from({ length: count }, (_, index) => marketDraft(seed, first + index));
}

function marketDraft(seed: number, number: number): ListingDraft {
  const next = random(seed * 1_000_003 + number);
  const sale = next() < 0.6;
  const active = next() < 0.125;
  const listed = FIRST_DAY + Math.floor(next() * DAYS * 86_400) * 1000;
  const livingArea = Math.round(400 + next() ** 2 * 4_000);
  const price = Math.round(livingArea * (sale ? 200 + next() * 600 : 1.5 + next() * 3));
  const city = CITIES[Math.floor(next() * CITIES.length)] ?? 'Alder';
  return draft(`bench-${number}`, {
    listingType: sale ? 'sale' : 'rental',
    priceFrequency: sale ? 'ONE_TIME' : 'MONTHLY',
    status: active ? 'ACTIVE' : 'CLOSED',
    listPrice: price,
    originalPrice: price,
    closePrice: active ? null : price,
    closedAt: active ? null : new Date(listed + 30 * 86_400_000).toISOString().slice(0, 10),
    propertyType: TYPES[Math.floor(next() * TYPES.length)] ?? 'OTHER',
    bedrooms: Math.floor(next() * 6),
    bathrooms: 1 + Math.floor(next() * 6) / 2,
    livingArea,
    yearBuilt: 1900 + Math.floor(next() * 125),
    listedAt: new Date(listed).toISOString(),
    onMarketDate: new Date(listed).toISOString().slice(0, 10),
    location: { lat: 40 + next() * 0.8, lng: -138 + next(), precision: 'exact' },
    address: {
      ...NO_ADDRESS,
      streetNumber: String(1 + Math.floor(next() * 9_999)),
      streetName: `${city} Street`,
      city,
      state: 'MW',
      postalCode: String(86_900 + Math.floor(next() * 80)),
      country: 'US',
    },
    description:
      'A listing of the benchmark, described at some length so that its record weighs what records weigh.',
    photoCount: Math.floor(next() * 20),
  });
}
