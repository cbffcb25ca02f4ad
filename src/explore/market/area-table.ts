// Table of areas on the market page: sorted by links, with a line and a bar in its cells.

import { cellBar, sparkline } from '../../page/chart/sparkline.ts';
import { type Fragment, type Html, html } from '../../page/html.ts';
import { compareRequest } from './api-requests.ts';
import { AGE, areaMetrics, INVENTORY, MONTHS_OF_SUPPLY } from './metric-choice.ts';
import { chartLinks, choiceOf, linkTo, type MarketPage } from './page-parts.ts';
import { type SortKey, writeMarketView } from './page-query.ts';
import type { AreaRow, AreaTable } from './read-table.ts';
import { areaTypeWords, changeWords, figureOrReason } from './words.ts';

/** Areas that one request to the API compares. */
const MAX_COMPARED = 50;

const SORTED_BY: Readonly<Record<SortKey, string>> = {
  name: 'sorted by name',
  median: 'sorted by median',
  year: 'sorted by change over a year',
  homes: 'sorted by homes on the market',
  age: 'sorted by age',
  supply: 'sorted by months of supply',
};

export function areaTable(page: MarketPage, aside: Fragment = null): Html | null {
  const { table, view } = page;
  if (table === null || (table.rows.length === 0 && view.within === null)) return null;
  const [one, many] = areaTypeWords(table.set.type);
  const ids = table.set.areas.slice(0, MAX_COMPARED).map(({ id }) => id);
  const shownIds = table.set.areas.length > MAX_COMPARED ? table.rows.map(({ id }) => id) : ids;
  const request = compareRequest(
    { ...view, currency: page.currencies.current },
    shownIds,
    areaMetrics(view.listingType),
  );
  const where = table.set.parent === null ? '' : ` of ${table.set.parent.name}`;
  const { price } = choiceOf(page);
  return html`<section id="areas"><header class="over"><h2>${many}</h2><p>${SORTED_BY[table.sortKey]}</p>${chartLinks(page, 'areas', price.id, request)}</header>
<div class="${aside === null ? 'areas' : 'areas beside'}"><div class="panel table-box ${view.listingType}">${lookWithin(page, table)}${
    table.rows.length === 0
      ? nothingFound(page)
      : html`<table class="data"><caption class="visually-hidden">${many}${where}</caption><thead><tr>${heading(page, table, 'name', one)}${heading(page, table, 'median', 'Median', 'number')}${heading(page, table, 'year', 'Year', 'number year')}<th scope="col" class="wide-only">13 months</th>${heading(page, table, 'homes', 'On the market', 'number')}${heading(page, table, 'age', 'Age, days', 'number wide-only')}${heading(page, table, 'supply', 'Supply', 'number wide-only')}</tr></thead><tbody>${table.rows.map(
          (row) => areaRow(page, table, row),
        )}</tbody></table>`
  }${table.rows.length === 0 ? null : paging(page, table)}</div>${aside}</div></section>`;
}

/** Form that looks for areas of the table by their names, where it has several pages. */
function lookWithin({ view }: MarketPage, { set, pages }: AreaTable): Html | null {
  if (pages === 1 && view.within === null) return null;
  const [, many] = areaTypeWords(set.type);
  const kept = [...new URLSearchParams(writeMarketView({ ...view, within: null, page: 1 }))];
  return html`<form class="within" action="market#areas" role="search" aria-label="${many}">${kept.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<label class="visually-hidden" for="within">Words of the name</label><input id="within" type="search" name="within" value="${view.within ?? ''}" maxlength="120" placeholder="Find ${many.toLowerCase()} by name"><button class="btn" type="submit">Find</button>${
    view.within === null
      ? null
      : html`<a class="btn bare" href="${linkTo(view, { within: null })}#areas">All</a>`
  }</form>`;
}

const nothingFound = ({ view, table }: MarketPage): Html =>
  html`<p class="nothing">None of the ${table === null ? '' : areaTypeWords(table.set.type)[1].toLowerCase()} is called “${view.within}”.</p>`;

/** A column's name, which sorts by it; the one that it is sorted by, the other way round. */
function heading(page: MarketPage, table: AreaTable, key: SortKey, name: string, kind = ''): Html {
  const { view } = page;
  const className = kind === '' ? null : html` class="${kind}"`;
  if (!table.canSortByFigures && key !== 'name' && key !== 'homes')
    return html`<th scope="col"${className}>${name}</th>`;
  const isSorted = table.sortKey === key;
  // The first click sorts names from A, figures from the highest.
  const isDescending = isSorted ? !view.isDescending : key !== 'name';
  const arrow = isSorted ? (view.isDescending ? ' ↓' : ' ↑') : null;
  return html`<th scope="col"${className}${isSorted ? html` aria-sort="${view.isDescending ? 'descending' : 'ascending'}"` : null}><a href="${linkTo(view, { sortKey: key, isDescending })}#areas">${name}${arrow === null ? null : html`<span aria-hidden="true">${arrow}</span>`}</a></th>`;
}

function areaRow(page: MarketPage, table: AreaTable, row: AreaRow): Html {
  const { id, name, currency, metrics, spark } = row;
  const price = metrics[choiceOf(page).price.id];
  const homes = metrics[INVENTORY]?.value ?? 0;
  const isHere = id === page.area?.id;
  const few = html`<span class="few">too few</span>`;
  const title = isHere
    ? html`<span aria-current="true">${name}</span>`
    : html`<a href="${linkTo(page.view, { areaId: id, within: null })}">${name}</a>`;
  return html`<tr${isHere ? html` class="here"` : null}><th scope="row">${title}</th><td class="number">${figureOrReason('money', price, currency)}</td><td class="number year">${changeWords(price?.change?.yearAgo ?? null) ?? few}</td><td class="wide-only">${sparkline({ values: spark }) ?? few}</td><td class="number homes">${homes.toLocaleString('en-US')}<span class="bar">${cellBar(homes / table.maxHomes, 56)}</span></td><td class="number wide-only">${figureOrReason('days', metrics[AGE], null)}</td><td class="number wide-only">${figureOrReason('months', metrics[MONTHS_OF_SUPPLY], null)}</td></tr>`;
}

function paging(page: MarketPage, table: AreaTable): Html {
  const { areas, total, type } = table.set;
  const [one, many] = areaTypeWords(type);
  const count = `${table.rows.length} of ${total.toLocaleString('en-US')} ${(total === 1 ? one : many).toLowerCase()}`;
  const step = (to: number, name: string) =>
    html`<a href="${linkTo(page.view, { page: to })}#areas" rel="${to < table.page ? 'prev' : 'next'}">${name}</a>`;
  return html`<footer><span>${count}</span>${
    table.canSortByFigures ? null : html`<span>More than a hundred are sorted by name or homes only.</span>`
  }${
    areas.length < total
      ? html`<span>Here are the ${areas.length.toLocaleString('en-US')} with the most homes; find the others by their names.</span>`
      : null
  }<span class="links">${table.page > 1 ? step(table.page - 1, 'Previous') : null}${table.page < table.pages ? step(table.page + 1, 'Next') : null}</span></footer>`;
}
