// Random search rows and conditions, of few distinct values, so that unknown values, ties and edges are common.

import fc from 'fast-check';
import type { SearchRow } from '../../../src/listings/search-row.ts';
import { PROPERTY_TYPES, STATUSES } from '../../../src/listings/vocabulary.ts';
import type {
  Condition,
  FlagColumn,
  ListColumn,
  RangeColumn,
  WordColumn,
} from '../../../src/search/query/condition.ts';
import { shapeArbitrary, spotArbitrary } from './shapes.ts';

const some = <T>(...values: T[]) => fc.constantFrom<T | null>(null, ...values);
const any = <T>(...values: T[]) => fc.constantFrom(...values);
const few = <T>(...values: T[]) => fc.subarray(values, { maxLength: 3 });

/** Around one moment: to the millisecond, a day, and far away. */
const START = Date.UTC(2026, 0, 5, 12);
export const STARTED_AT = START;
const OFFSETS = [0, 1, -1, 999, -86_400_000, -86_399_999, -86_400_001, -30 * 86_400_000, 86_400_000];
const TIMES = [
  ...OFFSETS.map((offset) => new Date(START + offset).toISOString()),
  '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '1969-12-31T23:59:59.999Z',
];
const NUMBERS = [
  0,
  0.5,
  0.1 + 0.2,
  0.3,
  1,
  2,
  99.99,
  100,
  1e12,
  1e-7,
  2_600.25,
  -10.25,
  Number.MAX_SAFE_INTEGER,
];
const DAYS = ['2026-01-01', '2026-02-28', '2026-03-01', '0001-01-01', '9999-12-31'];
/** Letters of all planes and lengths: text is compared byte by byte. */
const WORDS = [
  'aldern',
  'aldern ',
  'Aldern',
  'östra',
  'ostra',
  'zürich',
  '\u{10428}town',
  '\uffee',
  "o'brien",
  '',
  '%',
  '\\',
];
const FEATURES = ['pool', 'gym', 'Pool', 'wa"sher', 'a,b', '{x}', 'NULL'];
const AREAS = [1, 2, 3, 70_000];
const KEYS = [
  '12 oak st ',
  '12 oak st aldern ',
  '5 12 oak st ',
  '12 oak st \u{10428} ',
  '12 oakwood ln ',
  '7 élan ave ',
  '7 ',
  '\u{10428} st ',
  'z ',
];
/** Words of texts, as they are indexed. */
const TOKENS = ['oak', 'umbra', 'élan', '12', '\u{10428}'];

/** Open houses as ingest writes them: they may touch, overlap, and last a moment. */
const openHours = fc
  .array(fc.tuple(any(...OFFSETS), any(0, 1, 3_600_000, 86_400_000)), { maxLength: 3 })
  .map((houses) => {
    const ranges = houses.map(
      ([at, length]) =>
        `[${new Date(START + at).toISOString()},${new Date(START + at + length).toISOString()}]`,
    );
    return ranges.length === 0 ? null : `{${ranges.join()}}`;
  });

