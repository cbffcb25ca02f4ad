// Steps of the market: at each one a handful of listings change in ways that real ones do.
import type { Random } from '../random.ts';
import { MINUTE, nextWeekend } from './calendar.ts';
import { closeLease, closeSale, repriced, saleRatio } from './history.ts';
import { isDwelling } from './home.ts';
import {
  addOpenHouse,
  cancelOpenHouse,
  type Listing,
  type Status,
  setPhotos,
  setPrice,
  setStatus,
} from './listing.ts';
import type { Market } from './market.ts';

const FEWEST = 6;
const MOST = 10;
/** Most listings deleted in one step. */
const MAX_FORGOTTEN = 3;
/** Above this share of its first size the market forgets its oldest listings. */
const GROWTH = 1.08;
/** Share of listings that may stand as deleted before they vanish. */
const DELETED_SHARE = 0.03;

interface Step {
  readonly market: Market;
  readonly random: Random;
  readonly at: number;
  /** Keys changed in this step: no listing changes twice. */
  readonly touched: ReadonlySet<string>;
}

type Change = (step: Step) => Listing | null;

/**
 * Takes one step of the market's life at the given instant (ms), or just after the last change if that is later.
 * Returns the keys of the listings that changed, in the order of their ModificationTimestamp.
 */
export function takeStep(market: Market, at: number): string[] {
  const { random } = market;
  const wanted = random.integer(FEWEST, MOST);
  const touched = new Set<string>();
  const first = Math.max(at - wanted, market.lastAt) + 1;
  for (let tries = 0; touched.size < wanted && tries < 4 * MOST; tries += 1) {
    const step: Step = { market, random, at: first + touched.size, touched };
    const listing =
      isCrowded(market) && touched.size < MAX_FORGOTTEN ? forget(step) : CHANGES[pickChange(step)](step);
    if (!listing) continue;
    market.refile(listing);
    touched.add(listing.key);
  }
  market.reach(Math.max(at, first + touched.size - 1));
  market.countStep();
  dropDeleted(market);
  return [...touched];
}

const WEIGHTS = {
  cut: 26,
  raise: 5,
  photograph: 14,
  invite: 9,
  disinvite: 3,
  accept: 6,
  pend: 5,
  close: 4,
  fallThrough: 2.5,
  withdraw: 2,
  hold: 1.5,
  resume: 3,
  publish: 2,
  expire: 1,
  cancel: 0.8,
  list: 4,
} as const;

type ChangeName = keyof typeof WEIGHTS;

/** Fewer homes on offer than usual bring more sellers and fewer buyers, and the other way round. */
function pickChange({ market, random }: Step): ChangeName {
  const scarcity = Math.max(
    0.5,
    Math.min(1.6, (market.usualSupply + 1) / (market.pool('Active').length + 1)),
  );
  return random.weighted({
    ...WEIGHTS,
    list: WEIGHTS.list * scarcity ** 4,
    accept: WEIGHTS.accept / scarcity ** 2,
  });
}

/** One untouched listing of the status that suits, or null when a few tries find none. */
function pick(
  { market, random, touched }: Step,
  status: Status,
  suits: (listing: Listing) => boolean = () => true,
): Listing | null {
  const pool = market.pool(status);
  for (let tries = 0; tries < 6 && pool.length > 0; tries += 1) {
    const listing = random.pick(pool);
    if (!touched.has(listing.key) && suits(listing)) return listing;
  }
  return null;
}

/** A change of status for one listing out of `from`. */
function move(from: readonly Status[], to: Status, suits?: (listing: Listing) => boolean): Change {
  return (step) => {
    const listing = pick(step, step.random.pick(from), suits);
    if (listing) setStatus(listing, to, step.at);
    return listing;
  };
}

function reprice(low: number, high: number): Change {
  return (step) => {
    const listing = pick(step, 'Active');
    if (!listing) return null;
    // Prices wander, but not away: what fell far rises, what rose far falls.
    const wandered = listing.listPrice / listing.originalPrice;
    const change = step.random.between(low, high);
    const price = repriced(
      listing,
      wandered < 0.8 ? 2 - change : wandered > 1.15 ? Math.min(change, 0.97) : change,
      step.random.unit(),
    );
    if (price === listing.listPrice) return null;
    setPrice(listing, price, step.at);
    return listing;
  };
}

