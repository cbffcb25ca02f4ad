// What changed between the stored listing and the one that its source has at this moment. Pure.

import type { Listing } from '../../../listings/record.ts';
import { moneyWords, priceWords } from '../../../page/words.ts';
import { areaWords, dayWords, NOT_STATED, oneLine, statusWords, typeWords } from '../../home/words.ts';

export interface FactChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

type Fact = readonly [name: string, words: (listing: Listing, now: number) => string | null];

const count = (value: number | null): string | null =>
  value === null ? null : value.toLocaleString('en-US');
const money = (value: number | null | undefined, { currency }: Listing): string | null =>
  value === null || value === undefined ? null : moneyWords(value, currency);
const moment = (at: string | null | undefined, now: number): string | null =>
  at === null || at === undefined ? null : shortMoment(Date.parse(at), now);
const DAY = 86_400_000;
/** The time of a moment of today, else its day. */
const shortMoment = (at: number, now: number): string =>
  Math.floor(at / DAY) === Math.floor(now / DAY)
    ? `${new Date(at).toISOString().slice(11, 16)} UTC`
    : dayWords(at);
const flag = (value: boolean | null): string | null => (value === null ? null : value ? 'Yes' : 'No');
const area = (value: number | null, { areaUnit }: Listing): string | null =>
  value === null ? null : areaWords(value, areaUnit);

/** Facts as people read them, the ones that change most first. */
const FACTS: Readonly<Partial<Record<keyof Listing, Fact>>> = {
  price: ['Price', (each) => (each.price === null ? null : priceWords({ ...each, price: each.price }))],
  status: ['Status', (each) => statusWords(each).text],
  closePrice: ['Price paid', (each) => money(each.closePrice, each)],
  priceChangedAt: ['Price changed', (each, now) => moment(each.priceChangedAt, now)],
  statusChangedAt: ['Status changed', (each, now) => moment(each.statusChangedAt, now)],
  pricePerArea: [
    'Per area',
    (each) => money(each.pricePerArea === null ? null : Math.round(each.pricePerArea), each),
  ],
  bedrooms: ['Bedrooms', ({ bedrooms }) => count(bedrooms)],
  bathrooms: ['Bathrooms', ({ bathrooms }) => count(bathrooms)],
  livingArea: ['Living area', (each) => area(each.livingArea, each)],
  lotSize: ['Lot', (each) => area(each.lotSize, each)],
  propertyType: ['Type', ({ propertyType }) => typeWords(propertyType)],
  yearBuilt: ['Built', ({ yearBuilt }) => (yearBuilt === null ? null : String(yearBuilt))],
  parkingSpaces: ['Parking', ({ parkingSpaces }) => count(parkingSpaces)],
  waterfront: ['On the water', ({ waterfront }) => flag(waterfront)],
  monthlyCosts: ['Monthly costs', (each) => money(each.monthlyCosts?.total, each)],
  photos: ['Photos', ({ photos }) => count(photos.length)],
  openHouses: ['Open houses', ({ openHouses }) => count(openHouses.length)],
  features: ['Features', ({ features }) => count(features.length)],
  description: ['Description', ({ description }) => (description === null ? null : oneLine(description, 80))],
  agent: ['Agent', ({ agent }) => (agent?.name ? oneLine(agent.name, 60) : null)],
  office: ['Office', ({ office }) => (office?.name ? oneLine(office.name, 60) : null)],
  address: ['Address', ({ address }) => (address.full === null ? null : oneLine(address.full))],
  closedAt: ['Sold on', ({ closedAt }) => closedAt],
};

/** Members that differ whenever the source was read, or that follow from others. */
const FOLLOWING: readonly string[] = [
  'source',
  'fetchedAt',
  'updatedAt',
  'version',
  'upstreamModifiedAt',
  'daysOnMarket',
  'priceChange',
  'priceMonthly',
  'previousPrice',
  'statusRaw',
  'photoCount',
];

/** The facts that differ, in words; `now` in milliseconds. */
export function changesBetween(before: Listing, after: Listing, now: number): readonly FactChange[] {
  const differs = (key: string): boolean =>
    JSON.stringify(before[key as keyof Listing]) !== JSON.stringify(after[key as keyof Listing]);
  const known = Object.entries(FACTS)
    .filter(([key]) => differs(key))
    .map(([, [name, words]]) => {
      const [old, fresh] = [words(before, now) ?? NOT_STATED, words(after, now) ?? NOT_STATED];
      return { name, before: old, after: old === fresh ? 'Changed' : fresh };
    });
  const others = Object.keys(after).filter(
    (key) => !(key in FACTS) && !FOLLOWING.includes(key) && differs(key),
  );
  return [
    ...known,
    ...others.map((key) => ({ name: fieldWords(key), before: 'As stored', after: 'Changed' })),
  ];
}

/** `areaIds` as `Area ids`. */
function fieldWords(key: string): string {
  const words = key.replace(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
