// One home of a view's list: what of a listing a row shows.

import type { Listing } from '../../listings/record.ts';
import { visibleText } from '../../page/html.ts';

export interface HomeRow {
  readonly id: string;
  readonly listingType: 'sale' | 'rental';
  readonly status: string;
  /** Asking price or rent; of a sold home what it closed at, where that is known. */
  readonly price: number | null;
  readonly currency: string;
  readonly priceFrequency: string | null;
  readonly priceChange: { readonly amount: number; readonly percent: number | null } | null;
  readonly listedAt: string | null;
  readonly soldAt: string | null;
  readonly beds: number | null;
  readonly baths: number | null;
  /** Square feet. */
  readonly livingArea: number | null;
  readonly pricePerArea: number | null;
  /** Null: withheld. */
  readonly address: string | null;
  readonly place: string | null;
  /** Relative to the root of the service, or an https URL. */
  readonly photo: string | null;
  readonly attribution: string;
  /** Of its source, an https URL; null: its terms name none. */
  readonly logo: string | null;
  /** When its source last confirmed it. */
  readonly confirmedAt: string | null;
  readonly lat: number | null;
  readonly lng: number | null;
}

export function homeRow(listing: Listing, logo: string | null, publicUrl: string): HomeRow {
  const { address, location, photos, priceChange, status } = listing;
  const closed = status === 'CLOSED' ? listing.closePrice : null;
  const [street, town] = [address.line1, address.neighborhood ?? address.city];
  return {
    id: listing.id,
    listingType: listing.listingType,
    status,
    price: closed ?? listing.price,
    currency: listing.currency,
    priceFrequency: listing.priceFrequency,
    priceChange: priceChange === null ? null : { amount: priceChange.amount, percent: priceChange.percent },
    listedAt: listing.listedAt,
    soldAt: listing.closedAt,
    beds: listing.bedrooms,
    baths: listing.bathrooms,
    livingArea: listing.livingArea,
    pricePerArea: listing.pricePerArea,
    address: street === null ? null : visibleText(street),
    place: town === null ? null : visibleText(town),
    photo:
      photos
        .map(({ thumbnailUrl, url }) => pictureOf(thumbnailUrl ?? url, publicUrl))
        .find((url) => url !== null) ?? null,
    attribution: visibleText(listing.attribution),
    logo,
    confirmedAt: listing.fetchedAt,
    lat: location?.lat ?? null,
    lng: location?.lng ?? null,
  };
}

/** Below this service relative to its root, so that it works under any host name; elsewhere https only. */
function pictureOf(url: string, publicUrl: string): string | null {
  if (url.startsWith(`${publicUrl}/`)) return url.slice(publicUrl.length + 1);
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' && parsed.username === '' ? parsed.href : null;
}
