// Homes on the front page: six with a picture, as a caller without credentials may see them.

import type { Principal } from '../../access/tiers/tiers.ts';
import { buildReaderView, presentListing } from '../../listings/presenter.ts';
import type { Listing } from '../../listings/record.ts';
import { pictureSource } from '../../page/picture.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { FrontHome } from '../../site/front/home-cards.ts';
import { findFrontHomes } from '../example-store.ts';

const SHOWN = 6;
/** Of these, where there are as many. */
const RENTALS = 2;

export interface FrontHomeOptions {
  readonly database: Database;
  readonly publicUrl: string;
  /** Anybody, as the explorer shows homes to them. */
  readonly visitor: Principal;
  /** Wall-clock milliseconds. */
  readonly now: number;
}

/** The homes, sales first; empty where there are none. Throws DATABASE_UNAVAILABLE. */
export async function listFrontHomes(options: FrontHomeOptions): Promise<readonly FrontHome[]> {
  const { database, publicUrl, visitor, now } = options;
  const view = buildReaderView(visitor, {}, now, publicUrl);
  const homes = (await findFrontHomes(database, visitor.reach)).flatMap((stored) => {
    const listing = presentListing(stored, view);
    const home = listing === null ? null : frontHome(listing, stored.source, publicUrl);
    return home === null ? [] : [home];
  });
  const rentals = homes.filter(({ listingType }) => listingType === 'rental');
  const sales = homes.filter(({ listingType }) => listingType === 'sale');
  const soldHere = sales.slice(0, SHOWN - Math.min(RENTALS, rentals.length));
  return [...soldHere, ...rentals.slice(0, SHOWN - soldHere.length)];
}

/** Null without a price, or a picture that a browser may load. */
function frontHome(listing: Listing, source: string, publicUrl: string): FrontHome | null {
  const { id, listingType, price, address, photos } = listing;
  const picture = photos
    .map(({ url, thumbnailUrl }) => pictureSource(thumbnailUrl ?? url, publicUrl))
    .find((url) => url !== null);
  if (price === null || address.full === null || picture === undefined) return null;
  return {
    id,
    source,
    listingType,
    price,
    currency: listing.currency,
    priceFrequency: listing.priceFrequency,
    bedrooms: listing.bedrooms,
    bathrooms: listing.bathrooms,
    livingArea: listing.livingArea,
    address: address.full,
    street: address.line1 ?? address.full,
    place: address.city ?? address.neighborhood,
    listedAt: listing.listedAt,
    attribution: listing.attribution,
    picture,
  };
}
