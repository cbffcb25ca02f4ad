// Estimate of a home: its value within its range, beside what is asked.

import { percent } from '../../page/chart/ticks.ts';
import { type Fragment, type Html, html } from '../../page/html.ts';
import { moneyWords } from '../../page/words.ts';
import type { Estimate } from '../../property/valuation.ts';
import { apiRequest } from './api-request.ts';
import type { Home } from './read-home.ts';
import { shortMoney } from './words.ts';

type Valuation = Estimate['sale'];

const WHY_NOT: Readonly<Record<NonNullable<Valuation['reason']>, string>> = {
  withheld_by_source: 'The source of this home does not permit automated estimates.',
  place_unknown: 'There is no estimate: its source does not tell where the home lies.',
  living_area_unknown: 'There is no estimate: its source does not tell the living area.',
  too_few_comparables: 'There is no estimate: fewer than five homes nearby are comparable.',
};

export function estimateSection({ listing, estimate }: Home, root: string, baseUrl: string): Html {
  const isSale = listing.listingType === 'sale';
  const valuation = estimate === null ? null : isSale ? estimate.sale : estimate.rent;
  return html`<section class="home-section" aria-labelledby="estimate"><header><h2 id="estimate">${
    isSale ? 'Estimate' : 'Estimated rent'
  }</h2>${
    valuation?.value == null
      ? null
      : html`<p class="quiet">from ${valuation.n} comparable ${isSale ? 'homes' : 'rentals'}, ${basisWords(valuation)}</p>`
  }<a class="more-link" href="${root}docs/estimate">How it is made</a>${apiRequest(`${baseUrl}/v1/property/${listing.id}/estimate`)}</header>${
    estimate === null || valuation === null
      ? html`<p class="quiet">The estimate could not be made just now. The rest of this page is complete.</p>`
      : range(valuation, estimate.currency, listing)
  }</section>`;
}

const basisWords = ({ basis }: Valuation): string =>
  basis === 'closed'
    ? 'by prices paid'
    : basis === 'asking'
      ? 'by asking prices'
      : 'by prices paid and asked';

/** What is asked, or what was paid, in the unit of the estimate. */
function priceBeside({ status, closePrice, price, priceMonthly, listingType }: Home['listing']) {
  if (status === 'CLOSED' && listingType === 'sale')
    return closePrice === null
      ? null
      : ({ name: 'Paid', sentence: 'The price paid', price: closePrice } as const);
  const asked = listingType === 'rental' ? priceMonthly : price;
  if (asked === null) return null;
  return listingType === 'rental'
    ? ({ name: 'Asking', sentence: 'The rent', price: asked } as const)
    : ({ name: 'Asking', sentence: 'The asking price', price: asked } as const);
}

function range(valuation: Valuation, currency: string, listing: Home['listing']): Fragment {
  const { value, low, high, level } = valuation;
  if (value === null || low === null || high === null)
    return html`<p class="quiet">${WHY_NOT[valuation.reason ?? 'too_few_comparables']}</p>`;
  const beside = priceBeside(listing);
  const [from, to] = [Math.min(low, beside?.price ?? low), Math.max(high, beside?.price ?? high)];
  const x = (price: number): number => 0.09 + ((price - from) / (to - from || 1)) * 0.82;
  const money = (amount: number): string => moneyWords(amount, currency);
  const label = `Estimate ${money(value)}, between ${money(low)} and ${money(high)}${
    beside === null ? '' : `; ${beside.name.toLowerCase()} ${money(beside.price)}`
  }`;
  // Words at the right end would be cut on a narrow screen: they end a little after their mark.
  const text = (at: number, y: number, words: string, kind = ''): Html =>
    html`<svg class="free" x="${percent(at)}" y="${y}"><text class="${`note ${kind}`.trim()}" text-anchor="${at > 0.8 ? 'end' : 'middle'}" x="${at > 0.8 ? 28 : 0}">${words}</text></svg>`;
  // A price close to the estimate has its words below the line.
  const isClose = beside !== null && Math.abs(x(beside.price) - x(value)) < 0.34;
  return html`<svg class="chart home-range" height="${isClose ? 104 : 86}" role="img" aria-label="${label}"><line class="base" x1="0" x2="100%" y1="44" y2="44"/>
<rect class="span" x="${percent(x(low))}" width="${percent(x(high) - x(low))}" y="32" height="24" rx="4"/>
<svg class="free" x="${percent(x(value))}" y="44"><path class="middle-mark" d="M0-17V17"/></svg>
${text(x(value), 18, money(value), 'strong')}<g class="axis">${text(x(low), 76, shortMoney(low, currency), 'quiet')}${text(x(high), 76, shortMoney(high, currency), 'quiet')}</g>${
    beside === null
      ? null
      : html`<svg class="free" x="${percent(x(beside.price))}" y="44"><path class="price-diamond" d="M0-7 7 0 0 7-7 0z"/></svg>${text(
          x(beside.price),
          isClose ? 96 : 18,
          `${beside.name} ${shortMoney(beside.price, currency)}`,
        )}`
  }</svg>
<p>${shareWords(level)} homes like this ${listing.listingType === 'sale' ? 'cost' : 'rent for'} ${money(low)} to ${money(high)}. ${
    beside === null ? null : html`<strong>${comparison(beside, low, high, currency)}</strong>`
  }</p>`;
}

const shareWords = (level: number | null): string =>
  level === 0.8 ? 'Four in five' : `${Math.round((level ?? 0.8) * 100)} % of`;

function comparison(
  { sentence, price }: { readonly sentence: string; readonly price: number },
  low: number,
  high: number,
  currency: string,
): string {
  if (price > high) return `${sentence} is ${moneyWords(Math.round(price - high), currency)} above that.`;
  if (price < low) return `${sentence} is ${moneyWords(Math.round(low - price), currency)} below that.`;
  return `${sentence} lies within.`;
}
