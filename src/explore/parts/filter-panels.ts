// Panels of one filter: beds, baths, home types, and the rest as one panel of all filters.

import type { Tags } from '../../page/map/tags.ts';
import { enumWords, moneyWords } from '../../page/words.ts';
import type { FilterCounts, ValueCount } from '../view/filter-counts.ts';
import { linkTo, listOf, type Parameters } from '../view/parameters.ts';
import type { HomeKind } from '../view/state.ts';
import { ALL_FILTERS, typeName } from './filters.ts';
import { type Choice, choices, hiddenFields, panelEnd, selectField, textField } from './panel-parts.ts';
import { countWords } from './words.ts';

export interface PanelContext {
  readonly parameters: Parameters;
  readonly counts: FilterCounts;
  readonly kind: HomeKind;
  readonly currency: string | null;
  /** Parameters of all filters in force. */
  readonly active: readonly string[];
}

const BEDS = ['minBedrooms', 'maxBedrooms', 'bedrooms'];
const BATHS = ['minBathrooms', 'maxBathrooms', 'bathrooms'];
const TYPES = ['propertyType', 'propertySubType'];

/** At least so many of something. */
function atLeast(parameters: Parameters, name: string, counted: readonly ValueCount[]): readonly Choice[] {
  const chosen = parameters.get(name) ?? '';
  const found = new Map(counted.map(({ value, count }) => [value, count]));
  return ['', '1', '2', '3', '4', '5'].map((value) => ({
    value,
    label: value === '' ? 'Any' : `${value}+`,
    isChosen: value === chosen,
    count: found.get(value) ?? null,
  }));
}

export function bedsPanel<T>(tags: Tags<T>, { parameters, counts }: PanelContext): T {
  const { html } = tags;
  return html`<form class="filter-form" action="explore" data-filter="beds">${hiddenFields(tags, parameters, [...BEDS, ...BATHS])}${roomFields(tags, { parameters, counts })}${panelEnd(
    tags,
    {
      anyLabel: BEDS.some((name) => parameters.has(name)) ? 'Any number of beds' : null,
      anyCount: counts.without.beds ?? null,
      removed: BEDS,
      parameters,
    },
  )}</form>`;
}

export function typePanel<T>(tags: Tags<T>, { parameters, counts }: PanelContext): T {
  const { html } = tags;
  return html`<form class="filter-form" action="explore" data-filter="type">${hiddenFields(tags, parameters, ['propertyType'])}<fieldset class="list"><legend>Home type</legend>${choices(
    tags,
    'checkbox',
    'propertyType',
    valueChoices(parameters, 'propertyType', counts.types, typeName),
  )}</fieldset>${panelEnd(tags, {
    anyLabel: TYPES.some((name) => parameters.has(name)) ? 'Any type' : null,
    anyCount: counts.without.type ?? null,
    removed: TYPES,
    parameters,
  })}</form>`;
}

/** The values that there are, and those chosen that there are none of. */
function valueChoices(
  parameters: Parameters,
  name: string,
  counted: readonly ValueCount[],
  label: (value: string) => string,
): readonly Choice[] {
  const chosen = listOf(parameters, name);
  const values = new Map(counted.map(({ value, count }) => [value, count]));
  for (const value of chosen) if (!values.has(value)) values.set(value, 0);
  return [...values].map(([value, count]) => ({
    value,
    label: label(value),
    isChosen: chosen.includes(value),
    count,
  }));
}

const RANGES = [
  ['minLivingArea', 'Size from, sqft', 'maxLivingArea', 'Size to, sqft'],
  ['minYearBuilt', 'Built from', 'maxYearBuilt', 'Built until'],
] as const;

const NEW_SINCE = [
  ['', 'At any time'],
  ['P1D', 'In the last day'],
  ['P3D', 'In the last 3 days'],
  ['P7D', 'In the last 7 days'],
  ['P14D', 'In the last 14 days'],
  ['P30D', 'In the last 30 days'],
] as const;

const CHANGED = [
  ['', 'Changed or not'],
  ['decrease', 'Dropped'],
  ['increase', 'Rose'],
] as const;

const STATUSES = [
  ['', 'On the market'],
  ['ACTIVE,ACTIVE_UNDER_CONTRACT,PENDING', 'On the market or under contract'],
  ['COMING_SOON', 'Coming soon'],
  ['CLOSED', 'Sold or let'],
] as const;

const FIELDS = [
  'minPrice',
  'maxPrice',
  ...BEDS,
  ...BATHS,
  'propertyType',
  ...RANGES.flatMap(([min, , max]) => [min, max]),
  'listedSince',
  'priceChanged',
  'status',
  'features',
  'waterfront',
  'newConstruction',
  'hasPhotos',
  'q',
];

