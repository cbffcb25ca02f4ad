// What machines read of the page of a home: schema.org data, and what other sites show where somebody links to it.

import type { Listing } from '../../listings/record.ts';
import { Html, html, shortened, visibleText } from '../../page/html.ts';
import { moneyWords, priceWords } from '../../page/words.ts';
import type { Home } from './read-home.ts';
import { areaWords, isWithheld, placeOf, roomWords, statusWords, titleOf, typeWords } from './words.ts';

const TYPES: Readonly<Record<Listing['propertyType'], string>> = {
  CONDO: 'Apartment',
  COOP: 'Apartment',
  APARTMENT: 'Apartment',
  SINGLE_FAMILY: 'SingleFamilyResidence',
  TOWNHOUSE: 'House',
  MULTI_FAMILY: 'Residence',
  MANUFACTURED: 'House',
  LAND: 'Place',
  COMMERCIAL: 'Place',
  OTHER: 'Residence',
};

/** `Detached house for sale, $1,575,000: 4 bd · 3 ba · 2,770 sqft in Cooper Square, Port Calder, MW 86927.` */
export function summaryOf(listing: Listing): string {
  const { price, livingArea, areaUnit } = listing;
  const status = statusWords(listing).text.toLowerCase();
  const facts = [roomWords(listing), livingArea === null ? '' : areaWords(livingArea, areaUnit)]
    .filter(Boolean)
    .join(' · ');
  const amount = price === null ? '' : `, ${priceWords({ ...listing, price })}`;
  const place = placeOf(listing);
  return `${typeWords(listing.propertyType)}, ${status}${amount}${facts === '' ? '' : `: ${facts}`}${place === '' ? '' : ` in ${place}`}.`;
}

/** The name of the page: its street where that may be shown, its kind otherwise. */
export function pageTitle(listing: Listing): string {
  const place = placeOf(listing);
  const name = isWithheld(listing) ? typeWords(listing.propertyType) : titleOf(listing);
  return place === '' ? name : `${name}, ${place}`;
}

export function openGraphOf(
  home: Home,
  url: string,
  picture: string | null,
): Readonly<Record<string, string>> {
  return {
    type: 'website',
    title: pageTitle(home.listing),
    description: summaryOf(home.listing),
    url,
    ...(picture !== null && { image: picture, 'image:alt': pageTitle(home.listing) }),
  };
}

/** A data block, which no policy forbids: browsers do not run it. */
export function structuredData(home: Home, url: string, pictures: readonly string[]): Html {
  const text = JSON.stringify(recordOf(home, url, pictures));
  // A data block ends at the first `</script`, wherever it stands.
  return html`<script type="application/ld+json">${new Html(text.replaceAll('<', '\\u003c'))}</script>`;
}

function recordOf({ listing }: Home, url: string, pictures: readonly string[]): object {
  return withoutUnknown({
    '@context': 'https://schema.org',
    '@type': 'RealEstateListing',
    '@id': url,
    url,
    name: pageTitle(listing),
    description: listing.description === null ? null : shortened(visibleText(listing.description), 1_000),
    datePosted: listing.listedAt?.slice(0, 10),
    dateModified: listing.updatedAt,
    image: pictures.length === 0 ? null : pictures.slice(0, 6),
    mainEntity: placeRecord(listing),
    offers: offerOf(listing),
  });
}

function placeRecord(listing: Listing): object {
  const { address, location, livingArea, bedrooms, bathrooms, yearBuilt } = listing;
  const isSqft = listing.areaUnit === 'sqft';
  return withoutUnknown({
    '@type': TYPES[listing.propertyType],
    numberOfBedrooms: bedrooms,
    numberOfBathroomsTotal: bathrooms,
    yearBuilt,
    floorSize:
      livingArea === null
        ? null
        : { '@type': 'QuantitativeValue', value: livingArea, unitCode: isSqft ? 'FTK' : 'MTK' },
    address: withoutUnknown({
      '@type': 'PostalAddress',
      streetAddress: address.line1,
      addressLocality: address.city,
      addressRegion: address.state,
      postalCode: address.postalCode,
      addressCountry: address.country,
    }),
    // An approximate place would be read as the home's own.
    geo:
      location === null || location.precision === 'approximate'
        ? null
        : { '@type': 'GeoCoordinates', latitude: location.lat, longitude: location.lng },
  });
}

function offerOf({ price, currency, listingType, status, priceMonthly }: Listing): object | null {
  const amount = listingType === 'rental' ? priceMonthly : price;
  if (amount === null) return null;
  const isOffered = status === 'ACTIVE' || status === 'COMING_SOON';
  return withoutUnknown({
    '@type': 'Offer',
    price: amount,
    priceCurrency: currency,
    availability: `https://schema.org/${isOffered ? 'InStock' : 'SoldOut'}`,
    businessFunction: `http://purl.org/goodrelations/v1#${listingType === 'sale' ? 'Sell' : 'LeaseOut'}`,
    ...(listingType === 'rental' && { description: `${moneyWords(amount, currency)} a month` }),
  });
}

function withoutUnknown(record: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  );
}
