// Filters: what each parameter of a query requires of a listing, as conditions. Pure.

import { readAll } from '../../http/input/faults.ts';
import { parameterProblem } from '../../http/input/parameter-problem.ts';
import { type FieldError, invalidParameter } from '../../lib/problem.ts';
import { areaIn, perAreaIn } from '../../listings/presenter.ts';
import type { UnitSystem } from '../../listings/vocabulary.ts';
import { placeKey, postalKey } from '../../text/place-key.ts';
import { addressKey, queryTokens } from '../../text/tokenize.ts';
import { type Bounds, type Condition, FLAG_COLUMNS, type RangeColumn } from './condition.ts';
import { TEXT_FIELDS } from './filter-parameters.ts';
import { parseMoment } from './moment.ts';
import type { NormalizedQuery } from './normalize-query.ts';
import { parseShapes } from './shapes.ts';
import { parseStatuses } from './statuses.ts';

/** The conditions of a query; `now` in milliseconds. Throws INVALID_PARAMETER or INVALID_GEOMETRY. */
export function conditionsOf(query: NormalizedQuery, units: UnitSystem, now: number): Condition[] {
  return readAll<Condition[]>([
    () => {
      checkRanges(query);
      return [];
    },
    () => [{ kind: 'statuses', statuses: parseStatuses(query) }],
    () => filtersOf(query, units, now),
  ]).flat();
}

/** The same without the statuses, which have a default. */
export function filtersOf(query: NormalizedQuery, units: UnitSystem, now: number): Condition[] {
  return readAll<readonly Condition[]>([
    () => words(query),
    () => text(query),
    () => parseShapes(query, units),
    () => numbers(query, units),
    () => bounds(query),
    () => lists(query),
    () => flags(query),
    () => moments(query, now),
  ]).flat();
}

/** Names of places, words compared without case, and words compared as they are. */
const PLACES = ['city', 'neighborhood', 'county', 'state', 'country'] as const;
const FOLDED = ['propertySubType', 'furnished', 'mlsNumber'] as const;
const EXACT = ['propertyType', 'precision', 'agentId', 'officeId', 'providerId'] as const;
const MAX_WORDS = 12;

const folded = (values: readonly string[]): string[] => values.map((value) => value.trim().toLowerCase());

function words(query: NormalizedQuery): Condition[] {
  const conditions: Condition[] = [];
  if (query.areaId) conditions.push({ kind: 'areas', ids: query.areaId });
  for (const column of PLACES) {
    const values = query[column];
    if (values) conditions.push({ kind: 'words', column, values: values.map(placeKey) });
  }
  const { postalCode } = query;
  if (postalCode) conditions.push({ kind: 'words', column: 'postalCode', values: postalCode.map(postalKey) });
  for (const column of FOLDED) {
    const values = query[column];
    if (values) conditions.push({ kind: 'words', column, values: folded(values) });
  }
  for (const column of EXACT) {
    const values = query[column];
    if (values) conditions.push({ kind: 'words', column, values });
  }
  if (query.ids) conditions.push({ kind: 'words', column: 'id', values: query.ids });
  if (query.priceChanged)
    conditions.push({ kind: 'words', column: 'priceDirection', values: [query.priceChanged] });
  return conditions;
}

const text = (query: NormalizedQuery): Condition[] =>
  readAll<Condition[]>([() => addressStart(query), () => fullText(query)]).flat();

function addressStart({ address }: NormalizedQuery): Condition[] {
  if (address === undefined) return [];
  const key = addressKey(address);
  if (key === null) throw invalidParameter('address', 'contains no word to search for');
  return [{ kind: 'address', key }];
}

function fullText({ q, qFields }: NormalizedQuery): Condition[] {
  if (qFields !== undefined && q === undefined) throw invalidParameter('qFields', 'needs q');
  if (q === undefined) return [];
  const tokens = queryTokens(q);
  if (tokens.length === 0) throw invalidParameter('q', 'contains no word to search for');
  if (tokens.length > MAX_WORDS)
    throw invalidParameter('q', `has ${tokens.length} words; at most ${MAX_WORDS} are allowed`);
  return [{ kind: 'text', words: tokens, fields: qFields ?? TEXT_FIELDS }];
}

