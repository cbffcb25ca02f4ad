// Random histories of listings: what really happened, and how a source reports it, now or long after.

import fc from 'fast-check';
import type { Catalogue } from '../../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from './drafts.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Everything happens before this. */
export const END = Date.UTC(2026, 0, 5, 12);
/** The source is read every two days. */
const READING = 2 * DAY;

export type Status = ListingDraft['status'];

/** From `at` on the listing had this status and price; times in milliseconds. */
export interface Step {
  readonly at: number;
  readonly status: Status;
  /** As the source says it: per week for some rentals. */
  readonly price: number | null;
}

/** How a source reports: each change when it is read, each with its own time, or all at once in the end. */
type Reporting = 'bare' | 'dated' | 'late';

export interface ListingHistory {
  readonly key: string;
  readonly property: string;
  readonly listingType: 'rental' | 'sale';
  readonly reporting: Reporting;
  readonly steps: readonly Step[];
  readonly closePrice: number | null;
  readonly originalPrice: number | null;
  readonly weekly: boolean;
  readonly monthsFree: number | null;
  readonly propertyType: ListingDraft['propertyType'];
  readonly bedrooms: number | null;
  readonly livingArea: number | null;
  readonly city: string;
  readonly displayed: boolean;
}

const AFTER: readonly Status[] = [
  'ACTIVE',
  'ACTIVE_UNDER_CONTRACT',
  'PENDING',
  'CLOSED',
  'CLOSED',
  'CLOSED',
  'HOLD',
  'WITHDRAWN',
  'EXPIRED',
  'CANCELED',
  'DELETED',
  'ACTIVE',
] as const;

const seed = fc.record({
  property: fc.nat(40),
  listingType: fc.constantFrom<ListingHistory['listingType']>('sale', 'sale', 'rental', 'rental'),
  reporting: fc.constantFrom<Reporting>('bare', 'dated', 'dated', 'late'),
  began: fc.nat(400),
  minute: fc.nat(1439),
  first: fc.constantFrom<Status>('ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE_UNDER_CONTRACT', 'COMING_SOON'),
  moves: fc.array(
    fc.record({
      hours: fc.integer({ min: 49, max: 1_100 }),
      status: fc.constantFrom<Status | null>(null, null, ...AFTER),
      factor: fc.constantFrom(0.9, 0.95, 1.04, 1),
    }),
    { minLength: 0, maxLength: 6 },
  ),
  price: fc.constantFrom(null, 800, 1_000, 1_250, 1_600, 2_000, 2_400, 3_000),
  closeFactor: fc.constantFrom(null, 0.4, 0.9, 0.95, 0.98, 1, 1.02, 1.1, 1.6),
  original: fc.boolean(),
  weekly: fc.constantFrom(true, false, false),
  monthsFree: fc.constantFrom(null, null, 0, 1, 2),
  propertyType: fc.constantFrom<ListingHistory['propertyType']>('CONDO', 'SINGLE_FAMILY'),
  bedrooms: fc.constantFrom(null, 0, 1, 2),
  livingArea: fc.constantFrom(null, 400, 750, 1_000),
  city: fc.constantFrom('Aldern', 'Crane'),
  displayed: fc.constantFrom(true, true, true, true, true, false),
});
type Seed = typeof seed extends fc.Arbitrary<infer T> ? T : never;

export const listingHistories: fc.Arbitrary<ListingHistory[]> = fc
  .array(seed, { minLength: 130, maxLength: 130, size: 'max' })
  .map((seeds) => seeds.map(grow))
  // Of two listings that come in the same moment either may represent their property.
  .map((all) =>
    all.filter((history, at) => !all.slice(0, at).some((other) => begins(other) === begins(history))),
  );

const begins = ({ property, key, steps }: ListingHistory): string => `${property} ${steps[0]?.at ?? key}`;

function grow(from: Seed, index: number): ListingHistory {
  const { property, listingType, reporting, propertyType, bedrooms, livingArea, city, displayed } = from;
  const price = from.price === null ? null : from.price * (listingType === 'sale' ? 250 : 1);
  // What is reported bare has a moment of its own.
  const apart = (step: Step): Step =>
    reporting === 'bare' ? { ...step, at: step.at + index * 1_000 } : step;
  const steps = reporting === 'late' ? lateSteps(from, price) : stepsOf(from, price).map(apart);
  const last = steps.at(-1)?.price ?? null;
  const paid = last !== null && from.closeFactor !== null ? last * from.closeFactor : null;
  return {
    key: `key-${index}`,
    // Many listings share few properties, so that they follow and overlap each other.
    property: `home-${listingType === 'sale' ? property : property + 20}`,
    listingType,
    reporting,
    steps,
    propertyType,
    bedrooms,
    livingArea,
    city,
    displayed,
    closePrice: paid,
    originalPrice: from.original && reporting !== 'late' ? (steps[0]?.price ?? null) : null,
    weekly: listingType === 'rental' && from.weekly,
    monthsFree: listingType === 'rental' ? from.monthsFree : null,
  };
}

/** What is reported bare happened when it was read; a closing that is dated has a day only. */
function timeOf(at: number, reporting: Reporting, status: Status): number {
  if (reporting === 'bare') return Math.ceil(at / READING) * READING + HOUR;
  return status === 'CLOSED' ? Math.floor(at / DAY) * DAY : at;
}

