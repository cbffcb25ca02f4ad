// Terms of a new listing: its first price, its photos and who lists it.
import type { Random } from '../random.ts';
import { AGENTS } from './agents.ts';
import { type Home, isDwelling } from './home.ts';
import { type Entry, enter, type Listing } from './listing.ts';
import { askingPrice, askingRent, rentIndex, rentOf, saleIndex } from './prices.ts';
import type { Side } from './stock.ts';

/** What the home would fetch at an instant: dollars, or dollars a month for a lease. */
export function fairPrice(home: Home, side: Side, at: number): number {
  return side === 'sale' ? home.value * saleIndex(at) : rentOf(home.value, home.kind) * rentIndex(at);
}

export interface Offer {
  readonly listing: Listing;
  /** Logarithm of asking over fair price: dear homes wait longer. */
  readonly over: number;
}

/** A draft listing. `number` is its place in the order of entry and makes its key. */
export function offer(home: Home, side: Side, at: number, number: number, random: Random): Offer {
  const over = 0.018 + 0.045 * random.normal();
  const weekly = side === 'lease' && isDwelling(home.kind) && random.chance(0.035);
  const price = fairPrice(home, side, at) * Math.exp(over);
  const taste = random.unit();
  const listPrice =
    side === 'sale'
      ? askingPrice(price, taste)
      : askingRent(weekly ? (price * 12 * 1.12) / 52 : price, taste);
  const entry: Entry = {
    key: listingKey(number),
    id: listingId(number, at),
    home,
    side,
    weekly,
    seed: Math.floor(random.unit() * 2 ** 31),
    agent: pickAgent(home, random),
    enteredAt: at,
    listPrice,
    photos: drawPhotos(home, random),
  };
  return { listing: enter(entry), over };
}

/** Keys are opaque to clients; these merely never repeat. */
export function listingKey(number: number): string {
  return `CSL${10_000_000 + number * 7}`;
}

/** What people call the listing by: the year and its number. */
export function listingId(number: number, enteredAt: number): string {
  return `${new Date(enteredAt).getUTCFullYear() % 100}${String(number).padStart(6, '0')}`;
}

function drawPhotos(home: Home, random: Random): number {
  if (random.chance(0.015)) return 0;
  if (home.kind === 'land') return random.integer(1, 5);
  return random.integer(4, Math.min(24, 8 + Math.floor((home.area ?? 1000) / 180)));
}

/** Agents work near their office: most listings of a neighbourhood go to a few of them. */
function pickAgent(home: Home, random: Random): number {
  const local = (home.address.neighborhood * 37) % AGENTS;
  return random.chance(0.7) ? (local + random.integer(0, 11)) % AGENTS : random.integer(0, AGENTS - 1);
}
