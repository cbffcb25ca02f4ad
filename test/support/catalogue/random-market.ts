// Random market that searches are proved on: listings with few distinct values, so that ties, nulls and edges are common.

import fc from 'fast-check';
import { writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import type { Catalogue } from '../../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from './drafts.ts';

export const DAY = 86_400_000;
/** The time of the searches. */
export const NOW = Date.UTC(2026, 0, 5, 12);

const some = <T>(...values: T[]) => fc.constantFrom<T | null>(null, ...values);
/** Days before NOW; fractions make days on market begin in the middle of a day. */
const ago = some(0, 0.25, 1, 7, 29.5, 30, 31, 200);

const SHARED = {
  status: fc.constantFrom<ListingDraft['status']>(
    'ACTIVE',
    'ACTIVE',
    'ACTIVE',
    'ACTIVE',
    'CLOSED',
    'CLOSED',
    'PENDING',
    'HOLD',
    'WITHDRAWN',
    'ACTIVE_UNDER_CONTRACT',
    'COMING_SOON',
    'CANCELED',
    'EXPIRED',
    'UNKNOWN',
    'DELETED',
    'INCOMPLETE',
  ),
  propertyType: fc.constantFrom<ListingDraft['propertyType']>('CONDO', 'SINGLE_FAMILY', 'LAND', 'COOP'),
  /** The earlier price, if it has changed since. */
  earlierPrice: some(90_000, 120_000),
  closePrice: some(95_000, 250_000.5),
  bedrooms: some(0, 1, 2, 3, 33),
  bathrooms: some(0.5, 1, 1.75, 2.25),
  livingArea: some(8, 400, 1_076.3910416709723, 2_000),
  lotSize: some(0, 5_000, 43_560),
  yearBuilt: some(1900, 1999, 2026),
  photoCount: some(0, 3),
  listed: ago,
  onMarket: ago,
  priceChanged: ago,
  /** When the status last changed, and when this service learnt of all this: days before NOW. */
  statusChanged: some(0.5, 3, 20),
  learnt: fc.constantFrom(0, 0.5, 1, 1, 7, 20),
  lat: fc.constantFrom(10, 10.25, 10.256, 10.5, 11, 11.25),
  lng: fc.constantFrom(-180, -179.5, 179.5, 20, 20.25, 20.5, 20.5, 20.754, 21),
  located: fc.constantFrom(true, true, true, true, false),
  precision: fc.constantFrom<'exact' | 'approximate'>('exact', 'exact', 'approximate'),
  city: some('Aldern', 'ALDERN ', 'Brook Hollow', 'Crane'),
  neighborhood: some('Hook', 'Old Town'),
  county: some('Ring', 'Östra'),
  state: some('Umbra', 'UM', 'Verge'),
  postalCode: some('10001', '10001-2345'),
  country: some('US', 'us', 'SE'),
  street: some('12 Oak Street', '7 Saint Élan Ave', "3 O'Brien Road, Unit 5", '12 Oakwood Ln.'),
  description: some('Sunny loft by the harbour', 'A QUIET house; near Umbra', 'key-7 and 2BR, sunny'),
  propertySubType: some('Cabin', 'Duplex '),
  stories: some(1, 2),
  floor: some(0, 2, 11),
  parkingSpaces: some(0, 1, 3),
  garageSpaces: some(0, 2),
  features: fc.subarray(['elevator', 'gym', 'pool']),
  newConstruction: some(true, false),
  waterfront: some(true, false),
  tour: fc.boolean(),
  agent: some('A1', 'a1', 'B-2'),
  office: some('O1', 'O2'),
  mlsNumber: some('ML-1', 'ml-1', '2002'),
  /** Open houses: from so many days before NOW until so many hours later, and whether they are called off. */
  houses: fc.array(
    fc.record({
      at: fc.constantFrom(-2, -1, 0.5, 10),
      hours: some(0, 2, 30),
      off: fc.constantFrom(false, false, true),
    }),
    { maxLength: 3 },
  ),
  associationFee: some(0, 50.5, 200),
  tax: some(0, 100),
  conditions: fc.subarray(['Short Sale', 'Auction']),
  availableFrom: some('2026-01-01', '2026-02-01', '2026-03-31'),
  leaseTermMonths: some(6, 12, 24),
  furnished: some('Furnished', 'Partially'),
  pets: fc.subarray(['cats', 'dogs']),
  utilities: fc.subarray(['water', 'internet']),
  moveInCosts: fc.array(some(0, 500, 1_500.5), { maxLength: 2 }),
  noFee: some(true, false),
  rentControl: some(true, false),
  monthsFree: some(0, 1, 1.5),
  netEffectivePrice: some(1_100, 2_100.5),
  displayed: fc.constantFrom(true, true, true, true, false),
  addressDisplayed: fc.constantFrom(true, true, true, false),
};

const SALE_PRICES = [801, 100_000, 120_000, 250_000, 250_000.5, 400_000, 1_000_000];
const RENTS = [100, 1_200, 2_600, 2_600.25, 31_200];

/** Everything that a search can tell about a listing. */
export const factsArbitrary = fc.oneof(
  fc.record({
    ...SHARED,
    listingType: fc.constant('sale' as const),
    listPrice: some(...SALE_PRICES),
    priceFrequency: fc.constant<ListingDraft['priceFrequency']>('ONE_TIME'),
  }),
  fc.record({
    ...SHARED,
    listingType: fc.constant('rental' as const),
    listPrice: some(...RENTS),
    priceFrequency: fc.constantFrom<ListingDraft['priceFrequency']>(
      'MONTHLY',
      'MONTHLY',
      'WEEKLY',
      'DAILY',
      'QUARTERLY',
      'ANNUALLY',
      'ONE_TIME',
    ),
  }),
);
export type Facts = typeof factsArbitrary extends fc.Arbitrary<infer F> ? F : never;

/** A listing as the oracle knows it; times in milliseconds. */
export interface Row {
  readonly key: string;
  readonly id: string;
  readonly facts: Facts;
  readonly firstSeen: number;
  readonly updatedAt: number;
  readonly currency: string;
}

/** Milliseconds of what is given in days before NOW. */
export const timeOf = (days: number | null): number | null => (days === null ? null : NOW - days * DAY);
/** A closing is dated by the day: its first instant. */
export const closedAt = ({ status, statusChanged }: Facts): number | null =>
  status === 'CLOSED' ? dayOf(statusChanged) : null;
export const dayOf = (days: number | null): number | null =>
  days === null ? null : Math.floor((NOW - days * DAY) / DAY) * DAY;

const time = (days: number | null): string | null =>
  days === null ? null : new Date(NOW - days * DAY).toISOString();
const date = (days: number | null): string | null => time(days)?.slice(0, 10) ?? null;

export function toDraft(key: string, facts: Facts): ListingDraft {
  const closed = facts.status === 'CLOSED';
  const { listingType, status, propertyType, listPrice, priceFrequency, bedrooms, bathrooms } = facts;
  const { livingArea, lotSize, yearBuilt, photoCount, city, neighborhood, county, state } = facts;
  return draft(key, {
    listingType,
    status,
    propertyType,
    listPrice,
    priceFrequency,
    bedrooms,
    bathrooms,
    livingArea,
    lotSize,
    yearBuilt,
    photoCount,
    ...traits(facts),
    rental: listingType === 'rental' ? terms(facts) : null,
    closePrice: closed ? facts.closePrice : null,
    closedAt: closed ? date(facts.statusChanged) : null,
    statusChangedAt: time(facts.statusChanged),
    listedAt: time(facts.listed),
    onMarketDate: date(facts.onMarket),
    priceChangedAt: time(facts.priceChanged),
    location: facts.located ? { lat: facts.lat, lng: facts.lng, precision: facts.precision } : null,
    address: {
      ...NO_ADDRESS,
      city,
      neighborhood,
      county,
      state,

      postalCode: facts.postalCode,
      country: facts.country,
      full: facts.street === null ? null : fullAddress(facts),
    },
    display: { listing: facts.displayed, address: facts.addressDisplayed, estimate: true },
  });
}

/** The address in one line: as the source writes it, else put together of what it does write. */
export function fullAddress({ street, city, state, postalCode }: Facts): string | null {
  const region = [state, postalCode].filter(Boolean).join(' ');
  return (street === null ? [city, region] : [street, city]).filter(Boolean).join(', ') || null;
}

function traits(facts: Facts): Partial<ListingDraft> {
  const { propertySubType, stories, floor, parkingSpaces, garageSpaces, features, newConstruction } = facts;
  const { waterfront, associationFee, tax, description } = facts;
  const nobody = { name: null, phone: null, email: null };
  return {
    propertySubType,
    stories,
    floor,
    parkingSpaces,
    garageSpaces,
    features,
    newConstruction,
    waterfront,
    associationFee,
    tax,
    description,
    saleConditions: facts.conditions,
    listingId: facts.mlsNumber,
    virtualTourUrl: facts.tour ? 'https://tour.example/' : null,
    agent: facts.agent === null ? null : { ...nobody, id: facts.agent },
    office: facts.office === null ? null : { ...nobody, id: facts.office },
    openHouses: facts.houses.map(({ at, hours, off }, index) => ({
      id: String(index),
      type: null,
      remarks: null,
      livestreamUrl: null,
      appointmentRequired: null,
      startsAt: new Date(NOW - at * DAY).toISOString(),
      endsAt: hours === null ? null : new Date(NOW - at * DAY + hours * 3_600_000).toISOString(),
      status: off ? 'Canceled' : null,
    })),
  };
}

function terms(facts: Facts): ListingDraft['rental'] {
  const { availableFrom, leaseTermMonths, furnished, pets, noFee, monthsFree, netEffectivePrice } = facts;
  const { rentControl } = facts;
  return {
    availableFrom,
    leaseTermMonths,
    furnished,
    pets,
    noFee,
    monthsFree,
    netEffectivePrice,
    ...(rentControl !== null && { rentControl }),
    leaseTerm: [],
    petsAllowed: null,
    utilitiesIncluded: facts.utilities,
    moveInCosts: facts.moveInCosts.map((amount) => ({ type: 'deposit', amount })),
  };
}

/** A square in degrees, as a closed ring. */
const square = (west: number, south: number, east: number, north: number) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south], // biome-ignore format: a ring
];

