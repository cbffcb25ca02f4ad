// Panel of prices: how many homes of the view cost how much, and the two amounts.

import { shortAmount } from '../../page/map/amounts.ts';
import type { Tags } from '../../page/map/tags.ts';
import { moneyWords } from '../../page/words.ts';
import type { PriceBucket } from '../view/filter-counts.ts';
import type { Parameters } from '../view/parameters.ts';
import { hiddenFields, panelEnd, textField } from './panel-parts.ts';
import { countWords } from './words.ts';

export interface PricePanel {
  readonly parameters: Parameters;
  readonly currency: string | null;
  /** Of all other filters, in rising order. */
  readonly buckets: readonly PriceBucket[];
  readonly median: number | null;
  /** Homes at any price; null: not counted. */
  readonly anyCount: number | null;
  readonly isRent: boolean;
}

const FIELDS = ['minPrice', 'maxPrice', 'price', 'currency'];

export function pricePanel<T>(tags: Tags<T>, panel: PricePanel): T {
  const { html } = tags;
  const { parameters, currency, median, anyCount, isRent } = panel;
  const amount = (name: string): string => {
    const value = parameters.get(name);
    return value === undefined ? '' : moneyWords(Number(value), currency);
  };
  const isSet = FIELDS.some((name) => parameters.has(name));
  const hasCurrency = parameters.has('currency')
    ? html`<input type="hidden" name="currency" value="${parameters.get('currency') ?? ''}">`
    : null;
  return html`<form class="filter-form" action="explore" data-filter="price">${hiddenFields(tags, parameters, FIELDS)}${hasCurrency}<p class="panel-title"><strong>${
    isRent ? 'Rent a month' : 'Price'
  }</strong> <span class="quiet">homes in this view</span>${
    median === null ? null : html`<span class="quiet end">median ${moneyWords(median, currency)}</span>`
  }</p>${histogram(tags, panel)}<div class="two">${textField(tags, { name: 'minPrice', label: 'At least', value: amount('minPrice') })}<span aria-hidden="true">–</span>${textField(
    tags,
    { name: 'maxPrice', label: 'At most', value: amount('maxPrice') },
  )}</div>${panelEnd(tags, {
    anyLabel: isSet ? (isRent ? 'Any rent' : 'Any price') : null,
    anyCount,
    removed: FIELDS,
    parameters,
  })}</form>`;
}

const WIDTH = 318;
const HEIGHT = 84;

/** Bars of the prices, those within the chosen range in colour. Nothing where nothing is counted. */
export function histogram<T>(tags: Tags<T>, { parameters, currency, buckets, isRent }: PricePanel): T | null {
  const { html, svg } = tags;
  const shown = trimmed(buckets);
  if (shown.length < 2) return null;
  const max = Math.max(...shown.map(({ count }) => count));
  const step = WIDTH / shown.length;
  const [min, top] = [
    Number(parameters.get('minPrice') ?? 0),
    Number(parameters.get('maxPrice') ?? Infinity),
  ];
  const bars = shown.map(({ from, to, count }, at) => {
    const height = count === 0 ? 0 : Math.max(2, Math.round((count / max) * HEIGHT));
    const isIn = from < top && (to === null || to > min);
    const words = `${shortAmount(from, currency)}${to === null ? '+' : ` to ${shortAmount(to, currency)}`}: ${countWords(count)}`;
    return svg`<rect class="${isIn ? 'in' : 'out'}" x="${(at * step + 1).toFixed(1)}" y="${HEIGHT - height}" width="${Math.max(1, step - 2).toFixed(1)}" height="${height}"><title>${words}</title></rect>`;
  });
  const edges = [shown[0]?.from ?? 0, shown.at(-1)?.to ?? shown.at(-1)?.from ?? 0];
  const ends = edges.map((value) => shortAmount(value, currency));
  return html`<svg class="${isRent ? 'histogram rent' : 'histogram'}" viewBox="0 0 ${WIDTH} ${HEIGHT + 18}" width="${WIDTH}" height="${HEIGHT + 18}" role="img" aria-label="${`Prices of ${countWords(shown.reduce((sum, { count }) => sum + count, 0))} homes, from ${ends[0]} to ${ends[1]}`}">${bars}${svg`<path class="base" d="M0 ${HEIGHT + 0.5}H${WIDTH}"></path>`}${svg`<text x="0" y="${HEIGHT + 15}">${ends[0] ?? ''}</text>`}${svg`<text x="${WIDTH}" y="${HEIGHT + 15}" text-anchor="end">${`${ends[1] ?? ''}${shown.at(-1)?.to === null ? '+' : ''}`}</text>`}</svg>`;
}

/** Without the empty buckets at both ends. */
function trimmed(buckets: readonly PriceBucket[]): readonly PriceBucket[] {
  const first = buckets.findIndex(({ count }) => count > 0);
  const last = buckets.findLastIndex(({ count }) => count > 0);
  return first < 0 ? [] : buckets.slice(first, last + 1);
}