/** Some values are those of the conditions, some are any number. */
const number = fc.oneof(
  { weight: 4, arbitrary: some(...NUMBERS) },
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const time = some(...TIMES);
const word = some(...WORDS);

const ROW: { readonly [K in keyof SearchRow]: fc.Arbitrary<SearchRow[K]> } = {
  id: fc.constant(''),
  listing_type: any('sale', 'rental'),
  status: any(...STATUSES),
  licence: any('1', '2'),
  displayed: fc.boolean(),
  property_type: any(...PROPERTY_TYPES),
  property_sub_type: word,
  currency: any('USD', 'EUR'),
  price: number,
  has_price: fc.boolean(),
  close_price: number,
  price_per_area: number,
  price_direction: some('decrease', 'increase'),
  price_change_percent: number,
  association_fee: number,
  tax: number,
  monthly_cost: number,
  bedrooms: number,
  bathrooms: number,
  living_area: number,
  lot_size: number,
  year_built: number,
  stories: number,
  floor: number,
  parking_spaces: number,
  garage_spaces: number,
  available_from: some(...DAYS),
  lease_term_months: number,
  furnished: word,
  pets: few(...FEATURES),
  utilities: few(...FEATURES),
  no_fee: some(true, false),
  rent_control: some(true, false),
  move_in_cost: number,
  months_free: number,
  net_effective_price: number,
  listed_at: time,
  updated_at: any(...TIMES),
  closed_at: time,
  price_changed_at: time,
  days_on_market_start: time,
  days_on_market_end: time,
  open_houses: openHours,
  area_nos: few(...AREAS),
  precision: some('exact', 'approximate'),
  guessed: any(true, false),
  location: fc.option(spotArbitrary.map(({ lng, lat }) => `(${lng},${lat})`)),
  city: word,
  neighborhood: word,
  county: word,
  state: word,
  postal_code: word,
  country: word,
  address_key: some(...KEYS),
  has_photos: fc.boolean(),
  has_virtual_tour: fc.boolean(),
  new_construction: some(true, false),
  waterfront: some(true, false),
  features: few(...FEATURES),
  sale_conditions: few(...FEATURES),
  provider_id: any(...WORDS),
  mls_number: word,
  agent_id: word,
  office_id: word,
};

/** A row and its lexemes. */
export interface IndexedRow {
  readonly row: SearchRow;
  readonly tokens: readonly string[];
}

export const rowArbitrary: fc.Arbitrary<IndexedRow> = fc.record({
  row: fc.record(ROW),
  tokens: fc.subarray(TOKENS.flatMap((token) => ['', 'A', 'B', 'C', 'D'].map((letter) => letter + token))),
});

const NUMBER_COLUMNS: Readonly<Record<RangeColumn, 'number' | 'time' | 'day'>> = {
  price: 'number',
  closePrice: 'number',
  pricePerArea: 'number',
  bedrooms: 'number',
  bathrooms: 'number',
  livingArea: 'number',
  lotSize: 'number',
  yearBuilt: 'number',
  parkingSpaces: 'number',
  garageSpaces: 'number',
  stories: 'number',
  floor: 'number',
  priceChangePercent: 'number',
  leaseTermMonths: 'number',
  moveInCost: 'number',
  netEffectivePrice: 'number',
  monthlyCost: 'number',
  associationFee: 'number',
  tax: 'number',
  daysOnMarket: 'number',
  listedAt: 'time',
  updatedAt: 'time',
  closedAt: 'time',
  priceChangedAt: 'time',
  availableFrom: 'day',
};
const WORD_COLUMNS: Readonly<Record<WordColumn, readonly string[]>> = {
  city: WORDS,
  neighborhood: WORDS,
  county: WORDS,
  state: WORDS,
  postalCode: WORDS,
  country: WORDS,

  propertyType: PROPERTY_TYPES,
  propertySubType: WORDS,
  furnished: WORDS,
  agentId: WORDS,
  officeId: WORDS,
  precision: ['exact', 'approximate'],
  priceDirection: ['decrease', 'increase'],
  providerId: WORDS,
  licence: ['1', '2', '3'],
  mlsNumber: WORDS,
  currency: ['USD', 'EUR', 'SEK'],
  id: ['0', '1', '2', 'x'],
};
const FLAGS: Readonly<Record<FlagColumn, true>> = {
  newConstruction: true,
  waterfront: true,
  noFee: true,
  rentControl: true,
  hasPhotos: true,
  hasVirtualTour: true,
  hasPrice: true,
  hasLivingArea: true,
  hasConcession: true,
};
const LISTS: Readonly<Record<ListColumn, true>> = {
  features: true,
  pets: true,
  utilities: true,
  saleConditions: true,
};
const keysOf = <K extends string>(record: Readonly<Record<K, unknown>>): K[] => Object.keys(record) as K[];

const bounds = { number: NUMBERS, time: TIMES, day: DAYS };
const list = <T>(...values: T[]) =>
  fc.subarray(values, { minLength: 1, maxLength: Math.min(3, values.length) });
const optional = <T>(...values: T[]) => fc.constantFrom<T | undefined>(undefined, ...values);

type Kind = Condition['kind'];
const shapeOf = <K extends 'boxes' | 'circle' | 'polygon'>(kind: K) =>
  shapeArbitrary.filter((shape) => shape.kind === kind) as fc.Arbitrary<Extract<Condition, { kind: K }>>;

/** A condition of each kind. */
export const CONDITIONS: { readonly [K in Kind]: fc.Arbitrary<Extract<Condition, { readonly kind: K }>> } = {
  statuses: fc.record({ kind: fc.constant('statuses'), statuses: fc.subarray([...STATUSES]) }),
  range: any(...keysOf(NUMBER_COLUMNS))
    .chain((column) => {
      const bound = optional<number | string>(...bounds[NUMBER_COLUMNS[column]]);
      return fc.record({
        kind: fc.constant('range' as const),
        column: fc.constant(column),
        min: bound,
        max: bound,
        below: bound,
      });
    })
    .filter(({ min, max, below }) => (min ?? max ?? below) !== undefined),
  numbers: fc.record({
    kind: fc.constant('numbers'),
    column: any('bedrooms', 'leaseTermMonths'),
    values: list(...NUMBERS),
  }),
  words: any(...keysOf(WORD_COLUMNS)).chain((column) =>
    fc.record({
      kind: fc.constant('words'),
      column: fc.constant(column),
      values: list(...WORD_COLUMNS[column]),
    }),
  ),
  flag: fc.record({ kind: fc.constant('flag'), column: any(...keysOf(FLAGS)), value: fc.boolean() }),
  list: fc.record({
    kind: fc.constant('list'),
    column: any(...keysOf(LISTS)),
    values: list(...FEATURES, 'nobody has it'),
    all: fc.boolean(),
  }),
  open: fc
    .tuple(optional(...TIMES), optional(...TIMES))
    .map(([a, b]) => (a !== undefined && b !== undefined && a > b ? [b, a] : [a, b]))
    .map(([from, before]) => ({ kind: 'open', from, before })),
  address: fc.record({ kind: fc.constant('address'), key: any('12 ', '12 oak ', ...KEYS) }),
  text: fc.record({
    kind: fc.constant('text'),
    words: list(...TOKENS),
    fields: fc.subarray(['address', 'id', 'area', 'description'], { minLength: 1 }),
  }),
  areas: fc.constant({ kind: 'areas', ids: [] }),
  boxes: shapeOf('boxes'),
  circle: shapeOf('circle'),
  polygon: shapeOf('polygon'),
};

/** Meanings of the words, and the areas of an `areas` condition. */
export const namesArbitrary = fc.record({
  areaNos: few(...AREAS),
  words: fc.record(
    Object.fromEntries(
      TOKENS.map((token) => [
        token,
        fc.record({ spellings: few(...TOKENS).map((others) => [token, ...others]), areaNos: few(...AREAS) }),
      ]),
    ),
  ),
});
