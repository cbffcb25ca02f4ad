// Past of the market: each listing from its entry to the epoch, with the changes that live ones make.
import type { Random } from '../random.ts';
import { DAY, HOUR, MINUTE, nextWeekend, workingTime } from './calendar.ts';
import { addOpenHouse, type Listing, setPhotos, setPrice, setStatus } from './listing.ts';
import type { Offer } from './offers.ts';
import { askingPrice, askingRent } from './prices.ts';

/** History reaches back this far before the epoch. */
export const REACH_DAYS = 730;

interface Happening {
  readonly at: number;
  act(at: number): void;
}

/** Lives the listing through to the epoch: everything that would have happened by then has happened. */
export function liveThrough({ listing, over }: Offer, epoch: number, random: Random): void {
  const plan =
    listing.side === 'sale'
      ? planSale(listing, over, epoch, random)
      : planLease(listing, over, epoch, random);
  let last = listing.enteredAt;
  for (const { at, act } of plan) {
    const then = Math.max(workingTime(at, random), last + 3 * MINUTE);
    // The last minutes before the epoch stay quiet, so that final touches still fit in.
    if (then > epoch - 5 * MINUTE) break;
    act(then);
    last = then;
  }
  if (listing.status === 'Active' && random.chance(0.28)) inviteVisitors(listing, epoch, random);
}

/** Median days to an offer: homes have come to wait longer over the two years. */
function medianDaysOnMarket(side: 'sale' | 'lease', at: number, epoch: number): number {
  const recent = Math.max(0, 1 + (at - epoch) / (REACH_DAYS * DAY));
  return side === 'sale' ? 54 + 62 * recent : 38 + 46 * recent;
}

function planSale(listing: Listing, over: number, epoch: number, random: Random): Happening[] {
  const start = listing.enteredAt;
  const plan = openings(listing, start, random);
  const waiting = waitingTime(listing, over, epoch, random);
  const outcome = random.weighted({ close: 0.8, expire: 0.07, cancel: 0.08, withdraw: 0.05 });
  const end = start + (outcome === 'expire' ? 182 * DAY : waiting);
  plan.push(...priceCuts(listing, start, end, random), ...interludes(listing, start, end, random));
  if (outcome === 'close') plan.push(...sell(listing, end, random));
  else plan.push(...giveUp(listing, outcome, end, random));
  return inOrder(plan);
}

function planLease(listing: Listing, over: number, epoch: number, random: Random): Happening[] {
  const start = listing.enteredAt;
  const plan = openings(listing, start, random);
  const waiting = waitingTime(listing, over, epoch, random);
  const outcome = random.weighted({ close: 0.87, expire: 0.03, cancel: 0.06, withdraw: 0.04 });
  const end = start + (outcome === 'expire' ? 122 * DAY : waiting);
  plan.push(...priceCuts(listing, start, end, random), ...interludes(listing, start, end, random));
  if (outcome === 'close') plan.push(...lease(listing, end, random));
  else plan.push(...giveUp(listing, outcome, end, random));
  return inOrder(plan);
}

const inOrder = (plan: Happening[]): Happening[] => plan.sort((a, b) => a.at - b.at);

function waitingTime(listing: Listing, over: number, epoch: number, random: Random): number {
  const median = medianDaysOnMarket(listing.side, listing.enteredAt, epoch) * Math.exp(6 * over);
  const slow = listing.home.kind === 'land' || listing.home.units !== null ? 1.5 : 1;
  return Math.min(420, Math.max(1.5, random.logNormal(median * slow, 0.85))) * DAY;
}

function openings(listing: Listing, start: number, random: Random): Happening[] {
  const plan: Happening[] = [];
  let opening = start + random.between(0.5, 20) * HOUR;
  if (random.chance(0.2)) {
    plan.push({ at: start + HOUR, act: (at) => setStatus(listing, 'Coming Soon', at) });
    opening = start + random.between(6, 21) * DAY;
  }
  plan.push({ at: opening, act: (at) => setStatus(listing, 'Active', at) });
  return plan;
}

/** Sellers who wait too long come down, usually more than once; a few go up. */
function priceCuts(listing: Listing, start: number, end: number, random: Random): Happening[] {
  const plan: Happening[] = [];
  for (
    let at = start + random.between(12, 32) * DAY;
    at < end - 3 * DAY;
    at += random.between(14, 45) * DAY
  ) {
    if (!random.chance(0.5)) continue;
    const change = random.chance(0.07) ? random.between(1.01, 1.04) : random.between(0.945, 0.99);
    const taste = random.unit();
    plan.push({ at, act: (then) => setPrice(listing, repriced(listing, change, taste), then) });
  }
  return plan;
}

