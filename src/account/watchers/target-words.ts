// Target of a watcher in plain words: what it watches, and by which filters.

import { shortened } from '../../page/html.ts';
import { enumWords, moneyWords } from '../../page/words.ts';
import { figureWords, percentWords } from '../../watch/figure-words.ts';
import type { TargetInput } from '../../watch/watcher.ts';

type MarketTarget = Extract<TargetInput, { readonly type: 'market' }>;

export interface TargetWords {
  /** Names the watcher where its owner does not. */
  readonly title: string;
  /** Such as `Homes for sale`. */
  readonly what: string;
  /** Which of them, such as `Bedrooms: 3 or more`. */
  readonly which: readonly string[];
}

export interface TargetFacts {
  readonly target: TargetInput;
  /** How a search was understood, as the watcher stores it. */
  readonly interpretation: unknown;
  /** Of a listing or property, where its source shows it; null: not known any more. */
  readonly address: string | null;
}

/** Filters shown; further ones are counted. */
const MAX_FILTERS = 12;
const MAX_LENGTH = 80;

export function describeTarget({ target, interpretation, address }: TargetFacts): TargetWords {
  if (target.type === 'listing') {
    const title = address ?? `Listing ${target.listingId}`;
    return { title, what: 'One listing', which: [title] };
  }
  if (target.type === 'property') {
    const title = address ?? `Property ${target.propertyId}`;
    return { title, what: 'All listings of one home', which: [title] };
  }
  if (target.type === 'market') return describeFigure(target, interpretationOf(interpretation));
  const what = target.listingType === 'sale' ? 'Homes for sale' : 'Homes for rent';
  return { title: what, what, which: limited(describeQuery(target.query, interpretationOf(interpretation))) };
}

/** A figure of the market, and the condition on it. */
function describeFigure(target: MarketTarget, { areas, currency }: Interpretation): TargetWords {
  const { metric, listingType, areaId, propertyType, bedrooms, condition } = target;
  const figure = metricWords(metric);
  const area = areas[0]?.name ?? areaId;
  const kind = propertyType === undefined ? 'homes' : valueWords(propertyType);
  const rooms = bedrooms === undefined ? '' : `, ${bedrooms === 1 ? '1 bedroom' : `${bedrooms} bedrooms`}`;
  const offer = listingType === 'sale' ? 'for sale' : 'for rent';
  return {
    title: `${figure}, ${area}`,
    what: figure,
    which: [
      `Area: ${area}`,
      `Of: ${kind} ${offer}${rooms}`,
      `When: ${conditionWords(metric, condition, currency)}`,
    ],
  };
}

/** `median_list_price` as `Median list price`. */
export function metricWords(metric: string): string {
  return labelOf(metric.replaceAll('_', ' '));
}

function conditionWords(
  metric: string,
  { op, value, window }: MarketTarget['condition'],
  currency: string | null,
): string {
  const direction = op.endsWith('above') ? 'above' : 'below';
  if (window === undefined) return `${direction} ${figureWords(metric, value, currency)}`;
  return `a change ${direction} ${percentWords(value)} in ${window.slice(1, -1)} days`;
}

function limited(filters: readonly string[]): readonly string[] {
  const rest = filters.length - MAX_FILTERS;
  if (rest <= 0) return filters;
  return [...filters.slice(0, MAX_FILTERS), `${rest} more ${rest === 1 ? 'filter' : 'filters'}`];
}

interface Interpretation {
  readonly areas: readonly { readonly name: string }[];
  readonly currency: string | null;
  readonly units: string;
}

/** The currency in which a watcher's amounts are; null: not known. */
export const currencyOf = (interpretation: unknown): string | null =>
  interpretationOf(interpretation).currency;

function interpretationOf(stored: unknown): Interpretation {
  const { areas = [], currency = null, units = 'imperial' } = (stored ?? {}) as Partial<Interpretation>;
  return { areas, currency, units };
}

/** Values of one thing, in words. */
interface Filter {
  exact?: string;
  min?: string;
  max?: string;
  unit: string;
}

