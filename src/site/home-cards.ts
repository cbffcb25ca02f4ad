// Homes as cards: picture, price, facts and address.

import { type Html, html, shortened, visibleText } from '../page/html.ts';
import { priceWords } from '../page/words.ts';

/** A home on the market as anybody may see it. */
export interface FrontHome {
  readonly id: string;
  readonly listingType: 'sale' | 'rental';
  readonly price: number;
  readonly currency: string;
  readonly priceFrequency: string | null;
  readonly bedrooms: number | null;
  readonly bathrooms: number | null;
  /** Square feet. */
  readonly livingArea: number | null;
  readonly address: string;
  /** Named beside the home, where the source asks for it. */
  readonly attribution: string | null;
  /** Relative to the root of the service, or an https URL. */
  readonly picture: string;
}

/** `root`: prefix of links from the page to the root of the service. */
export function homeCards(homes: readonly FrontHome[], root: string): Html {
  return html`<ul class="homes">${homes.map((home) => html`<li>${homeCard(home, root)}</li>`)}</ul>`;
}

export function homeCard(home: FrontHome, root: string): Html {
  const { listingType, picture, attribution } = home;
  const address = shortened(visibleText(home.address), 120);
  const source = /^https:/.test(picture) ? picture : `${root}${picture}`;
  return html`<article class="home-card"><img src="${source}" alt="" width="600" height="400" loading="lazy" referrerpolicy="no-referrer">
<p class="tag ${listingType}">${listingType === 'sale' ? 'For sale' : 'For rent'}</p>
<p class="price">${priceWords(home)}</p><p>${homeFacts(home)}</p><p><a href="${root}explore/listing/${home.id}">${address}</a></p>${
    attribution === null ? null : html`<p class="quiet">${shortened(visibleText(attribution), 120)}</p>`
  }</article>`;
}

/** `3 beds · 2.5 baths · 1,840 sq ft` */
export function homeFacts({ bedrooms, bathrooms, livingArea }: FrontHome): string {
  const facts = [
    counted(bedrooms, 'bed'),
    counted(bathrooms, 'bath'),
    livingArea === null ? null : `${Math.round(livingArea).toLocaleString('en-US')} sq ft`,
  ];
  // A number and its unit stay on one line.
  return facts
    .filter((fact) => fact !== null)
    .map((fact) => fact.replaceAll(' ', '\u00a0'))
    .join(' · ');
}

function counted(count: number | null, noun: string): string | null {
  if (count === null) return null;
  if (noun === 'bed' && count === 0) return 'studio';
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Origins of the pictures that other sites serve, for the policy of the page. */
export function pictureOrigins(homes: readonly FrontHome[]): readonly string[] {
  return [
    ...new Set(homes.flatMap(({ picture }) => (/^https:/.test(picture) ? [new URL(picture).origin] : []))),
  ];
}
