// One home as a row of the list: picture, price, facts, address, and whose it is.
//
// Elements that scripts find: `li.row[data-home]` holds the id of its home, and is `lit` while its pin is pointed at.

import { shortAmount } from '../../page/map/amounts.ts';
import type { Tags } from '../../page/map/tags.ts';
import { pictureSizes } from '../../page/picture.ts';
import { enumWords, moneyWords, priceWords } from '../../page/words.ts';
import type { HomeRow } from '../view/home-row.ts';
import { icon } from './icons.ts';
import { bedsWords, countWords, shortAge } from './words.ts';

/** A home as the list shows it. */
export type RowHome = Omit<HomeRow, 'lat' | 'lng'>;

export interface RowOptions {
  /** Prefix of links to the root of the service. */
  readonly root: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The first rows are in sight at once. */
  readonly isInSight?: boolean;
}

/** Milliseconds for which a home is called new. */
const NEW_FOR = 7 * 86_400_000;

export function homeRow<T>(tags: Tags<T>, home: RowHome, { root, now, isInSight = false }: RowOptions): T {
  const { html } = tags;
  const { id, address, place, attribution, logo, confirmedAt } = home;
  const price = home.price === null ? 'Price on request' : priceWords({ ...home, price: home.price });
  const where = address ?? 'Address withheld';
  const meta = [
    attribution,
    confirmedAt === null ? null : `confirmed ${shortAge(Date.parse(confirmedAt), now)} ago`,
  ].filter((part) => part !== null);
  return html`<li class="row" data-home="${id}">${picture(tags, home, root, isInSight)}<div><p class="first"><a class="whole price" href="${root}explore/listing/${encodeURIComponent(
    id,
  )}" aria-label="${`${price}, ${[where, place].filter((part) => part !== null).join(', ')}`}">${price}</a>${badge(tags, home, now)}</p><p>${facts(home)}${perArea(tags, home)}</p><p>${where}${
    place === null ? null : html`<span class="quiet">, ${place}</span>`
  }</p><p class="meta">${
    logo === null
      ? null
      : html`<img class="mark" src="${logo}" alt="" height="14" loading="lazy" referrerpolicy="no-referrer">`
  }${meta.join(' · ')}</p></div></li>`;
}

function picture<T>({ html }: Tags<T>, { photo }: RowHome, root: string, isInSight: boolean): T {
  if (photo === null) return html`<span class="no-photo"></span>`;
  const source = photo.startsWith('https:') ? photo : `${root}${photo}`;
  const loading = isInSight ? 'eager' : 'lazy';
  const sizes = pictureSizes(source);
  return sizes === null
    ? html`<img src="${source}" alt="" width="148" height="98" loading="${loading}" decoding="async" referrerpolicy="no-referrer">`
    : html`<img src="${source}" srcset="${sizes}" sizes="148px" alt="" width="148" height="98" loading="${loading}" decoding="async" referrerpolicy="no-referrer">`;
}

/** What is most worth knowing of a home: sold, under contract, new, or by how much its price changed. */
function badge<T>(tags: Tags<T>, home: RowHome, now: number): T | null {
  const { html } = tags;
  const { status, priceChange, listedAt, soldAt, currency } = home;
  if (status === 'CLOSED')
    return html`<span class="tag sold">${soldAt === null ? 'Sold' : `Sold ${DAY_WORDS.format(Date.parse(soldAt))}`}</span>`;
  if (status === 'ACTIVE_UNDER_CONTRACT' || status === 'PENDING')
    return html`<span class="tag pending">Under contract</span>`;
  if (status !== 'ACTIVE') return html`<span class="tag withdrawn">${enumWords(status)}</span>`;
  const age = listedAt === null ? null : now - Date.parse(listedAt);
  if (age !== null && age < NEW_FOR)
    return html`<span class="tag new">New · ${shortAge(Date.parse(listedAt ?? ''), now)}</span>`;
  if (priceChange === null || priceChange.amount === 0) return null;
  const { amount, percent } = priceChange;
  const share = percent === null ? '' : ` · ${Math.abs(percent).toFixed(1)} %`;
  const by = `${shortAmount(Math.abs(amount), currency)}${share}`;
  return amount < 0
    ? html`<span class="drop">${icon(tags, 'drop')}<span class="visually-hidden">Price dropped by </span>${by}</span>`
    : html`<span class="rise">Up ${by}</span>`;
}

const DAY_WORDS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `3 bd · 2 ba · 2,130 sqft`; what is not known is left out. */
function facts({ beds, baths, livingArea }: RowHome): string {
  const known = [
    beds === null ? null : bedsWords(beds),
    baths === null ? null : `${baths} ba`,
    livingArea === null ? null : `${countWords(Math.round(livingArea))} sqft`,
  ].filter((fact) => fact !== null);
  return known.length === 0 ? 'Size unknown' : known.join(' · ');
}

function perArea<T>({ html }: Tags<T>, { pricePerArea, currency, listingType }: RowHome): T | null {
  if (pricePerArea === null || listingType === 'rental') return null;
  return html`<span class="area quiet"> · ${moneyWords(Math.round(pricePerArea), currency)}/sqft</span>`;
}
