// The market page, whole without a script.

import type { Area } from '../../areas/area.ts';
import { siteFooter } from '../../page/footer.ts';
import { siteHeader } from '../../page/header.ts';
import { type Fragment, html } from '../../page/html.ts';
import { renderLayout } from '../../page/layout.ts';
import { FAVICON } from '../../page/mark.ts';
import { areaTable } from './area-table.ts';
import { choropleth } from './choropleth.ts';
import { activityChart, distributionChart, priceChart } from './main-charts.ts';
import { MARKET_STYLE } from './market-style.ts';
import { pageHead } from './page-head.ts';
import { linkTo, type MarketPage, placeOf, ROOT } from './page-parts.ts';
import { type MarketView, writeMarketView } from './page-query.ts';
import { MAX_NAMED } from './read-areas.ts';
import { smallCharts } from './small-charts.ts';
import { areaTypeWords } from './words.ts';

/** What every page of the market is shown with. */
export interface MarketFrame {
  /** When a source last confirmed its listings, RFC 3339; null: none has. */
  readonly confirmedAt: string | null;
  /** Wall-clock milliseconds. */
  readonly now: number;
  /** URLs of modules, relative to the page. */
  readonly scripts: readonly string[];
  /** Whether search engines may list the page. */
  readonly isPublic: boolean;
}

export function renderMarketPage(page: MarketPage, frame: MarketFrame): string {
  const homes = page.view.listingType === 'sale' ? 'homes for sale' : 'homes for rent';
  const canonical = `${page.publicUrl}/explore/market${writeMarketView({ ...page.view, within: null, page: 1, sortKey: 'homes', isDescending: true })}`;
  return renderMarketFrame(
    {
      title: `Market of ${page.area?.name ?? 'all areas'}`,
      summary: `Prices, new and sold ${homes}, days on market and supply by month: ${placeOf(page)}.`,
      place: page.area?.name ?? null,
      ...(page.area !== null && { leave: linkTo(page.view, { areaId: null, within: null }) }),
      keep: [
        ...new URLSearchParams(
          writeMarketView({ ...page.view, areaId: null, withId: null, within: null, page: 1 }),
        ),
      ],
      query: '',
      canonical,
      content: html`${pageHead(page)}${priceChart(page)}<div class="two">${activityChart(page)}${distributionChart(page)}</div>${smallCharts(page)}${areaTable(page, choropleth(page))}`,
    },
    frame,
  );
}

export interface NoPlace {
  readonly title: string;
  readonly detail: string;
  /** What was looked for by its name; empty: by an id. */
  readonly query: string;
}

/** The page of an area that there is not, with the ways on. */
export function renderNoPlace({ title, detail, query }: NoPlace, frame: MarketFrame): string {
  const content = html`<div class="market-head"><div><h1>${title}</h1><p class="quiet">${detail}</p></div></div>
<div class="panel chart-box"><form action="market" class="search-again"><label class="field"><span>Name of a place</span><input name="find" value="${query}" maxlength="120" required></label><p class="buttons"><button class="btn primary" type="submit">Show its market</button><a class="btn" href="market">The whole market</a></p></form></div>`;
  return renderMarketFrame({ title, summary: detail, place: null, query, content }, frame);
}

/** A place to choose, and the view that it leads to. */
export interface OfferedPlace {
  readonly area: Area;
  readonly view: MarketView;
}

/** Places of one name, with what they lie in and their homes on the market, to choose one of. */
export function renderPlaces(name: string, places: readonly OfferedPlace[], frame: MarketFrame): string {
  const title = `${places.length} places match “${name}”`;
  const more = places.length < MAX_NAMED ? '' : ' There may be more: add a word.';
  const rows = places.map(({ area, view }) => {
    const around = (area.ancestors ?? []).map((each) => each.name).join(', ');
    const { sales, rentals } = area.counts ?? { sales: 0, rentals: 0 };
    const homes =
      view.listingType === 'sale'
        ? `${sales.toLocaleString('en-US')} for sale`
        : `${rentals.toLocaleString('en-US')} for rent`;
    return html`<tr><th scope="row"><a href="${linkTo(view, {})}">${area.name}</a></th><td>${[areaTypeWords(area.type)[0], ...(around === '' ? [] : [around])].join(', ')}</td><td class="number">${homes}</td></tr>`;
  });
  const content = html`<div class="market-head"><div><h1>${title}</h1><p class="quiet">Which one is it? Those with the most homes come first.${more}</p></div></div>
<div class="panel table-box"><table class="data"><thead class="visually-hidden"><tr><th scope="col">Place</th><th scope="col">What it is</th><th scope="col">Homes</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return renderMarketFrame({ title, summary: title, place: null, query: name, content }, frame);
}

/** The page of figures that are being computed for the first time; browsers load it again until they are there. */
export function renderUnfinished(
  { view, area }: Pick<MarketPage, 'view' | 'area'>,
  frame: MarketFrame,
): string {
  const homes = view.listingType === 'sale' ? 'Homes for sale' : 'Homes for rent';
  const detail = 'Nobody has looked at them for a while, or many people do at this moment.';
  const content = html`<div class="market-head"><div><h1>${placeOf({ area })}</h1><p class="quiet">${homes}</p></div></div>
<div class="notice" role="status"><strong>The figures are being computed</strong><p>${detail} This page loads itself again until they are there.</p><div class="buttons"><a class="btn" href="${linkTo(view, {})}">Load it now</a></div></div>`;
  const place = area?.name ?? null;
  return renderMarketFrame(
    { title: `Market of ${area?.name ?? 'all areas'}`, summary: detail, place, query: '', content },
    frame,
  );
}

interface FramedPage {
  readonly title: string;
  readonly summary: string;
  /** The chosen area, as the search box shows it. */
  readonly place: string | null;
  /** Link to the view without the area. */
  readonly leave?: string;
  /** Parameters that a search keeps. */
  readonly keep?: readonly (readonly [name: string, value: string])[];
  readonly query: string;
  readonly canonical?: string;
  readonly content: Fragment;
}

function renderMarketFrame(page: FramedPage, { confirmedAt, now, scripts, isPublic }: MarketFrame): string {
  const { title, summary, place, leave, keep = [], query, canonical, content } = page;
  return renderLayout({
    title,
    style: MARKET_STYLE,
    head: html`<meta name="description" content="${summary}"><link rel="icon" type="image/svg+xml" href="${FAVICON}">${canonical === undefined || !isPublic ? html`<meta name="robots" content="noindex">` : null}`,
    ...(canonical !== undefined && { canonical }),
    header: siteHeader({
      root: ROOT,
      current: 'market',
      search: { place, query, path: 'explore/market', ...(leave !== undefined && { leave }), keep },
      freshness: { confirmedAt, now },
    }),
    content,
    footer: siteFooter({ root: ROOT, confirmedAt }),
    scripts,
  });
}