/** Filters that draw an area, however they write it. */
const SHAPES = ['polygon', 'map', 'points', 'bbox'];
/** Said with other filters, or not at all. */
const SILENT = new Set([
  ...SHAPES,

  'lat',
  'lng',
  'latitude',
  'longitude',
  'long',
  'radius',
  'currency',
  'currency_code',
  'units',
  'display',
]);
const AREAS = new Set(['areaId', 'locationId', 'areas']);
const TEXTS = new Set(['q', 'search', 'keywords']);

function describeQuery(query: Readonly<Record<string, unknown>>, interpretation: Interpretation): string[] {
  const filters = new Map<string, Filter>();
  const { areas } = interpretation;
  for (const [name, value] of Object.entries(query)) {
    if (SILENT.has(name)) continue;
    if (AREAS.has(name) && areas.length > 0)
      filters.set('Area', { exact: areas.map((area) => area.name).join(' or '), unit: '' });
    else if (TEXTS.has(name)) filters.set('Words', { exact: `“${valueWords(value)}”`, unit: '' });
    else addFilter(filters, name, value, interpretation);
  }
  if (SHAPES.some((shape) => Object.hasOwn(query, shape)))
    filters.set('Place', { exact: 'inside a drawn outline', unit: '' });
  if (Object.hasOwn(query, 'radius'))
    filters.set('Place', { exact: `within ${valueWords(query.radius)} of a point`, unit: '' });
  return [...filters].map(([label, filter]) => shortened(`${label}: ${filterWords(filter)}`, MAX_LENGTH));
}

/** A range as searches take it: `2:`, `:600000`, `2:4`. */
const RANGE = /^(\d+(?:\.\d+)?)?:(\d+(?:\.\d+)?)?$/;

/** Lower and upper bounds of one thing become one filter. */
function addFilter(
  filters: Map<string, Filter>,
  name: string,
  value: unknown,
  interpretation: Interpretation,
): void {
  const [, bound, rest = name] = /^(min|max)_?([A-Za-z]\w*)$/.exec(name) ?? [];
  const range = typeof value === 'string' ? RANGE.exec(value) : null;
  if (range !== null) {
    for (const [at, edge] of ['min', 'max'].entries()) {
      const number = range[at + 1];
      if (number)
        addFilter(
          filters,
          `${edge}${rest.charAt(0).toUpperCase()}${rest.slice(1)}`,
          Number(number),
          interpretation,
        );
    }
    return;
  }
  const label = labelOf(rest);
  const filter = filters.get(label) ?? { unit: unitOf(rest, interpretation) };
  filter[bound === 'min' || bound === 'max' ? bound : 'exact'] = isAmount(rest)
    ? amountWords(value, interpretation.currency)
    : valueWords(value, rest);
  filters.set(label, filter);
}

function filterWords({ exact, min, max, unit }: Filter): string {
  if (exact !== undefined) return /\d$/.test(exact) ? `${exact}${unit}` : exact;
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`;
  return min === undefined ? `${max}${unit} or less` : `${min}${unit} or more`;
}

/** Whether the values of a filter are amounts of money. */
const isAmount = (name: string): boolean => /price(?!.*percent|.*frequency|.*changed)|cost/i.test(name);

function amountWords(value: unknown, currency: string | null): string {
  if (Array.isArray(value)) return value.map((each) => amountWords(each, currency)).join(' or ');
  return typeof value === 'number' ? moneyWords(value, currency) : valueWords(value);
}

function unitOf(name: string, { units }: Interpretation): string {
  if (isAmount(name)) return '';
  if (/acre/i.test(name)) return ' acres';
  if (/area|sqft|footage|lotsize/i.test(name)) return units === 'metric' ? ' m²' : ' sq ft';
  return /percent/i.test(name) ? ' %' : '';
}

/** `propertySubType` as `Property sub type`. */
function labelOf(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function valueWords(value: unknown, name = ''): string {
  if (Array.isArray(value)) return value.map((each) => valueWords(each, name)).join(' or ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return /year/i.test(name) ? String(value) : value.toLocaleString('en-US');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[A-Z][A-Z_]{2,}$/.test(text) ? enumWords(text).toLowerCase() : text;
}
