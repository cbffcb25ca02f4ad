// Homes as cards: picture, price, facts, address, place and age.

import { type Html, html, shortened, visibleText } from '../../page/html.ts';
import { pictureSizes } from '../../page/picture.ts';
import { age } from '../../page/time.ts';
import { priceWords } from '../../page/words.ts';

/** A home on the market as anybody may see it. */
export interface FrontHome {
  readonly id: string;
  /** The id of its source. */
  readonly source: string;
  readonly listingType: 'sale' | 'rental';
  readonly price: number;
  readonly currency: string;
  readonly priceFrequency: string | null;
  readonly bedrooms: number | null;
  readonly bathrooms: number | null;
  /** Square feet. */
  readonly livingArea: number | null;
  readonly address: string;
  /** The address without its town. */
  readonly street: string;
  /** The town or its part; null: not known. */
  readonly place: string | null;
  /** RFC 3339; null: not known. */
  readonly listedAt: string | null;
  /** Named beside the home, where the source asks for it. */
  readonly attribution: string;
  /** Relative to the root of the service, or an https URL. */
  readonly picture: string;
}

/** How cards are written: `root` is the prefix of links to the root of the service, `now` milliseconds since the epoch. */
export interface CardOptions {
  readonly root: string;
  readonly now: number;
  /** Whether homes have pages here. */
  readonly hasExplorer: boolean;
}

export function homeCards(homes: readonly FrontHome[], options: CardOptions): Html {
  return html`<ul class="cards">${homes.map((home) => html`<li class="card">${contentOf(home, options)}</li>`)}</ul>`;
}

export const homeCard = (home: FrontHome, options: CardOptions): Html =>
  html`<article class="card">${contentOf(home, options)}</article>`;

/** The server of a picture learns nothing of the page: all answers of the service say so in their headers. */
function contentOf(home: FrontHome, { root, now, hasExplorer }: CardOptions): Html {
  const { id, listingType, picture, attribution, place, listedAt } = home;
  const address = shortened(visibleText(home.street), 120);
  const source = /^https:/.test(picture) ? picture : `${root}${picture}`;
  const last = [
    place === null ? null : shortened(visibleText(place), 60),
    listedAt === null ? null : age(Date.parse(listedAt), now),
  ].filter((part) => part !== null);
  const sizes = pictureSizes(source);
  const sized = sizes === null ? null : html` srcset="${sizes}" sizes="(max-width:760px) 50vw, 260px"`;
  return html`<img src="${source}"${sized} alt="" loading="lazy">
<p class="tag ${listingType}">${listingType === 'sale' ? 'For sale' : 'To rent'}</p>
<p class="price">${priceWords(home)}</p><p>${homeFacts(home)}</p><p class="address">${
    hasExplorer ? html`<a href="${root}explore/listing/${id}">${address}</a>` : address
  }</p>${last.length === 0 ? null : html`<p class="quiet">${last.join(' · ')}</p>`}<p class="quiet">${visibleText(attribution)}</p>`;
}

/** `3 bd · 2.5 ba · 1,840 sqft` */
export function homeFacts({ bedrooms, bathrooms, livingArea }: FrontHome): string {
  const facts = [
    bedrooms === null ? null : bedrooms === 0 ? 'Studio' : `${bedrooms.toLocaleString('en-US')} bd`,
    bathrooms === null ? null : `${bathrooms.toLocaleString('en-US')} ba`,
    livingArea === null ? null : `${Math.round(livingArea).toLocaleString('en-US')} sqft`,
  ];
  // A number and its unit stay on one line.
  return facts
    .filter((fact) => fact !== null)
    .map((fact) => fact.replaceAll(' ', '\u00a0'))
    .join(' · ');
}

/** Origins of the pictures that other sites serve, for the policy of the page. */
export function pictureOrigins(homes: readonly FrontHome[]): readonly string[] {
  return [
    ...new Set(homes.flatMap(({ picture }) => (/^https:/.test(picture) ? [new URL(picture).origin] : []))),
  ];
}