/** Bedrooms and bathrooms, at least so many each. */
function roomFields<T>(
  tags: Tags<T>,
  { parameters, counts }: Pick<PanelContext, 'parameters' | 'counts'>,
): T {
  const { html } = tags;
  return html`<fieldset class="steps"><legend>Bedrooms</legend>${choices(
    tags,
    'radio',
    'minBedrooms',
    atLeast(parameters, 'minBedrooms', counts.beds),
  )}</fieldset><fieldset class="steps"><legend>Bathrooms</legend>${choices(
    tags,
    'radio',
    'minBathrooms',
    atLeast(parameters, 'minBathrooms', counts.baths),
  )}</fieldset>`;
}

/** All filters in one form. */
export function allFiltersPanel<T>(tags: Tags<T>, context: PanelContext): T {
  const { html } = tags;
  const { parameters } = context;
  return html`<form class="filter-form all" action="explore" data-filter="all">${hiddenFields(tags, parameters, FIELDS)}<p class="panel-title"><strong>All filters</strong></p><div class="columns"><div>${rangeFields(tags, context)}${roomFields(tags, context)}</div><div>${selects(tags, parameters)}${textField(
    tags,
    {
      name: 'q',
      label: 'Words in address, features or description',
      value: parameters.get('q') ?? '',
      mode: 'search',
    },
  )}<fieldset class="list"><legend>Only homes that are</legend>${traits(tags, parameters)}</fieldset></div>${valueFields(tags, context)}</div><div class="panel-end">${removeAll(tags, context)}<button class="btn primary" data-show>Show homes</button></div></form>`;
}

/** With the homes that there are without any; nothing where none is in force. */
function removeAll<T>({ html }: Tags<T>, { parameters, counts, active }: PanelContext): T | null {
  if (active.length === 0) return null;
  const href = linkTo(parameters, Object.fromEntries(active.map((name) => [name, null])));
  const count = counts.without[ALL_FILTERS];
  const number = count === undefined ? null : html` <span class="count">${countWords(count)}</span>`;
  return html`<a class="btn bare small" href="${href}">Remove all filters${number}</a>`;
}

function rangeFields<T>(tags: Tags<T>, { parameters, currency, kind }: PanelContext): readonly T[] {
  const { html } = tags;
  const amount = (name: string): string => {
    const value = parameters.get(name);
    return value === undefined ? '' : moneyWords(Number(value), currency);
  };
  const price = kind === 'sale' ? 'Price' : 'Rent a month';
  const prices = html`<div class="two">${textField(tags, { name: 'minPrice', label: `${price} from`, value: amount('minPrice') })}<span aria-hidden="true">–</span>${textField(
    tags,
    { name: 'maxPrice', label: `${price} to`, value: amount('maxPrice') },
  )}</div>`;
  const others = RANGES.map(
    ([min, from, max, to]) =>
      html`<div class="two">${textField(tags, { name: min, label: from, value: parameters.get(min) ?? '' })}<span aria-hidden="true">–</span>${textField(
        tags,
        { name: max, label: to, value: parameters.get(max) ?? '' },
      )}</div>`,
  );
  return [prices, ...others];
}

function selects<T>(tags: Tags<T>, parameters: Parameters): readonly T[] {
  const options = (name: string, values: readonly (readonly [string, string])[]) => {
    const chosen = parameters.get(name) ?? '';
    const known = values.some(([value]) => value === chosen);
    const all = known ? values : [...values, [chosen, chosen] as const];
    return all.map(([value, label]) => ({ value, label, isChosen: value === chosen }));
  };
  return [
    selectField(tags, 'status', 'Status', options('status', STATUSES)),
    selectField(tags, 'listedSince', 'New on the market', options('listedSince', NEW_SINCE)),
    selectField(tags, 'priceChanged', 'Price since it was listed', options('priceChanged', CHANGED)),
  ];
}

const TRAITS = [
  ['waterfront', 'On the water'],
  ['newConstruction', 'Newly built'],
  ['hasPhotos', 'With photos'],
] as const;

function traits<T>(tags: Tags<T>, parameters: Parameters): readonly T[] {
  return TRAITS.flatMap(([name, label]) =>
    choices(tags, 'checkbox', name, [
      { value: 'true', label, isChosen: parameters.get(name) === 'true', count: null },
    ]),
  );
}

/** How many features are offered: the most frequent. */
const MAX_FEATURES = 12;

function valueFields<T>(tags: Tags<T>, { parameters, counts }: PanelContext): T {
  const { html } = tags;
  const features = valueChoices(parameters, 'features', counts.features.slice(0, MAX_FEATURES), enumWords);
  const list =
    features.length === 0
      ? null
      : html`<fieldset class="list"><legend>Features</legend>${choices(tags, 'checkbox', 'features', features)}</fieldset>`;
  return html`<div><fieldset class="list"><legend>Home type</legend>${choices(
    tags,
    'checkbox',
    'propertyType',
    valueChoices(parameters, 'propertyType', counts.types, typeName),
  )}</fieldset>${list}</div>`;
}
