// Comparable homes: where they lie, and what was paid or is asked for them.

import { parseTime } from '../../lib/clock.ts';
import { type Html, html, visibleText } from '../../page/html.ts';
import { moneyWords } from '../../page/words.ts';
import type { PresentedComparable } from '../../property/comparables.ts';
import { apiRequest } from './api-request.ts';
import type { Home } from './read-home.ts';
import { areaWords, dayWords, letterOf, roomWords, titleOf, unitWords } from './words.ts';

export interface ComparableView {
  /** The map with the home and its letters; null where there is none. */
  readonly map: Html | null;
  /** Prefix of links to the root of the service. */
  readonly root: string;
  readonly baseUrl: string;
}

export function comparablesSection(
  { listing, comparables }: Home,
  { map, root, baseUrl }: ComparableView,
): Html {
  return html`<section class="home-section" aria-labelledby="comparable"><header><h2 id="comparable">Comparable homes</h2>${
    comparables === null || comparables.length === 0
      ? null
      : html`<p class="quiet">the most alike within 5 miles</p>`
  }${apiRequest(`${baseUrl}/v1/property/${listing.id}/comparables`)}</header>${contentOf(listing, comparables, map, root)}</section>`;
}

function contentOf(
  { location }: Home['listing'],
  comparables: Home['comparables'],
  map: Html | null,
  root: string,
): Html {
  if (comparables === null)
    return html`<p class="quiet">Comparable homes could not be read just now. The rest of this page is complete.</p>`;
  if (comparables.length === 0)
    return html`<p class="quiet">${
      location === null
        ? 'Its source does not tell where this home lies, so nothing can be compared with it.'
        : 'No home like this was sold or offered nearby within a year.'
    }</p>`;
  return html`<div class="home-compared">${map === null ? null : html`<div class="home-map">${map}</div>`}<table class="data"><thead class="visually-hidden"><tr><th scope="col">On the map</th><th scope="col">Home</th><th scope="col">Size</th><th scope="col">Price</th><th scope="col">Alike</th></tr></thead><tbody>${comparables.map((comparable, at) => comparableRow(comparable, at, root))}</tbody></table></div>`;
}

function comparableRow(comparable: PresentedComparable, at: number, root: string): Html {
  const { listing, price, basis, closedAt, distance, distanceUnit, similarity } = comparable;
  const { livingArea, areaUnit, currency } = listing;
  const closed = parseTime(closedAt);
  const sold = listing.listingType === 'sale' ? 'Sold' : 'Let';
  const when =
    basis === 'closed' || closed !== null
      ? `${sold}${closed === null ? '' : ` ${dayWords(closed)}`}`
      : 'On the market';
  const alike = Math.round(similarity * 100);
  const unit = unitWords(areaUnit).short;
  return html`<tr><td><span class="letter">${letterOf(at)}</span></td><th scope="row"><a href="${root}explore/listing/${listing.id}">${titleOf(listing)}</a><span class="quiet">${when} · ${Number(distance.toFixed(1))} ${distanceUnit}</span><span class="quiet">${visibleText(listing.attribution)}</span></th><td class="spare">${roomWords(listing)}<span class="quiet">${
    livingArea === null ? null : areaWords(livingArea, areaUnit)
  }</span></td><td>${moneyWords(Math.round(price), currency)}<span class="quiet">${
    livingArea ? `${moneyWords(perArea(price / livingArea), currency)}/${unit}` : null
  }</span></td><td class="spare"><svg class="alike" width="56" height="7" aria-hidden="true"><rect class="all" width="56" height="7" rx="1"/><rect width="${Math.round(similarity * 56)}" height="7" rx="1"/></svg><span class="quiet">${alike} % alike</span></td></tr>`;
}

const perArea = (price: number): number => (price < 20 ? Number(price.toFixed(2)) : Math.round(price));