/** The price after a relative change, in the seller's manner of rounding. */
export function repriced(listing: Listing, change: number, taste: number): number {
  const price = listing.listPrice * change;
  return listing.side === 'sale' ? askingPrice(price, taste) : askingRent(price, taste);
}

/** What happens on the way: new photos, a pause. */
function interludes(listing: Listing, start: number, end: number, random: Random): Happening[] {
  const plan: Happening[] = [];
  if (random.chance(0.3) && listing.photos > 0) {
    const more = random.integer(1, 4);
    plan.push({
      at: random.between(start + DAY, Math.max(end, start + 2 * DAY)),
      act: (at) => setPhotos(listing, listing.photos + more, at),
    });
  }
  if (random.chance(0.1) && end - start > 30 * DAY) {
    const pause = random.between(start + 8 * DAY, end - 18 * DAY);
    plan.push({ at: pause, act: (at) => setStatus(listing, 'Hold', at) });
    plan.push({
      at: random.between(pause + 6 * DAY, Math.min(pause + 40 * DAY, end - 3 * DAY)),
      act: (at) => setStatus(listing, 'Active', at),
    });
  }
  return plan;
}

function sell(listing: Listing, offerAt: number, random: Random): Happening[] {
  const plan: Happening[] = [];
  let agreed = offerAt;
  if (random.chance(0.06)) {
    plan.push({ at: agreed, act: (at) => setStatus(listing, 'Active Under Contract', at) });
    plan.push({ at: agreed + random.between(4, 14) * DAY, act: (at) => setStatus(listing, 'Active', at) });
    agreed += random.between(18, 50) * DAY;
  }
  let pending = agreed;
  if (random.chance(0.75)) {
    plan.push({ at: agreed, act: (at) => setStatus(listing, 'Active Under Contract', at) });
    pending += random.between(10, 34) * DAY;
  }
  const ratio = saleRatio(agreed - listing.enteredAt, random);
  plan.push({ at: pending, act: (at) => setStatus(listing, 'Pending', at) });
  plan.push({ at: pending + random.between(16, 50) * DAY, act: (at) => closeSale(listing, ratio, at) });
  return plan;
}

/** What buyers pay, relative to the last asking price: more when many want it at once. */
export function saleRatio(waited: number, random: Random): number {
  const days = waited / DAY;
  const mean = days < 12 ? 1.012 : days < 45 ? 0.992 : 0.978;
  return Math.max(0.86, Math.min(1.12, mean + 0.02 * random.normal()));
}

export function closeSale(listing: Listing, ratio: number, at: number): void {
  listing.closePrice = Math.round((listing.listPrice * ratio) / 500) * 500;
  setStatus(listing, 'Closed', at);
}

function lease(listing: Listing, agreed: number, random: Random): Happening[] {
  const plan: Happening[] = [];
  let signed = agreed;
  if (random.chance(0.6)) {
    plan.push({ at: agreed, act: (at) => setStatus(listing, 'Pending', at) });
    signed += random.between(2, 14) * DAY;
  }
  const ratio = random.chance(0.78) ? 1 : random.between(0.95, 1.02);
  plan.push({ at: signed, act: (at) => closeLease(listing, ratio, at) });
  return plan;
}

export function closeLease(listing: Listing, ratio: number, at: number): void {
  listing.closePrice = ratio === 1 ? listing.listPrice : Math.round((listing.listPrice * ratio) / 5) * 5;
  setStatus(listing, 'Closed', at);
}

function giveUp(
  listing: Listing,
  how: 'expire' | 'cancel' | 'withdraw',
  end: number,
  random: Random,
): Happening[] {
  if (how === 'expire') {
    listing.expiresAt = end;
    return [{ at: end, act: (at) => setStatus(listing, 'Expired', at) }];
  }
  if (how === 'cancel') return [{ at: end, act: (at) => setStatus(listing, 'Canceled', at) }];
  const plan: Happening[] = [{ at: end, act: (at) => setStatus(listing, 'Withdrawn', at) }];
  if (random.chance(0.3))
    plan.push({ at: end + random.between(10, 60) * DAY, act: (at) => setStatus(listing, 'Canceled', at) });
  return plan;
}

function inviteVisitors(listing: Listing, epoch: number, random: Random): void {
  const at = Math.max(listing.modifiedAt + MINUTE, epoch - random.between(0.05, 4) * DAY);
  if (at > epoch - 2 * MINUTE) return;
  const start = nextWeekend(epoch, random);
  addOpenHouse(listing, start, start + random.integer(2, 5) * 30 * MINUTE, Math.floor(at));
}
