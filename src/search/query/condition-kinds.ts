// Kinds of conditions: for each, the parameters it comes from, the columns it reads, and its predicate over one row.
// search/sql/condition-sql.ts has the SQL of the same kinds; a test holds both to the same rows.

import type { SearchRow } from '../../listings/search-row.ts';
import { zipOf } from '../../text/place-key.ts';
import {
  type Condition,
  columnOf,
  type RangeColumn,
  type TextCondition,
  type WordColumn,
} from './condition.ts';
import type { NormalizedQuery } from './normalize-query.ts';
import { parseOpenHours } from './open-hours.ts';
import type { WordMeaning } from './plan.ts';
import { compileShape } from './shape-predicate.ts';
import { type WordForm, wordForms } from './text-forms.ts';

/** The words of a listing: the lexemes of listing_text.words. */
export type TokenSet = Pick<ReadonlySet<string>, 'has'>;

/** What a predicate is compiled with: names as they were looked up, and the moment to which days on market count. */
export interface PredicateContext {
  readonly areaNos: readonly number[];
  readonly words: Readonly<Record<string, WordMeaning>>;
  /** Milliseconds. */
  readonly startedAt: number;
}

/** Whether a row meets a condition. Unknown values (null) meet none. */
export type RowTest = (row: SearchRow, words: TokenSet) => boolean;

type Parameter = keyof NormalizedQuery;

interface ConditionKind<C extends Condition> {
  /** The parameters that a condition may come from. */
  parameters(condition: C): readonly Parameter[];
  /** The columns that it reads, besides the words of a text. */
  columns(condition: C): readonly (keyof SearchRow)[];
  /** Its meaning for one row; condition.ts names the places of the others. */
  compile(condition: C, context: PredicateContext): RowTest;
}

type Kind = Condition['kind'];
type ConditionOf<K extends Kind> = Extract<Condition, { readonly kind: K }>;

export const CONDITION_KINDS: { readonly [K in Kind]: ConditionKind<ConditionOf<K>> } = {
  statuses: {
    parameters: () => ['status', 'underContract'],
    columns: () => ['status'],
    compile({ statuses }) {
      const wanted = new Set(statuses);
      return (row) => wanted.has(row.status);
    },
  },
  range: {
    parameters: ({ column, min, max, below }) => {
      const names = RANGE_PARAMETERS[column];
      const [from, to] = [min === undefined ? undefined : names.min, max ?? below];
      return [from, to === undefined ? undefined : names.max].filter((name) => name !== undefined);
    },
    columns: ({ column }) =>
      column === 'daysOnMarket'
        ? ['days_on_market_start', 'days_on_market_end']
        : [columnOf(column) as keyof SearchRow],
    compile({ column, ...bounds }, { startedAt }) {
      const read = column === 'daysOnMarket' ? daysOnMarketReader(startedAt) : readerOf(column);
      const [min, max, below] = [bounds.min, bounds.max, bounds.below].map((bound) =>
        bound === undefined ? null : orderedValue(bound),
      ) as [number | null, number | null, number | null];
      return (row) => {
        const value = read(row);
        if (value === null) return false;
        return (
          (min === null || value >= min) &&
          (max === null || value <= max) &&
          (below === null || value < below)
        );
      };
    },
  },
  numbers: {
    parameters: ({ column }) => [column],
    columns: ({ column }) => [columnOf(column) as keyof SearchRow],
    compile({ column, values }) {
      const [read, wanted] = [readerOf(column), new Set(values)];
      return (row) => {
        const value = read(row);
        return value !== null && wanted.has(value);
      };
    },
  },
  words: {
    parameters: ({ column }) => WORD_PARAMETERS[column] ?? [column as Parameter],
    columns: ({ column }) => [columnOf(column) as keyof SearchRow],
    compile({ column, values }) {
      const [name, wanted] = [columnOf(column) as keyof SearchRow, new Set<unknown>(values)];
      if (column === 'postalCode')
        return ({ postal_code: code }) => code !== null && (wanted.has(code) || wanted.has(zipOf(code)));
      return (row) => wanted.has(row[name]);
    },
  },
  flag: {
    parameters: ({ column }) => [column],
    columns: ({ column }) => {
      if (column === 'hasLivingArea') return ['living_area'];
      return column === 'hasConcession' ? ['months_free'] : [columnOf(column) as keyof SearchRow];
    },
    compile({ column, value }) {
      if (column === 'hasLivingArea') return (row) => (row.living_area !== null) === value;
      if (column === 'hasConcession') return (row) => (row.months_free ?? 0) > 0 === value;
      const name = columnOf(column) as keyof SearchRow;
      return (row) => row[name] === value;
    },
  },
  list: {
    parameters: ({ column }) => LIST_PARAMETERS[column],
    columns: ({ column }) => [LIST_COLUMNS[column]],
    compile({ column, values, all }) {
      const name = LIST_COLUMNS[column];
      return all
        ? (row) => values.every((value) => row[name].includes(value))
        : (row) => values.some((value) => row[name].includes(value));
    },
  },
  open: {
    parameters: () => ['openHouseFrom', 'openHouseTo'],
    columns: () => ['open_houses'],
    compile({ from, before }) {
      const start = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
      const end = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
      return (row) =>
        start < end && parseOpenHours(row).some((hours) => hours.start < end && hours.end >= start);
    },
  },
  address: {
    parameters: () => ['address'],
    columns: () => ['address_key'],
    compile:
      ({ key }) =>
      (row) =>
        row.address_key?.startsWith(key) === true,
  },
  text: {
    parameters: () => ['q', 'qFields'],
    columns: ({ fields }) => (fields.includes('area') ? ['area_nos'] : []),
    compile: compileText,
  },
  areas: {
    parameters: () => ['areaId'],
    columns: () => ['area_nos'],
    compile(_condition, { areaNos }) {
      const wanted = new Set(areaNos);
      return (row) => row.area_nos.some((no) => wanted.has(no));
    },
  },
  boxes: { parameters: () => ['bbox'], columns: () => ['location'], compile: compileShape },
  circle: { parameters: () => ['lat', 'lng', 'radius'], columns: () => ['location'], compile: compileShape },
  polygon: { parameters: () => ['polygon'], columns: () => ['location'], compile: compileShape },
};