const NO_AREA = { aliases: [], codes: {}, parentReference: null, population: null, boundary: null };

/** With a hole, in two parts, by address alone, and by its children alone. */
export async function writeAreas(database: Database): Promise<void> {
  const hole = square(20.25, 10.25, 20.75, 10.75);
  await writeAreaBatch(database, 'test', [
    { ...NO_AREA, type: 'state', externalId: 'umbra', name: 'Umbra', codes: { postal: 'UM' } },
    {
      ...NO_AREA,
      type: 'county',
      externalId: 'ring',
      name: 'Ring',
      parentReference: 'umbra',
      boundary: { type: 'Polygon', coordinates: [square(20, 10, 21, 11), hole] },
    },
    {
      ...NO_AREA,
      type: 'metro',
      externalId: 'dateline',
      name: 'Dateline',
      boundary: {
        type: 'MultiPolygon',
        coordinates: [[square(179, 10, 180, 11)], [square(-180, 10, -179, 11)]],
      },
    },
    { ...NO_AREA, type: 'city', externalId: 'aldern', name: 'Aldern' },
    { ...NO_AREA, type: 'city', externalId: 'crane', name: 'Crane', parentReference: 'umbra' },
    { ...NO_AREA, type: 'school_district', externalId: 'empty', name: 'Empty' },
  ]);
}

