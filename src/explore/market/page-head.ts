// Head of the market page: what it is about, what else it can show, the requests behind it, and the newest figures.

import type { MetricFigure } from '../../market/compute-metrics.ts';
import { type Fragment, type Html, html } from '../../page/html.ts';
import { icon } from '../../page/icons.ts';
import { compareRequest } from './api-requests.ts';
import { areaMetrics, CLOSED, type FigureKind, INVENTORY, MONTHS_OF_SUPPLY, NEW } from './metric-choice.ts';
import { choiceOf, linkTo, type MarketPage, placeOf } from './page-parts.ts';
import { SPANS } from './page-query.ts';
import { areaTypeWords, changeWords, dayWords, figureOrReason, monthName } from './words.ts';

export function pageHead(page: MarketPage): Html {
  return html`<div class="market-head"><div><h1>${placeOf(page)}</h1><p class="quiet">${subtitle(page)}</p></div><div class="controls">${controls(page)}</div></div>${headFigures(page)}${emptyNotice(page)}`;
}

function subtitle({ view, figures, set, area, currencies }: MarketPage): string {
  const homes = view.listingType === 'sale' ? 'Homes for sale' : 'Homes for rent';
  // With words to look for, the set is a part.
  const isParent = set !== null && set.parent?.id === area?.id && view.within === null;
  const count = set?.total ?? 0;
  const many = set === null ? '' : areaTypeWords(set.type)[count === 1 ? 0 : 1].toLowerCase();
  const where = isParent ? ` in ${count.toLocaleString('en-US')} ${many}` : '';
  const end = figures.series.points.at(-1)?.end;
  const { all, current } = currencies;
  const priced = all.length < 2 ? '' : `, those priced in ${current}`;
  return `${homes}${where}${priced}${end === undefined ? '' : `, as of ${dayWords(end)}`}`;
}

function controls(page: MarketPage): Fragment {
  const { view } = page;
  const segment = (isCurrent: boolean, link: string, name: string) =>
    html`<a href="${link}"${isCurrent ? html` aria-current="true"` : null}>${name}</a>`;
  return [
    html`<div class="seg" role="group" aria-label="Sale or rent">${segment(view.listingType === 'sale', linkTo(view, { listingType: 'sale' }), 'Sale')}${segment(view.listingType === 'rental', linkTo(view, { listingType: 'rental' }), 'Rent')}</div>`,
    html`<div class="seg" role="group" aria-label="Time">${SPANS.map(([months, name]) => segment(view.months === months, linkTo(view, { months }), name))}</div>`,
    currencyLinks(page),
    page.second === null
      ? compareForm(page)
      : html`<a class="chip on" href="${linkTo(view, { withId: null })}">with ${page.second.name}<span class="visually-hidden">: remove</span>${icon('close')}</a>`,
    apiPanel(page),
  ];
}

/** The currencies to choose from; null: there is one. */
function currencyLinks({ view, currencies: { all, current } }: MarketPage): Html | null {
  if (all.length < 2) return null;
  return html`<div class="seg" role="group" aria-label="Currency">${all.map((currency) => html`<a href="${linkTo(view, { currency })}"${currency === current ? html` aria-current="true"` : null}>${currency}</a>`)}</div>`;
}

/** Areas that are offered for comparison. */
const OFFERED = 8;
/** Names that the browser completes; of others, it takes a word. */
const MAX_NAMES = 100;