/** Ranges of numbers: suffix of `min` and `max`, column, and how the number is displayed. */
const RANGES = [
  ['Price', 'price', 'plain'],
  ['ClosePrice', 'closePrice', 'plain'],
  ['PricePerArea', 'pricePerArea', 'perArea'],
  ['Bedrooms', 'bedrooms', 'plain'],
  ['Bathrooms', 'bathrooms', 'plain'],
  ['LivingArea', 'livingArea', 'area'],
  ['LotSize', 'lotSize', 'area'],
  ['YearBuilt', 'yearBuilt', 'plain'],
  ['DaysOnMarket', 'daysOnMarket', 'plain'],
] as const satisfies readonly (readonly [string, RangeColumn, Measure])[];

function numbers(query: NormalizedQuery, units: UnitSystem): Condition[] {
  const conditions: Condition[] = [];
  for (const [suffix, column, measure] of RANGES) {
    const [min, max] = [query[`min${suffix}`], query[`max${suffix}`]];
    if (min === undefined && max === undefined) continue;
    conditions.push({ kind: 'range', column, ...storedBounds(min, max, measure, units) });
  }
  for (const column of ['bedrooms', 'leaseTermMonths'] as const) {
    const values = query[column];
    if (values) conditions.push({ kind: 'numbers', column, values });
  }
  return conditions;
}

/** Parameters with one bound. */
const LOWER_BOUNDS = {
  minParking: 'parkingSpaces',
  minGarage: 'garageSpaces',
  minStories: 'stories',
  minFloor: 'floor',
  minLeaseTermMonths: 'leaseTermMonths',
  availableFrom: 'availableFrom',
} as const satisfies Partial<Record<keyof NormalizedQuery, RangeColumn>>;
const UPPER_BOUNDS = {
  maxMoveInCost: 'moveInCost',
  maxNetEffectivePrice: 'netEffectivePrice',
  maxMonthlyCost: 'monthlyCost',
  maxAssociationFee: 'associationFee',
  maxTax: 'tax',
  availableBy: 'availableFrom',
} as const satisfies Partial<Record<keyof NormalizedQuery, RangeColumn>>;

function bounds(query: NormalizedQuery): Condition[] {
  const { minPriceDropPercent: drop } = query;
  const conditions: Condition[] = [];
  for (const name of Object.keys(LOWER_BOUNDS) as (keyof typeof LOWER_BOUNDS)[]) {
    if (query[name] !== undefined)
      conditions.push({ kind: 'range', column: LOWER_BOUNDS[name], min: query[name] });
  }
  for (const name of Object.keys(UPPER_BOUNDS) as (keyof typeof UPPER_BOUNDS)[]) {
    if (query[name] !== undefined)
      conditions.push({ kind: 'range', column: UPPER_BOUNDS[name], max: query[name] });
  }
  if (drop === undefined) return conditions;
  // A drop that rounds to 0 percent is still a drop.
  const lowered: Condition = { kind: 'words', column: 'priceDirection', values: ['decrease'] };
  return [...conditions, lowered, { kind: 'range', column: 'priceChangePercent', max: 0 - drop }];
}

function lists(query: NormalizedQuery): Condition[] {
  const { features, featuresOperator, pets, utilitiesIncluded, saleCondition } = query;
  if (featuresOperator !== undefined && features === undefined)
    throw invalidParameter('featuresOperator', 'needs features');
  const listFilters = [
    ['features', features, featuresOperator !== 'OR'],
    ['pets', pets, false],
    ['utilities', utilitiesIncluded, false],
    ['saleConditions', saleCondition, false],
  ] as const;
  return listFilters.flatMap(([column, values, all]) =>
    values === undefined ? [] : [{ kind: 'list', column, values: folded(values), all }],
  );
}

