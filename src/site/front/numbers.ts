// The numbers of the front page: homes for sale and to rent with their trend, areas, and when a source last confirmed a home.

import { sparkline } from '../../page/chart/sparkline.ts';
import { type Fragment, type Html, html } from '../../page/html.ts';
import { sheet } from '../../page/style.ts';
import { age } from '../../page/time.ts';
import { enumWords } from '../../page/words.ts';
import type { FrontMarket } from './hero.ts';

export interface MarketSize {
  /** Listings on the market. */
  readonly sales: number;
  readonly rentals: number;
  readonly areas: number;
  /** How many areas of each type there are. */
  readonly areaTypes?: readonly { readonly type: string; readonly count: number }[];
  /** When a source last confirmed any listing, RFC 3339; null if there is none. */
  readonly confirmedAt: string | null;
}

/** How many were on the market at the ends of the last months, oldest first. */
type FrontTrend = readonly (number | null)[];

export interface FrontTrends {
  readonly sale: FrontTrend | null;
  readonly rental: FrontTrend | null;
}

export interface FrontNumbers {
  readonly size: MarketSize;
  readonly trends: FrontTrends;
  /** What was listed within the last day, and medians in words; null: not known. */
  readonly market: Pick<FrontMarket, 'added' | 'medians'> | null;
  readonly sources: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export function numbersSection({ size, trends, market, sources, now }: FrontNumbers): Html {
  const confirmed = size.confirmedAt === null ? 'No listings yet' : confirmedAge(size.confirmedAt, now);
  return html`<section class="numbers" aria-label="The market now"><dl>${[
    number('For sale', size.sales, 'sale', trends, market),
    number('To rent', size.rentals, 'rental', trends, market),
    entry('Areas', count(size.areas), typesOf(size)),
    entry('Last confirmed by a source', confirmed, sources.join(', ')),
  ]}</dl></section>`;
}

const count = (value: number): string => value.toLocaleString('en-US');

function number(
  name: string,
  homes: number,
  kind: 'sale' | 'rental',
  trends: FrontTrends,
  market: FrontNumbers['market'],
): Html {
  const added = market?.added[kind] ?? 0;
  const median = market?.medians[kind] ?? null;
  const trend = trends[kind];
  const facts = [
    added === 0 ? null : `${count(added)} new today`,
    median === null ? null : `median ${median}`,
  ].filter((fact) => fact !== null);
  const line = trend === null ? null : sparkline({ values: [...trend, homes] });
  return entry(
    name,
    count(homes),
    facts.join(' · '),
    line === null ? null : html`<dd class="trend ${kind}">${line}</dd>`,
  );
}

function entry(name: string, value: Fragment, facts: string, more: Html | null = null): Html {
  return html`<div><dt>${name}</dt><dd class="value">${value}</dd>${
    facts === '' ? null : html`<dd>${facts}</dd>`
  }${more}</div>`;
}

function confirmedAge(confirmedAt: string, now: number): Html {
  return html`<time datetime="${confirmedAt}">${age(Date.parse(confirmedAt), now)}</time>`;
}

const PLURALS: Readonly<Record<string, string>> = {
  city: 'cities',
  county: 'counties',
  country: 'countries',
  neighborhood: 'neighbourhoods',
};

/** `24 cities · 120 neighbourhoods`: the two types that people know of their places, those of most at the end. */
function typesOf({ areaTypes = [] }: MarketSize): string {
  return areaTypes
    .filter(({ type }) => type !== 'postal_code' && type !== 'custom')
    .slice(0, 2)
    .toReversed()
    .map(({ type, count: found }) => {
      const words = enumWords(type).toLowerCase();
      return `${count(found)} ${found === 1 ? words : (PLURALS[type] ?? `${words}s`)}`;
    })
    .join(' · ');
}

export const NUMBERS_STYLE = sheet(`
.numbers dl{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));margin:0;border-bottom:1px solid var(--line)}
.numbers div{position:relative;padding:24px 20px 24px 24px;border-inline-start:1px solid var(--line);font-size:var(--small);color:var(--quiet)}
.numbers div:first-child{padding-inline-start:0;border:0}
.numbers dd{margin:0}
.numbers .value{font:500 var(--title)/1.25 var(--sans);font-variant-numeric:tabular-nums;color:var(--ink)}
.trend{position:absolute;inset-inline-end:20px;top:32px}
.spark{display:block;overflow:visible}
.spark path{fill:none;stroke:var(--k);stroke-width:1.5;stroke-linejoin:round}
.spark .dot{fill:var(--k)}
.trend.sale{--k:var(--sale)}
.trend.rental{--k:var(--rental)}
@media (max-width:900px){.numbers dl{grid-template-columns:repeat(2,minmax(0,1fr))}.numbers div{padding:16px 12px 16px 16px}
.numbers div:nth-child(odd){padding-inline-start:0;border:0}.numbers div:nth-child(n+3){border-top:1px solid var(--line)}}
@media (max-width:480px){.trend{position:static;margin-top:6px}.numbers .value{font-size:var(--head)}}
`);
