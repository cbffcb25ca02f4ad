// What the parts of the market page are made of: its view, its figures, and where its links lead.

import type { Area } from '../../areas/area.ts';
import { type Fragment, type Html, html } from '../../page/html.ts';
import type { ApiRequests } from './api-requests.ts';
import { CHOICES, type MetricChoice } from './metric-choice.ts';
import { type FigureTable, type MarketView, writeMarketView } from './page-query.ts';
import type { AreaSet } from './read-areas.ts';
import type { Currencies, MarketFigures, Point } from './read-figures.ts';
import type { AreaMap } from './read-map.ts';
import type { AreaTable } from './read-table.ts';

export interface MarketPage {
  readonly view: MarketView;
  /** Null: the whole market. */
  readonly area: Pick<Area, 'id' | 'name' | 'type'> | null;
  /** Null: no second area. */
  readonly second: Pick<Area, 'id' | 'name'> | null;
  readonly figures: MarketFigures;
  /** Null: there are no areas to compare. */
  readonly table: AreaTable | null;
  readonly set: AreaSet | null;
  /** Null: nothing to draw a map of. */
  readonly map: AreaMap | null;
  /** Those that there are to choose from. */
  readonly currencies: Currencies;
  readonly requests: ApiRequests;
  readonly publicUrl: string;
}

/** Prefix of links from the page to the root of the service. */
export const ROOT = '../';

export const choiceOf = ({ view }: Pick<MarketPage, 'view'>): MetricChoice => CHOICES[view.listingType];

/** Name of what the page is about. */
export const placeOf = ({ area }: Pick<MarketPage, 'area'>): string => area?.name ?? 'The whole market';

/** Link to the page with other parameters. The table begins at its first page again. */
export function linkTo(view: MarketView, change: Partial<MarketView>): string {
  return `market${writeMarketView({ ...view, page: 1, ...change })}`;
}

/** Values of a metric by month. */
export const valuesOf = (points: readonly Point[], id: string): readonly (number | null)[] =>
  points.map(({ metrics }) => metrics[id]?.value ?? null);

/** Definition, CSV and API of a chart. */
export function chartLinks(page: MarketPage, table: FigureTable, metric: string, request: string): Html {
  const query = writeMarketView({ ...page.view, sortKey: 'homes', isDescending: true, page: 1 });
  const csv = `market/figures.csv${query === '' ? '?' : `${query}&`}table=${table}`;
  return html`<span class="links"><a href="${ROOT}docs/metrics#${metric}">Definition</a><a href="${csv}">CSV</a><a href="${ROOT}${request}">API</a></span>`;
}

/** What stands where there is nothing to draw. */
export function nothingToDraw(text: string): Html {
  return html`<p class="nothing">${text}</p>`;
}

/** The figures of a chart as a table: for people who do not see it, and for the note at the pointer. */
export function figureTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Fragment[])[],
): Html {
  return html`<details class="figures"><summary>Figures</summary><div class="wide" role="region" tabindex="0" aria-label="${caption}"><table class="data"><caption class="visually-hidden">${caption}</caption><thead><tr>${head.map(
    (name, at) => html`<th scope="col"${at === 0 ? null : html` class="number"`}>${name}</th>`,
  )}</tr></thead><tbody>${rows.map(
    ([first = null, ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`,
  )}</tbody></table></div></details>`;
}