function flags(query: NormalizedQuery): Condition[] {
  return FLAG_COLUMNS.flatMap((column) => {
    const value = query[column];
    return value === undefined ? [] : [{ kind: 'flag', column, value }];
  });
}

function moments(query: NormalizedQuery, now: number): Condition[] {
  const between = (since: MomentName, until: MomentName): readonly (string | undefined)[] => {
    const [min, below] = readAll([
      () => time(since, query[since], now),
      () => time(until, query[until], now),
    ]);
    if (min !== undefined && below !== undefined && min > below)
      throw invalidParameter(since, `is later than ${until}`);
    return [min, below];
  };
  return readAll<Condition[]>([
    ...(['listed', 'updated', 'closed'] as const).map((name) => (): Condition[] => {
      const [min, below] = between(`${name}Since`, `${name}Before`);
      return (min ?? below) ? [{ kind: 'range', column: `${name}At`, min, below }] : [];
    }),
    () => {
      const min = time('priceChangedSince', query.priceChangedSince, now);
      return min === undefined ? [] : [{ kind: 'range', column: 'priceChangedAt', min }];
    },
    () => {
      const [from, before] = between('openHouseFrom', 'openHouseTo');
      return (from ?? before) ? [{ kind: 'open', from, before }] : [];
    },
  ]).flat();
}

type MomentName = `${'listed' | 'updated' | 'closed'}${'Since' | 'Before'}` | 'openHouseFrom' | 'openHouseTo';

function time(parameter: string, text: string | undefined, now: number): string | undefined {
  return text === undefined ? undefined : new Date(parseMoment(parameter, text, now)).toISOString();
}

function checkRanges(query: NormalizedQuery): void {
  const errors: FieldError[] = [];
  const check = (min: string, max: string, from?: number | string, to?: number | string): void => {
    if (from === undefined || to === undefined || from <= to) return;
    errors.push({ parameter: min, detail: `is ${from}, above ${max}, which is ${to}` });
  };
  for (const [suffix] of RANGES)
    check(`min${suffix}`, `max${suffix}`, query[`min${suffix}`], query[`max${suffix}`]);
  check('availableFrom', 'availableBy', query.availableFrom, query.availableBy);
  if (errors.length > 0) throw parameterProblem(errors);
  // Refuses days that PostgreSQL does not know, such as those of year 0.
  for (const name of ['availableFrom', 'availableBy'] as const) {
    const text = query[name];
    if (text !== undefined) parseMoment(name, text, 0);
  }
}

/** How a stored number is displayed: unchanged, converted as an area, or converted and rounded as a price per area. */
export type Measure = 'plain' | 'area' | 'perArea';

/**
 * Bounds on stored numbers that select what is displayed within `min` and `max` in the reader's units: a listing must
 * match the numbers that its reader sees.
 */
export function storedBounds(
  min: number | undefined,
  max: number | undefined,
  measure: Measure,
  units: UnitSystem,
): Bounds {
  const exact = measure === 'plain' || (measure === 'area' && units === 'imperial');
  if (exact) return { min, max };
  const displayed = (stored: number): number =>
    (measure === 'area' ? areaIn(stored, units) : perAreaIn(stored, units)) ?? 0;
  return {
    min: min === undefined ? undefined : minDisplayedAs(Math.ceil(hundredths(min)) / 100, displayed),
    below: max === undefined ? undefined : minDisplayedAs((Math.floor(hundredths(max)) + 1) / 100, displayed),
  };
}

/** Without the rounding noise of multiplication. */
const hundredths = (value: number): number => Number((value * 100).toFixed(6));

/** The smallest stored number displayed as `target` or more, by bisection: no formula inverts rounding exactly. */
function minDisplayedAs(target: number, displayed: (stored: number) => number): number {
  if (target <= 0) return 0;
  let [low, high] = [0, 1];
  while (displayed(high) < target) high *= 2;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return high;
    if (displayed(middle) >= target) high = middle;
    else low = middle;
  }
}