/** Whether a closing tells no other price than what was paid, so that the asking price before it stays. */
export const keepsAskingPrice = ({ status, closePrice, listPrice, earlierPrice }: Facts): boolean =>
  status === 'CLOSED' &&
  closePrice !== null &&
  earlierPrice !== null &&
  (listPrice === null || listPrice === closePrice);

/** Writes the listings as a source would have reported them over time: earlier prices first, each batch at its moment. */
export async function writeMarket(
  database: Database,
  catalogue: Catalogue,
  market: readonly Facts[],
  currencyOf: (facts: Facts, index: number) => string = () => 'USD',
): Promise<Row[]> {
  const apply = async (at: number, drafts: readonly ListingDraft[]) =>
    (await database.transaction((tx) => catalogue.write(tx, 'test', drafts, at))).ids;
  const named = market.map((facts, index) => ({
    key: `key-${index}`,
    facts,
    currency: currencyOf(facts, index),
  }));
  const repriced = named.filter(({ facts }) => facts.earlierPrice !== null);
  const before = repriced.map(({ key, facts, currency }) => ({
    ...toDraft(key, { ...facts, listPrice: facts.earlierPrice, priceChanged: null }),
    currency,
  }));
  const firstSeen = NOW - 40 * DAY;
  await apply(firstSeen, before);
  const rows: Row[] = [];
  const batches = [...Map.groupBy(named, ({ facts }) => facts.learnt)].sort(([a], [b]) => b - a);
  for (const [learnt, batch] of batches) {
    const at = NOW - learnt * DAY;
    const ids = await apply(
      at,
      batch.map(({ key, facts, currency }) => ({ ...toDraft(key, facts), currency })),
    );
    for (const { key, facts, currency } of batch) {
      const id = ids.get(key) ?? '';
      const seen = facts.earlierPrice === null ? at : firstSeen;
      // What says nothing new writes nothing.
      const same =
        keepsAskingPrice(facts) || (facts.earlierPrice === facts.listPrice && facts.priceChanged === null);
      rows.push({
        key,
        id,
        facts,
        currency,
        firstSeen: seen,
        updatedAt: same && facts.earlierPrice !== null ? seen : at,
      });
    }
  }
  return rows;
}