const forSale = (listing: Listing): boolean => listing.side === 'sale';

const CHANGES: Readonly<Record<ChangeName, Change>> = {
  cut: reprice(0.945, 0.99),
  raise: reprice(1.008, 1.04),
  photograph(step) {
    const listing = pick(step, 'Active');
    if (!listing) return null;
    // A full set is retaken instead: the count stays, the pictures' time moves.
    setPhotos(
      listing,
      listing.photos < 28 ? listing.photos + step.random.integer(1, 3) : listing.photos,
      step.at,
    );
    return listing;
  },
  invite(step) {
    const listing = pick(
      step,
      'Active',
      ({ home, openHouses }) =>
        isDwelling(home.kind) && !openHouses.some((open) => open.end > step.at && !open.canceled),
    );
    if (!listing) return null;
    const start = nextWeekend(step.at, step.random);
    addOpenHouse(listing, start, start + step.random.integer(2, 5) * 30 * MINUTE, step.at);
    return listing;
  },
  disinvite(step) {
    const coming = (candidate: Listing) =>
      candidate.openHouses.find((open) => open.start > step.at && !open.canceled);
    const listing = pick(step, 'Active', (candidate) => coming(candidate) !== undefined);
    const openHouse = listing ? coming(listing) : undefined;
    if (!listing || !openHouse) return null;
    cancelOpenHouse(listing, openHouse, step.at);
    return listing;
  },
  accept: move(['Active'], 'Active Under Contract', forSale),
  pend(step) {
    const listing =
      pick(step, 'Active Under Contract') ?? pick(step, 'Active', ({ side }) => side === 'lease');
    if (listing) setStatus(listing, 'Pending', step.at);
    return listing;
  },
  close(step) {
    const listing = pick(step, 'Pending');
    if (!listing) return null;
    const waited = (listing.pendingAt ?? step.at) - (listing.onMarketAt ?? step.at);
    if (listing.side === 'sale') closeSale(listing, saleRatio(waited, step.random), step.at);
    else closeLease(listing, 1, step.at);
    return listing;
  },
  fallThrough: move(['Active Under Contract', 'Pending'], 'Active'),
  withdraw: move(['Active'], 'Withdrawn'),
  hold: move(['Active'], 'Hold'),
  resume: move(['Hold', 'Withdrawn'], 'Active'),
  publish: move(['Coming Soon', 'Incomplete'], 'Active'),
  expire: move(['Active'], 'Expired'),
  cancel: move(['Active', 'Withdrawn'], 'Canceled'),
  list(step) {
    const { market, random } = step;
    const side = random.chance(0.6) ? 'sale' : 'lease';
    const former = random.chance(0.5)
      ? pick(step, random.pick(['Expired', 'Canceled', 'Closed'] as const))
      : null;
    const home = former?.side === side ? former.home : market.buildHome(side);
    const { listing } = market.addListing(home, side, step.at);
    setStatus(listing, random.chance(0.15) ? 'Coming Soon' : 'Active', step.at);
    return listing;
  },
};

const isCrowded = (market: Market): boolean => market.count > market.size * GROWTH;

/** The market keeps its size: the longest ended listing of a few is deleted. */
function forget({ market, random, touched, at }: Step): Listing | null {
  const old = oldest(market, random.pick(['Closed', 'Closed', 'Canceled', 'Expired'] as const));
  if (!old || touched.has(old.key)) return null;
  setStatus(old, 'Delete', at);
  return old;
}

/** Deleted listings vanish in their turn. */
function dropDeleted(market: Market): void {
  while (market.pool('Delete').length > Math.max(12, market.size * DELETED_SHARE)) {
    const gone = oldest(market, 'Delete');
    if (gone) market.drop(gone);
  }
}

function oldest(market: Market, status: Status): Listing | null {
  const pool = market.pool(status);
  if (pool.length === 0) return null;
  const few = Array.from({ length: 8 }, () => market.random.pick(pool));
  return few.reduce((first, other) => (other.modifiedAt < first.modifiedAt ? other : first));
}