function stepsOf({ began, minute, first, moves, reporting }: Seed, listed: number | null): Step[] {
  let [at, status, price] = [END - began * DAY - minute * 60_000, first, listed];
  const steps: Step[] = [{ at: timeOf(at, reporting, status), status, price }];
  for (const move of moves) {
    at += move.hours * HOUR;
    const next = move.status ?? status;
    const nextPrice = price === null || next === 'CLOSED' ? price : Math.round(price * move.factor);
    if (next === status && nextPrice === price) continue;
    [status, price] = [next, nextPrice];
    steps.push({ at: timeOf(at, reporting, status), status, price });
  }
  return steps.filter((step) => step.at < END - 3 * DAY);
}

/** A short history that is over when it is first reported: on the market, perhaps pending, then closed or expired. */
function lateSteps({ began, minute, moves }: Seed, price: number | null): Step[] {
  const on = Math.floor((END - (began + 60) * DAY) / DAY) * DAY;
  const days = 3 + (minute % 40);
  const [pending, sold] = [moves.length % 2 === 0, moves.length % 3 !== 0];
  const steps: Step[] = [{ at: on, status: 'ACTIVE', price }];
  if (pending && sold) steps.push({ at: on + days * DAY - 5 * HOUR, status: 'PENDING', price });
  steps.push({ at: on + (days + 2) * DAY, status: sold ? 'CLOSED' : 'EXPIRED', price });
  return steps;
}

const time = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();
const date = (at: number | undefined): string | null => time(at)?.slice(0, 10) ?? null;

/** What the source says of a listing when these steps have happened. */
function draftAfter(history: ListingHistory, steps: readonly Step[]): ListingDraft {
  const { reporting, listingType, propertyType, bedrooms, livingArea, city, displayed, weekly } = history;
  const now = steps.at(-1);
  const dated = reporting !== 'bare';
  const status = now?.status ?? 'ACTIVE';
  const changed = steps.findLast((step, at) => step.status !== steps[at - 1]?.status);
  const priced = steps.findLast((step, at) => at > 0 && step.price !== steps[at - 1]?.price);
  const of = (wanted: Status) =>
    steps.findLast((step, at) => step.status === wanted && steps[at - 1]?.status !== wanted)?.at;
  const closed = status === 'CLOSED';
  return draft(history.key, {
    listingType,
    propertyType,
    bedrooms,
    livingArea,
    status,
    listPrice: now?.price ?? null,
    originalPrice: history.originalPrice,
    closePrice: closed ? history.closePrice : null,
    priceFrequency: listingType === 'sale' ? 'ONE_TIME' : weekly ? 'WEEKLY' : 'MONTHLY',
    universalPropertyId: history.property,
    address: { ...NO_ADDRESS, city, state: 'Umbra' },
    display: { listing: displayed, address: true, estimate: true },
    rental: listingType === 'sale' ? null : terms(history.monthsFree),
    ...(dated && {
      listedAt: time(steps[0]?.at),
      statusChangedAt: time(changed?.at),
      priceChangedAt: time(priced?.at),
      pendingAt: status === 'PENDING' || reporting === 'late' ? time(of('PENDING')) : null,
      closedAt: closed ? date(now?.at) : null,
    }),
    ...(reporting === 'late' && {
      onMarketDate: date(steps[0]?.at),
      offMarketAt: status === 'EXPIRED' ? date(now?.at) : null,
      listedAt: time((steps[0]?.at ?? 0) + 9 * HOUR),
    }),
  });
}

function terms(monthsFree: number | null): ListingDraft['rental'] {
  return {
    availableFrom: null,
    leaseTerm: [],
    leaseTermMonths: null,
    furnished: null,
    pets: [],
    petsAllowed: null,
    utilitiesIncluded: [],
    moveInCosts: [],
    noFee: null,
    monthsFree,
    netEffectivePrice: null,
  };
}

/** What a source says of a listing at a moment, which it is read at. */
export const draftAt = (history: ListingHistory, at: number): ListingDraft =>
  draftAfter(
    history,
    history.steps.filter((step) => step.at <= at),
  );

/** All readings of these histories, in the order of their moments. */
export function readingsOf(
  all: readonly ListingHistory[],
  currencyOf: (history: ListingHistory) => string = () => 'USD',
): [number, ListingDraft[]][] {
  const readings = new Map<number, ListingDraft[]>();
  for (const history of all) {
    const moments = history.reporting === 'late' ? history.steps.slice(-1) : history.steps;
    for (const step of moments) {
      const at =
        history.reporting === 'late'
          ? END - DAY
          : history.reporting === 'bare'
            ? step.at
            : readAfter(step.at);
      const reading = { ...draftAt(history, step.at), currency: currencyOf(history) };
      readings.set(at, [...(readings.get(at) ?? []), reading]);
    }
  }
  return [...readings].sort(([a], [b]) => a - b);
}

/** Writes all histories as their sources would have reported them, reading after reading. */
export async function writeHistories(
  database: Database,
  catalogue: Catalogue,
  all: readonly ListingHistory[],
  currencyOf?: (history: ListingHistory) => string,
): Promise<void> {
  for (const [at, drafts] of readingsOf(all, currencyOf))
    await database.transaction((tx) => catalogue.write(tx, 'test', drafts, at));
}

const readAfter = (at: number): number => Math.floor(at / READING) * READING + READING + HOUR;
