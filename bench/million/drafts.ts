// Seeded homes of the large benchmark: properties with all their listings, the same for the same seed and day.

import type { ListingDraft, RentalTerms } from '../../src/listings/draft.ts';
import { draft, NO_ADDRESS } from '../../test/support/catalogue/drafts.ts';
import { random } from '../market.ts';
import { name, pick, type Town } from './towns.ts';

const DAY = 86_400_000;
const TYPES = ['SINGLE_FAMILY', 'SINGLE_FAMILY', 'CONDO', 'TOWNHOUSE', 'APARTMENT', 'LAND'] as const;
const OVER = ['CLOSED', 'CLOSED', 'CLOSED', 'PENDING', 'ACTIVE_UNDER_CONTRACT', 'EXPIRED'] as const;
const FEATURES = [
  'balcony',
  'basement',
  'dishwasher',
  'elevator',
  'fireplace',
  'garage',
  'garden',
  'gym',
  'laundry',
  'pool',
  'solar',
  'storage',
  'terrace',
  'view',
];

const wordList = random(99);
/** What descriptions are made of, the first ones the commonest. */
export const VOCABULARY: readonly string[] = [
  ...new Set(Array.from({ length: 4_000 }, () => name(wordList))),
].map((word) => word.toLowerCase());
const STREETS = Array.from({ length: 1_500 }, () => name(wordList));
const SUFFIXES = ['Street', 'Avenue', 'Road', 'Lane', 'Court'];

/** A listing, and when it was first seen, in milliseconds. */
export interface SeenDraft {
  readonly draft: ListingDraft;
  readonly observedAt: number;
}

/** The town where a number between 0 and 1 falls. */
export function townAt(towns: readonly Town[], share: number): Town {
  let [low, high] = [0, towns.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((towns[middle]?.upTo ?? 1) < share) low = middle + 1;
    else high = middle;
  }
  const town = towns[low];
  if (!town) throw new Error('There are no towns');
  return town;
}

/** So many homes that follow each other differ only in their numbers and, a little, in their place. */
export const COPIES = 25;

/** The texts by which a home differs from the others of its kind: its key, its house number, its place. */
export interface Marks {
  readonly key: string;
  readonly house: string;
  /** Degrees that it lies away from where its kind does. */
  readonly shift: { readonly lat: number; readonly lng: number };
}

export function marksOf(number: number): Marks {
  const next = random(number + 77);
  return {
    key: `t${number.toString(36).padStart(6, '0')}x`,
    house: `${String(number).padStart(7, '0')}h`,
    shift: { lat: degrees((next() - 0.5) * 0.012), lng: degrees((next() - 0.5) * 0.016) },
  };
}

/**
 * All listings of property `number`, the oldest first: usually one, of one in four several. Three of five are sales, and
 * not quite three of five are active. `today` is a midnight in milliseconds.
 */
export function listingsOf(towns: readonly Town[], seed: number, number: number, today: number): SeenDraft[] {
  const next = random(seed * 1_000_003 + Math.floor(number / COPIES));
  const town = townAt(towns, next());
  const marks = marksOf(number);
  const house = houseOf(town, marks, next);
  const luck = next();
  const count = luck < 0.75 ? 1 : luck < 0.95 ? 2 : 3;
  const active = next() < 0.75;
  return Array.from({ length: count }, (_, at) => {
    const last = at === count - 1;
    const age = last && active ? 1 - 45 * Math.log(1 - next() * 0.98) : 30 + (count - 1 - at + next()) * 300;
    const listed = today - Math.floor(age * DAY);
    const status = last && active ? 'ACTIVE' : pick(next, OVER);
    return offer(house, town, `${marks.key}-${at}`, listed, status, next, today);
  });
}

type House = Partial<ListingDraft> & { readonly livingArea: number };

/** About normal, with a spread of 1. */
const bell = (next: () => number): number => (next() + next() + next() + next() - 2) * 1.73;