function compareForm({ view, set, area }: MarketPage): Html {
  const others = (set?.areas ?? []).filter(({ id }) => id !== area?.id);
  const offered = others.slice(0, OFFERED);
  const hidden = (name: string, value: string | null) =>
    value === null ? null : html`<input type="hidden" name="${name}" value="${value}">`;
  return html`<details class="drop-down"><summary class="chip offer">Compare with</summary><div class="panel in"><form action="market"><label class="field"><span>Another area</span><input name="with" maxlength="120" required autocomplete="off" placeholder="Name of a place" list="places"></label>${others.length <= OFFERED ? null : html`<datalist id="places">${others.slice(0, MAX_NAMES).map(({ name }) => html`<option value="${name}"></option>`)}</datalist>`}${hidden('areaId', view.areaId)}${view.listingType === 'sale' ? null : hidden('for', view.listingType)}${view.months === 24 ? null : hidden('months', `${view.months}`)}${hidden('currency', view.currency)}<button class="btn" type="submit">Compare</button></form>${
    offered.length === 0
      ? null
      : html`<ul class="chips">${offered.map(({ id, name }) => html`<li><a class="chip" href="${linkTo(view, { withId: id })}">${name}</a></li>`)}</ul>`
  }</div></details>`;
}

/** The requests that give the figures of this page. */
function apiPanel({ view, requests, table, currencies, publicUrl }: MarketPage): Html {
  const compared = table?.rows.map(({ id }) => id) ?? [];
  const lines = [
    requests.series,
    requests.second,
    requests.distribution,
    compared.length === 0
      ? null
      : compareRequest({ ...view, currency: currencies.current }, compared, areaMetrics(view.listingType)),
  ].filter((each) => each !== null);
  return html`<details class="drop-down api"><summary class="btn"><span aria-hidden="true">‹›</span>API</summary><div class="code-box"><header>The requests behind this page</header><pre>${lines.map(
    (path) =>
      html`<span class="line">curl '<span class="string">${breakable(`${publicUrl}/${path}`)}</span>'</span>`,
  )}</pre><footer>Each counts as one request. A key raises the page size: without one, ten points a page. <a href="../docs/limits">Limits</a> <a href="../docs/metrics">Metrics</a></footer></div></details>`;
}

/** A URL that may wrap before each parameter and after each item of a list. */
function breakable(url: string): Fragment {
  return url.split(/(?=&)|(?<=[,?])/).map((part, at) => (at === 0 ? part : html`<wbr>${part}`));
}

function headFigures(page: MarketPage): Html {
  const { points, currency } = page.figures.series;
  const last = points.at(-1);
  const month = last === undefined ? '' : monthName(last.start);
  const { price, sold } = choiceOf(page);
  const figure = (title: string, kind: FigureKind, id: string): Html => {
    const found: MetricFigure | undefined = last?.metrics[id];
    return html`<div><dt>${title}</dt><dd><span class="large">${figureOrReason(kind, found, currency)}</span>${inAYear(found?.change?.yearAgo ?? null)}</dd></div>`;
  };
  return html`<dl class="head-figures">${figure(`Median ${price.title.toLowerCase()}`, 'money', price.id)}${figure('On the market', 'count', INVENTORY)}${figure(`New in ${month}`, 'count', NEW)}${figure(`${sold} in ${month}`, 'count', CLOSED)}${figure('Months of supply', 'months', MONTHS_OF_SUPPLY)}</dl>`;
}

function inAYear(change: number | null): Html | null {
  return change === null ? null : html`<span class="change">${changeWords(change)} in a year</span>`;
}

/** What to do where there is nothing to see. */
function emptyNotice({ view, figures }: MarketPage): Html | null {
  const isEmpty = figures.series.points.every(({ metrics }) =>
    Object.values(metrics).every(({ n }) => n === 0),
  );
  if (!isEmpty) return null;
  const [here, other] = view.listingType === 'sale' ? ['for sale', 'for rent'] : ['for rent', 'for sale'];
  const others = linkTo(view, { listingType: view.listingType === 'sale' ? 'rental' : 'sale' });
  return html`<div class="notice" role="status"><strong>No homes ${here} in this time</strong><p>Neither on the market nor sold. See homes ${other}${view.areaId === null ? '.' : ', or the whole market.'}</p><div class="buttons"><a class="btn" href="${others}">Homes ${other}</a>${
    view.areaId === null
      ? null
      : html`<a class="btn" href="${linkTo(view, { areaId: null, within: null })}">Whole market</a>`
  }</div></div>`;
}
