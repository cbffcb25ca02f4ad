// Bar of filters: buy, rent or sold, the filters in force as chips, those on offer with their numbers, and all of them.
//
// Everything is a link or a form in a `details`, so that it works without script. Scripts find `#filters` (the bar),
// `details[data-panel]` by the name of the panel (price, beds, type, all, api), `form[data-filter]` in it, `a.remove[data-remove]` by
// the id of a filter, `a.chip.offer`, and `[data-show]`, whose text says what the form would give.

import type { Tags } from '../../page/map/tags.ts';
import type { FilterCounts } from '../view/filter-counts.ts';
import { linkTo, listOf, type Parameters } from '../view/parameters.ts';
import { type ApiPanel, apiPanel } from './api-panel.ts';
import { allFiltersPanel, bedsPanel, type PanelContext, typePanel } from './filter-panels.ts';
import { type ActiveFilter, activeFilters, type FilterContext, isOfSold } from './filters.ts';
import { icon } from './icons.ts';
import { hiddenFields } from './panel-parts.ts';
import { pricePanel } from './price-panel.ts';
import { countWords } from './words.ts';

export interface FilterBar extends FilterContext {
  readonly parameters: Parameters;
  readonly counts: FilterCounts;
  readonly median: number | null;
  readonly api: ApiPanel;
  /** Words of the search box. */
  readonly search: string;
}

export function filterBar<T>(tags: Tags<T>, bar: FilterBar): T {
  const { html } = tags;
  const { parameters } = bar;
  const active = activeFilters(parameters, bar);
  const inForce = new Map(active.map((filter) => [filter.id, filter]));
  const panels = PANELS.map(({ id, name, panel }) =>
    filterMenu(tags, bar, { id, name, filter: inForce.get(id) ?? null, content: panel(tags, bar) }),
  );
  const others = active.filter(({ id }) => !PANELS.some((panel) => panel.id === id));
  const removable = others.map((filter) => html`<li>${removableChip(tags, bar, filter)}</li>`);
  return html`<nav class="bar" id="filters" aria-label="Filters">${searchForm(tags, bar)}${kinds(tags, parameters)}<ul class="chips">${panels}${removable}</ul><ul class="chips offers" aria-label="Further filters">${offers(tags, bar)}</ul><div class="bar-end">${allFilters(tags, bar, active.length)}${apiMenu(tags, bar)}</div></nav>`;
}

/** Buy, rent, or what was sold. Filters that only one kind knows go with it. */
function kinds<T>({ html }: Tags<T>, parameters: Parameters): T {
  const isRent = parameters.get('for') === 'rental';
  const isSold = isOfSold(parameters);
  const unsold = { status: null, closedSince: null, closedBefore: null, sort: null };
  const forPrices = { minPrice: null, maxPrice: null, price: null };
  const items = [
    ['Buy', !isRent && !isSold, { for: 'sale', ...unsold, ...(isRent ? forPrices : {}) }],
    ['Rent', isRent && !isSold, { for: 'rental', ...unsold, ...(isRent ? {} : forPrices) }],
    [
      'Sold',
      isSold,
      {
        for: 'sale',
        status: 'CLOSED',
        closedSince: 'P6M',
        listedSince: null,
        priceChanged: null,
        sort: null,
        ...(isRent ? forPrices : {}),
      },
    ],
  ] as const;
  return html`<div class="seg" role="group" aria-label="Buy, rent or sold">${items.map(
    ([label, isCurrent, changes]) => {
      const href = linkTo(parameters, changes);
      return isCurrent
        ? html`<a href="${href}" aria-current="true">${label}</a>`
        : html`<a href="${href}">${label}</a>`;
    },
  )}</div>`;
}

interface PanelOfFilter {
  readonly id: string;
  readonly name: string;
  readonly panel: <T>(tags: Tags<T>, bar: FilterBar) => T;
}

const PANELS: readonly PanelOfFilter[] = [
  {
    id: 'price',
    name: 'Price',
    panel: (tags, { parameters, currency, counts, median, kind }) =>
      pricePanel(tags, {
        parameters,
        currency,
        buckets: counts.buckets,
        median,
        anyCount: counts.without.price ?? null,
        isRent: kind === 'rental',
      }),
  },
  { id: 'beds', name: 'Beds', panel: (tags, bar) => bedsPanel(tags, contextOf(bar)) },
  { id: 'type', name: 'Home type', panel: (tags, bar) => typePanel(tags, contextOf(bar)) },
];