/** The kind of a condition. */
export const kindOf = (condition: Condition): ConditionKind<Condition> =>
  CONDITION_KINDS[condition.kind] as ConditionKind<Condition>;

/** The parameters of each range: of its lower and of its upper bound. */
const RANGE_PARAMETERS: Readonly<
  Record<RangeColumn, { readonly min?: Parameter; readonly max?: Parameter }>
> = {
  price: { min: 'minPrice', max: 'maxPrice' },
  closePrice: { min: 'minClosePrice', max: 'maxClosePrice' },
  pricePerArea: { min: 'minPricePerArea', max: 'maxPricePerArea' },
  bedrooms: { min: 'minBedrooms', max: 'maxBedrooms' },
  bathrooms: { min: 'minBathrooms', max: 'maxBathrooms' },
  livingArea: { min: 'minLivingArea', max: 'maxLivingArea' },
  lotSize: { min: 'minLotSize', max: 'maxLotSize' },
  yearBuilt: { min: 'minYearBuilt', max: 'maxYearBuilt' },
  parkingSpaces: { min: 'minParking' },
  garageSpaces: { min: 'minGarage' },
  stories: { min: 'minStories' },
  floor: { min: 'minFloor' },
  priceChangePercent: { max: 'minPriceDropPercent' },
  leaseTermMonths: { min: 'minLeaseTermMonths' },
  moveInCost: { max: 'maxMoveInCost' },
  netEffectivePrice: { max: 'maxNetEffectivePrice' },
  monthlyCost: { max: 'maxMonthlyCost' },
  associationFee: { max: 'maxAssociationFee' },
  tax: { max: 'maxTax' },
  daysOnMarket: { min: 'minDaysOnMarket', max: 'maxDaysOnMarket' },
  listedAt: { min: 'listedSince', max: 'listedBefore' },
  updatedAt: { min: 'updatedSince', max: 'updatedBefore' },
  closedAt: { min: 'closedSince', max: 'closedBefore' },
  priceChangedAt: { min: 'priceChangedSince' },
  availableFrom: { min: 'availableFrom', max: 'availableBy' },
};

/** Those of words that have another name than the column. */
const WORD_PARAMETERS: Readonly<Partial<Record<WordColumn, readonly Parameter[]>>> = {
  id: ['ids'],
  priceDirection: ['priceChanged', 'minPriceDropPercent'],
};

const LIST_PARAMETERS = {
  features: ['features', 'featuresOperator'],
  pets: ['pets'],
  utilities: ['utilitiesIncluded'],
  saleConditions: ['saleCondition'],
} as const;

const LIST_COLUMNS = {
  features: 'features',
  pets: 'pets',
  utilities: 'utilities',
  saleConditions: 'sale_conditions',
} as const;

/** Numbers are compared as they are, dates and times as milliseconds. */
const orderedValue = (value: number | string): number =>
  typeof value === 'number' ? value : Date.parse(value);

/** Reads a column as a number. */
function readerOf(column: RangeColumn): (row: SearchRow) => number | null {
  const name = columnOf(column) as keyof SearchRow;
  return (row) => {
    const value = row[name];
    return typeof value === 'number' || typeof value === 'string' ? orderedValue(value) : null;
  };
}

function daysOnMarketReader(startedAt: number) {
  return ({ days_on_market_start: start, days_on_market_end: end }: SearchRow): number | null => {
    if (start === null) return null;
    const seconds = ((end === null ? startedAt : Date.parse(end)) - Date.parse(start)) / 1000;
    return Math.max(0, Math.floor(seconds / 86_400));
  };
}

/** A searched word: a listing has it in one of the forms, or lies in one of the areas. */
export interface TextTerm {
  readonly forms: readonly WordForm[];
  readonly areaNos: ReadonlySet<number>;
}

/** The words of a text condition with their meanings; a listing must have all of them. */
export function textTerms({ words, fields }: TextCondition, context: PredicateContext): TextTerm[] {
  return words.map((word) => {
    const meaning = context.words[word] ?? { spellings: [word], areaNos: [] };
    const areaNos = new Set(fields.includes('area') ? meaning.areaNos : []);
    return { forms: wordForms(meaning, fields), areaNos };
  });
}

/** Every word in one of the fields, or as the name of an area that the listing lies in. */
function compileText(condition: TextCondition, context: PredicateContext): RowTest {
  const terms = textTerms(condition, context);
  return (row, tokens) =>
    terms.every(
      ({ forms, areaNos }) =>
        forms.some(
          ({ lexeme, without }) => tokens.has(lexeme) && !without.some((other) => tokens.has(other)),
        ) ||
        (areaNos.size > 0 && row.area_nos.some((no) => areaNos.has(no))),
    );
}
