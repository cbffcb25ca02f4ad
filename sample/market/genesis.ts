// First state of the market: listings entered over two years and more, lived through to the epoch.
import type { Land } from '../land/land.ts';
import { Random } from '../random.ts';
import { DAY, MINUTE, workingTime } from './calendar.ts';
import { liveThrough, REACH_DAYS } from './history.ts';
import { type Home, isDwelling } from './home.ts';
import { type Listing, setStatus } from './listing.ts';
import { listingId, listingKey, offer } from './offers.ts';
import { season } from './prices.ts';
import { openStock, type Side, type Stock } from './stock.ts';

export interface Genesis {
  /** In order of entry. */
  readonly listings: Listing[];
  readonly stock: Stock;
  /** Greatest ModificationTimestamp. */
  readonly lastAt: number;
}

/** Share of listings that offer a home for rent. */
const LEASE_SHARE = 0.4;
/** Entries start earlier than the history that is kept, so that it begins with a market in full swing. */
const LEAD_DAYS = 160;

/** The same seed, epoch (ms) and size always give the same listings. */
export function createGenesis(land: Land, seed: string, epoch: number, size: number): Genesis {
  const random = Random.of(seed, 'genesis');
  const stock = openStock(land, Random.of(seed, 'stock'));
  const drafts: Listing[] = [];
  const wanted = { lease: Math.round(size * LEASE_SHARE), sale: size - Math.round(size * LEASE_SHARE) };
  const counts = { sale: 0, lease: 0 };
  const add = (home: Home, side: Side, at: number): void => {
    if (counts[side] >= wanted[side] || at > epoch - DAY / 12) return;
    const listing = live(home, side, at, epoch, random);
    if (!listing) return;
    drafts.push(listing);
    counts[side] += 1;
    const next = sequel(listing, random);
    if (next) add(home, next.side, next.at);
  };
  for (const side of ['sale', 'lease'] as const) {
    while (counts[side] < wanted[side]) add(stock.build(side), side, entryTime(epoch, random));
  }
  const listings = numbered(drafts);
  spoilSome(listings, epoch, random);
  return { listings, stock, lastAt: separate(listings, epoch) };
}

function live(home: Home, side: Side, at: number, epoch: number, random: Random): Listing | null {
  const opening = offer(home, side, at, 0, random);
  const recent = at > epoch - 9 * DAY;
  // A few drafts were started lately and are not finished yet.
  if (!(recent && random.chance(0.3))) liveThrough(opening, epoch, random);
  const { listing } = opening;
  const forgotten = listing.offMarketAt !== null && listing.modifiedAt < epoch - REACH_DAYS * DAY;
  return forgotten ? null : listing;
}

/** More listings come in spring and summer, and somewhat more every year. */
function entryTime(epoch: number, random: Random): number {
  for (;;) {
    const days = random.unit() * (REACH_DAYS + LEAD_DAYS);
    const at = epoch - days * DAY;
    const growth = 1 - (0.25 * days) / REACH_DAYS;
    if (random.unit() * 1.4 < growth * (1 + 0.3 * season(at)))
      return Math.min(workingTime(at, random), epoch - 3 * 60 * MINUTE);
  }
}

/** Homes come back: unsold ones soon and cheaper, let ones a year later, some bought to be let. */
function sequel(listing: Listing, random: Random): { side: Side; at: number } | null {
  const end = listing.offMarketAt;
  if (end === null || listing.status === 'Pending') return null;
  const after = (from: number, to: number): number =>
    workingTime(end + random.between(from, to) * DAY, random);
  if (listing.status !== 'Closed')
    return random.chance(0.55) ? { side: listing.side, at: after(4, 60) } : null;
  const closed = listing.closedAt ?? end;
  const later = after(10 + (closed - end) / DAY, 70 + (closed - end) / DAY);
  if (listing.side === 'sale') {
    if (isDwelling(listing.home.kind) && listing.home.units === null && random.chance(0.08))
      return { side: 'lease', at: later };
    return random.chance(0.05) ? { side: 'sale', at: after(240, 560) } : null;
  }
  if (random.chance(0.26)) return { side: 'lease', at: after(340, 400) };
  return listing.home.kind !== 'apartment' && random.chance(0.04) ? { side: 'sale', at: later } : null;
}

/** Keys follow the order of entry. */
function numbered(drafts: Listing[]): Listing[] {
  drafts.sort((a, b) => a.enteredAt - b.enteredAt);
  drafts.forEach((draft, index) => {
    draft.key = listingKey(index);
    draft.id = listingId(index, draft.enteredAt);
  });
  return drafts;
}

/** Some listings were entered by mistake and nullified. */
function spoilSome(listings: readonly Listing[], epoch: number, random: Random): void {
  for (const listing of listings) {
    if (!random.chance(0.011)) continue;
    const at = Math.floor(listing.modifiedAt + random.between(0.1, 20) * DAY);
    if (at < epoch - 3 * MINUTE) setStatus(listing, 'Delete', at);
  }
}

/** No two listings share a ModificationTimestamp: later ones give way by a millisecond. Returns the last. */
function separate(listings: readonly Listing[], epoch: number): number {
  let last = 0;
  for (const listing of [...listings].sort((a, b) => a.modifiedAt - b.modifiedAt)) {
    last = Math.max(listing.modifiedAt, last + 1);
    listing.modifiedAt = last;
  }
  return Math.min(last, epoch);
}
