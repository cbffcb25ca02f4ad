// Listing of the market: its state and the ways it may change, so that its dates and timestamps always agree.
import { DAY } from './calendar.ts';
import type { Home } from './home.ts';

export type Status =
  | 'Active'
  | 'Active Under Contract'
  | 'Canceled'
  | 'Closed'
  | 'Coming Soon'
  | 'Delete'
  | 'Expired'
  | 'Hold'
  | 'Incomplete'
  | 'Pending'
  | 'Withdrawn';

export interface OpenHouse {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  canceled: boolean;
  modifiedAt: number;
  readonly createdAt: number;
}

/** Instants are milliseconds since the epoch, prices dollars (rents: dollars a month or a week). */
export interface Listing {
  key: string;
  id: string;
  readonly home: Home;
  readonly side: 'sale' | 'lease';
  readonly weekly: boolean;
  readonly seed: number;
  readonly agent: number;
  status: Status;
  readonly enteredAt: number;
  contractAt: number;
  expiresAt: number;
  onMarketAt: number | null;
  backOnMarketAt: number | null;
  contingentAt: number | null;
  pendingAt: number | null;
  offMarketAt: number | null;
  withdrawnAt: number | null;
  canceledAt: number | null;
  closedAt: number | null;
  statusAt: number;
  listPrice: number;
  readonly originalPrice: number;
  previousPrice: number | null;
  priceAt: number | null;
  closePrice: number | null;
  majorChange: string;
  majorChangeAt: number;
  photos: number;
  photosAt: number;
  openHouses: OpenHouse[];
  openHousesAt: number | null;
  modifiedAt: number;
  /** Fields set by hand over what the state says. */
  overrides: Readonly<Record<string, unknown>> | null;
}

/** What a new listing begins with. */
export type Entry = Pick<
  Listing,
  'key' | 'id' | 'home' | 'side' | 'weekly' | 'seed' | 'agent' | 'enteredAt' | 'listPrice' | 'photos'
>;

/** A draft: entered, not yet offered. */
export function enter(entry: Entry): Listing {
  const at = entry.enteredAt;
  return {
    ...entry,
    status: 'Incomplete',
    contractAt: at,
    expiresAt: at + (entry.side === 'sale' ? 180 : 120) * DAY,
    onMarketAt: null,
    backOnMarketAt: null,
    contingentAt: null,
    pendingAt: null,
    offMarketAt: null,
    withdrawnAt: null,
    canceledAt: null,
    closedAt: null,
    statusAt: at,
    originalPrice: entry.listPrice,
    previousPrice: null,
    priceAt: null,
    closePrice: null,
    majorChange: 'New Listing',
    majorChangeAt: at,
    photosAt: at,
    openHouses: [],
    openHousesAt: null,
    modifiedAt: at,
    overrides: null,
  };
}

/** Moves the listing to a status, with all the dates that follow from it. */
export function setStatus(listing: Listing, status: Status, at: number): void {
  const before = listing.status;
  listing.status = status;
  listing.statusAt = at;
  listing.modifiedAt = at;
  listing.majorChange = changeType(listing, before, status);
  listing.majorChangeAt = at;
  if (status === 'Active') returnToMarket(listing, at);
  else if (status === 'Active Under Contract') listing.contingentAt = at;
  else if (status === 'Closed') close(listing, at);
  else if (status !== 'Coming Soon' && status !== 'Incomplete') leaveMarket(listing, status, at);
}

function changeType(listing: Listing, before: Status, status: Status): string {
  if (status === 'Delete') return 'Deleted';
  if (status !== 'Active') return status;
  if (listing.onMarketAt === null) return 'New Listing';
  return before === 'Coming Soon' ? 'Active' : 'Back On Market';
}

function returnToMarket(listing: Listing, at: number): void {
  if (listing.onMarketAt === null) listing.onMarketAt = at;
  else listing.backOnMarketAt = at;
  listing.contingentAt = null;
  listing.pendingAt = null;
  listing.offMarketAt = null;
  listing.withdrawnAt = null;
  listing.canceledAt = null;
  listing.closedAt = null;
  listing.closePrice = null;
}

function leaveMarket(listing: Listing, status: Status, at: number): void {
  listing.offMarketAt ??= at;
  if (status === 'Pending') listing.pendingAt = at;
  if (status === 'Withdrawn') listing.withdrawnAt = at;
  if (status === 'Canceled') listing.canceledAt = at;
  if (status === 'Expired') listing.expiresAt = Math.min(listing.expiresAt, at);
}

function close(listing: Listing, at: number): void {
  listing.pendingAt ??= at;
  listing.offMarketAt ??= at;
  listing.closedAt = at;
  listing.closePrice ??= listing.listPrice;
}

/** A new asking price; none if it is the present one. */
export function setPrice(listing: Listing, price: number, at: number): void {
  if (price === listing.listPrice) return;
  listing.previousPrice = listing.listPrice;
  listing.listPrice = price;
  listing.priceAt = at;
  listing.majorChange = 'Price Change';
  listing.majorChangeAt = at;
  listing.modifiedAt = at;
}

export function setPhotos(listing: Listing, photos: number, at: number): void {
  listing.photos = photos;
  listing.photosAt = at;
  listing.modifiedAt = at;
}

/** How many open houses a listing remembers. */
const REMEMBERED = 4;

export function addOpenHouse(listing: Listing, start: number, end: number, at: number): void {
  const number = (listing.openHouses.at(-1)?.number ?? 0) + 1;
  listing.openHouses = [
    ...listing.openHouses.slice(1 - REMEMBERED),
    { number, start, end, canceled: false, createdAt: at, modifiedAt: at },
  ];
  listing.openHousesAt = at;
  listing.modifiedAt = at;
}

export function cancelOpenHouse(listing: Listing, openHouse: OpenHouse, at: number): void {
  openHouse.canceled = true;
  openHouse.modifiedAt = at;
  listing.openHousesAt = at;
  listing.modifiedAt = at;
}

/** On offer: what buyers can see and make offers for. */
export function isOnMarket(listing: Listing): boolean {
  return listing.status === 'Active' || listing.status === 'Active Under Contract';
}