const contextOf = ({ parameters, counts, kind, currency, areas }: FilterBar): PanelContext => ({
  parameters,
  counts,
  kind,
  currency,
  active: activeFilters(parameters, { kind, currency, areas }).flatMap((filter) => filter.parameters),
});

interface FilterMenu<T> {
  readonly id: string;
  readonly name: string;
  /** Null: not in force. */
  readonly filter: ActiveFilter | null;
  readonly content: T;
}

/** A chip that opens its panel; one in force can also be removed. */
function filterMenu<T>(tags: Tags<T>, bar: FilterBar, { id, name, filter, content }: FilterMenu<T>): T {
  const { html } = tags;
  const remove = filter === null ? null : removeLink(tags, bar, filter);
  return html`<li class="${filter === null ? 'filter' : 'filter on'}"><details class="pop" name="filter" data-panel="${id}"><summary class="${filter === null ? 'chip' : 'chip on'}">${filter === null ? name : filter.words}${
    filter === null ? icon(tags, 'down') : null
  }</summary><div class="panel floating">${content}</div></details>${remove}</li>`;
}

function removal({ counts, parameters }: FilterBar, filter: ActiveFilter) {
  const count = counts.without[filter.id];
  const gives = count === undefined ? '' : `: ${countWords(count)} homes without it`;
  return {
    href: linkTo(parameters, Object.fromEntries(filter.parameters.map((name) => [name, null]))),
    label: `Remove ${filter.words}${gives}`,
  };
}

function removeLink<T>(tags: Tags<T>, bar: FilterBar, filter: ActiveFilter): T {
  const { html } = tags;
  const { href, label } = removal(bar, filter);
  return html`<a class="remove" data-remove="${filter.id}" href="${href}" aria-label="${label}" title="${label}">${icon(tags, 'close')}</a>`;
}

function removableChip<T>(tags: Tags<T>, bar: FilterBar, filter: ActiveFilter): T {
  const { html } = tags;
  const { href, label } = removal(bar, filter);
  return html`<a class="chip on" data-remove="${filter.id}" href="${href}" aria-label="${label}" title="${label}">${filter.words}${icon(tags, 'close')}</a>`;
}

function offers<T>({ html }: Tags<T>, { parameters, counts }: FilterBar): readonly T[] {
  return counts.offers.map(({ label, changes, count }) => {
    return html`<li><a class="chip offer" href="${linkTo(parameters, changes)}">${label}<span class="count">${countWords(count)}</span></a></li>`;
  });
}

function allFilters<T>(tags: Tags<T>, bar: FilterBar, active: number): T {
  const { html } = tags;
  const number = active === 0 ? null : html`<strong class="phone">${active}</strong>`;
  return html`<details class="pop end" name="filter" data-panel="all"><summary class="btn">${icon(tags, 'filters')}<span class="wide-only">All filters</span><span class="phone">Filters</span>${number}</summary><div class="panel floating"><div class="phone kinds">${kinds(tags, bar.parameters)}</div>${allFiltersPanel(tags, contextOf(bar))}</div></details>`;
}

function apiMenu<T>(tags: Tags<T>, { api }: FilterBar): T {
  const { html } = tags;
  return html`<details class="pop end" name="filter" data-panel="api"><summary class="btn" aria-label="API">${icon(tags, 'code')}<span class="text">API</span></summary><div class="panel floating api">${apiPanel(tags, api)}</div></details>`;
}

/** The search box where the header has none, which is on telephones. */
function searchForm<T>(tags: Tags<T>, { parameters, areas, search }: FilterBar): T {
  const { html } = tags;
  const ids = listOf(parameters, 'areaId');
  const tokens = [...areas].map(([id, name]) => {
    const others = ids.filter((each) => each !== id).join(',');
    const href = linkTo(parameters, { areaId: others === '' ? null : others });
    return html`<a class="token" href="${href}" aria-label="${`Remove ${name}`}">${name}${icon(tags, 'close')}</a>`;
  });
  return html`<form class="search" action="explore" role="search">${hiddenFields(tags, parameters, ['q', 'find'])}${icon(tags, 'search')}${tokens}<input type="search" name="find" value="${search}" aria-label="Place, address or listing number" placeholder="${areas.size === 0 ? 'Place or address' : 'Add a place'}" autocomplete="off" maxlength="200"></form>`;
}