function houseOf(town: Town, { house, shift }: Marks, next: () => number): House {
  const spread = town.radius * 0.4;
  const shown = next();
  return {
    livingArea: Math.round(400 + next() ** 2 * 4_000),
    propertyType: pick(next, TYPES),
    bedrooms: Math.floor(next() * 6),
    bathrooms: 1 + Math.floor(next() * 6) / 2,
    lotSize: Math.round(1_000 + next() ** 3 * 40_000),
    yearBuilt: 1900 + Math.floor(next() * 125),
    stories: 1 + Math.floor(next() * 3),
    garageSpaces: Math.floor(next() * 3),
    features: FEATURES.filter(() => next() < 0.25),
    location: {
      lat: degrees(degrees(town.lat + bell(next) * spread) + shift.lat),
      lng: degrees(degrees(town.lng + bell(next) * spread * 1.3) + shift.lng),
      precision: 'exact',
    },
    address: {
      ...NO_ADDRESS,

      streetNumber: house,
      streetName: `${pick(next, STREETS)} ${pick(next, SUFFIXES)}`,
      city: town.name,
      county: town.county,
      state: town.state,
      country: 'US',
      neighborhood: pick(next, town.neighborhoods),
      postalCode: pick(next, town.postalCodes),
    },
    display: { listing: shown >= 0.01, address: shown >= 0.02, estimate: true },
  };
}

/** To about a tenth of a metre. */
export const degrees = (value: number): number => Math.round(value * 1e6) / 1e6;
const time = (at: number): string => new Date(at).toISOString();

function offer(
  house: House,
  town: Town,
  key: string,
  listed: number,
  status: ListingDraft['status'],
  next: () => number,
  today: number,
): SeenDraft {
  const sale = next() < 0.6;
  const first = Math.round(house.livingArea * town.level * (sale ? 150 + next() * 400 : 1.2 + next() * 2.4));
  const lowered = next() < 0.2;
  const price = lowered ? Math.round(first * (0.9 + next() * 0.08)) : first;
  const left = Math.min(today - DAY, listed + Math.floor((3 - 35 * Math.log(1 - next() * 0.99)) * DAY));
  const over = status !== 'ACTIVE' && status !== 'ACTIVE_UNDER_CONTRACT';
  const closed = status === 'CLOSED';
  const changed = lowered ? time(listed + Math.floor((left - listed) / 2)) : null;
  return {
    observedAt: over ? left : listed,
    draft: draft(`bench-${key}`, {
      ...house,
      status,
      listingId: `MLS${key}`,
      listingType: sale ? 'sale' : 'rental',
      priceFrequency: sale ? 'ONE_TIME' : 'MONTHLY',
      rental: sale ? null : terms(price, next),

      listPrice: price,
      originalPrice: first,
      previousPrice: lowered ? first : null,
      priceChangedAt: changed,
      listedAt: time(listed),
      onMarketDate: time(listed).slice(0, 10),
      closePrice: closed ? Math.round(price * (0.95 + next() * 0.08)) : null,
      closedAt: closed ? time(left).slice(0, 10) : null,
      offMarketAt: over ? time(left) : null,
      statusChangedAt: over ? time(left) : null,
      pendingAt: status === 'PENDING' ? time(left) : null,
      tax: sale ? Math.round(price / 1_200) : null,
      associationFee: next() < 0.3 ? 100 : null,
      description: description(next),
      photos: photos(key, Math.floor(next() * 4)),
      photoCount: Math.floor(next() * 20),
      agent: { id: `agent-${Math.floor(next() * 20_000)}`, name: 'An Agent', phone: null, email: null },
      office: { id: `office-${Math.floor(next() * 2_000)}`, name: 'An Office', phone: null, email: null },
    }),
  };
}

function terms(rent: number, next: () => number): RentalTerms {
  const free = next() < 0.1 ? 1 : 0;
  return {
    availableFrom: null,
    leaseTerm: [],
    leaseTermMonths: 12,
    furnished: null,
    pets: next() < 0.5 ? ['cats'] : [],
    petsAllowed: null,
    utilitiesIncluded: [],
    noFee: next() < 0.3,
    moveInCosts: [{ type: 'deposit', amount: rent }],
    monthsFree: free,
    netEffectivePrice: free ? Math.round((rent * 11) / 12) : null,
  };
}

function description(next: () => number): string {
  const words = Array.from({ length: 12 + Math.floor(next() * 24) }, () => {
    return VOCABULARY[Math.floor(VOCABULARY.length * next() ** 3)] ?? 'home';
  });
  return `${words.join(' ')}.`;
}

function photos(key: string, count: number): NonNullable<ListingDraft['photos']> {
  return Array.from({ length: count }, (_, order) => ({
    id: `${key}-${order}`,
    url: `https://photos.example/${key}/${order}.jpg`,
    thumbnailUrl: null,
    width: 1200,
    height: 800,
    caption: null,
    category: null,
    order,
  }));
}
