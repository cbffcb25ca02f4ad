// Head and foot of the list: how many homes there are, in which order, and further pages.
//
// Scripts find `#count`, which is read out when it changes, `#median`, `[data-watch]`, `details[data-panel="sort"]`, `#list` and `#pages`.

import type { Tags } from '../../page/map/tags.ts';
import { moneyWords } from '../../page/words.ts';
import { linkTo, type Parameters } from '../view/parameters.ts';
import type { HomeKind } from '../view/state.ts';
import { icon } from './icons.ts';
import { countWords, homesWords } from './words.ts';

export interface ListHead {
  readonly parameters: Parameters;
  readonly total: number;
  readonly kind: HomeKind;
  readonly isSold: boolean;
  readonly median: number | null;
  readonly currency: string | null;
}

/** Orders that people use, the first for lists without one. */
const SORTS = [
  ['-listedAt', 'Newest first', 'Newest'],
  ['price', 'Cheapest first', 'Cheapest'],
  ['-price', 'Dearest first', 'Dearest'],
  ['-livingArea', 'Largest first', 'Largest'],
  ['-priceChangedAt', 'Price changed last', 'Price change'],
] as const;

export function listHead<T>(tags: Tags<T>, head: ListHead): T {
  const { html } = tags;
  const { total, kind, isSold, median, currency } = head;
  const figure = median === null ? '' : ` · median ${moneyWords(Math.round(median), currency)}`;
  return html`<header class="list-head"><div><h1 id="count" aria-live="polite">${homesWords(total, kind, isSold)}</h1><p id="median" class="small quiet">in this view${figure}</p></div>${sortMenu(tags, head.parameters)}${watchLink(tags, head)}</header>`;
}

/** A script makes a dialog of the page that it leads to; it finds `[data-watch]`, and says in it whether the search is watched. */
function watchLink<T>(tags: Tags<T>, { parameters, kind }: ListHead): T {
  const { html } = tags;
  const [, query = ''] = linkTo(parameters, { for: kind, sort: null, zoom: null }).split('?');
  return html`<a class="btn watch" data-watch="" href="${`explore/watching?${query}`}" aria-label="Watch this search">${icon(tags, 'bell')}<span class="wide-only">Watch</span></a>`;
}

function sortMenu<T>(tags: Tags<T>, parameters: Parameters): T {
  const { html } = tags;
  const chosen = parameters.get('sort') ?? '-listedAt';
  const current = SORTS.find(([key]) => key === chosen);
  const items = SORTS.map(([key, label]) => {
    const href = linkTo(parameters, { sort: key === '-listedAt' ? null : key });
    return key === chosen
      ? html`<li><a href="${href}" aria-current="true">${label}</a></li>`
      : html`<li><a href="${href}">${label}</a></li>`;
  });
  return html`<details class="pop end sort" name="filter" data-panel="sort"><summary class="btn bare small"><span class="visually-hidden">Order: </span><span class="wide-only">${current?.[1] ?? chosen}</span><span class="phone">${current?.[2] ?? chosen}</span>${icon(tags, 'down')}</summary><ul class="panel floating menu-list">${items}</ul></details>`;
}

export interface Pages {
  readonly parameters: Parameters;
  readonly total: number;
  /** Of the first home on this page, from 1; null: not known. */
  readonly first: number | null;
  readonly shown: number;
  readonly nextCursor: string | null;
  /** Where one signs in to go on; null: no need to. */
  readonly signIn: string | null;
}

export function pageLinks<T>({ html }: Tags<T>, pages: Pages): T {
  const { parameters, total, first, shown, nextCursor, signIn } = pages;
  const range = first === null ? countWords(shown) : `${countWords(first)}–${countWords(first + shown - 1)}`;
  const start = parameters.has('cursor')
    ? html`<a href="${linkTo(parameters, { cursor: null })}">First</a>`
    : null;
  const next =
    nextCursor === null
      ? null
      : html`<a rel="next" href="${linkTo(parameters, { cursor: nextCursor })}">Next ${Math.min(10, total)}</a>`;
  const more = signIn === null ? null : html`<a href="${signIn}">Sign in to go on</a>`;
  return html`<nav class="pages" id="pages" aria-label="Pages of the list"><span>${shown === 0 ? '' : `${range} of ${countWords(total)}`}</span><span class="links">${start}${next}${more}</span></nav>`;
}
