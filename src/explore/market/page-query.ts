// Query of the market page: whose figures it shows, of how many months, and how its table is sorted. Pure.

import { type Static, Type } from 'typebox';
import type { ListingType } from '../../listings/vocabulary.ts';

/** Columns of the table of areas that it can be sorted by. */
export const SORT_KEYS = ['name', 'median', 'year', 'homes', 'age', 'supply'] as const;
export type SortKey = (typeof SORT_KEYS)[number];
/** Figures that the map can be coloured by. */
const COLOUR_KEYS = ['median', 'year', 'homes', 'age', 'supply'] as const;
export type ColourKey = (typeof COLOUR_KEYS)[number];
type Sort = SortKey | `-${SortKey}`;

/** Months that the page offers, with their names. */
export const SPANS = [
  [12, '1 year'],
  [24, '2 years'],
  [60, '5 years'],
  [120, 'All'],
] as const;
type Months = (typeof SPANS)[number][0];

const oneOf = <T extends string>(values: readonly T[], options: object) =>
  Type.Optional(Type.Unsafe<T>({ type: 'string', enum: [...values], ...options }));
const id = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));

const members = {
  areaId: id('Id of the area. Absent: the whole market.'),
  for: oneOf<ListingType>(['sale', 'rental'], {
    default: 'sale',
    description: 'Homes for sale, or for rent.',
  }),
  months: Type.Optional(
    Type.Unsafe<Months>({
      type: 'integer',
      enum: SPANS.map(([months]) => months),
      default: 24,
      description: 'Months that the charts go back.',
    }),
  ),
  with: id('Id or name of a second area, drawn beside the first.'),
  currency: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'Currency of the figures (ISO 4217). Absent: the only one, or that of most homes.',
    }),
  ),
  within: Type.Optional(
    Type.String({ maxLength: 120, description: 'Words of the names of the areas to compare.' }),
  ),
};

export const MarketPageQuery = Type.Object({
  ...members,
  sort: oneOf<Sort>(
    SORT_KEYS.flatMap((key): Sort[] => [key, `-${key}`]),
    { default: '-homes', description: 'Column of the table of areas; - for descending.' },
  ),
  colour: oneOf<ColourKey>(COLOUR_KEYS, {
    default: 'median',
    description: 'Figure that the map is coloured by.',
  }),
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 1, description: 'Page of the table of areas.' }),
  ),
  find: Type.Optional(Type.String({ maxLength: 120, description: 'Name of an area to go to.' })),
});

/** Tables of figures that can be had as CSV. */
export const FIGURE_TABLES = [
  'price',
  'activity',
  'distribution',
  'days',
  'supply',
  'drops',
  'outcome',
  'areas',
] as const;
export type FigureTable = (typeof FIGURE_TABLES)[number];

export const FiguresQuery = Type.Object({
  ...members,
  table: Type.Unsafe<FigureTable>({
    type: 'string',
    enum: [...FIGURE_TABLES],
    description: 'The chart or table of the page whose figures these are.',
  }),
});

/** What a page shows, without defaults left open. */
export interface MarketView {
  /** Null: the whole market. */
  readonly areaId: string | null;
  readonly listingType: ListingType;
  readonly months: number;
  /** Null: no second area. */
  readonly withId: string | null;
  /** ISO 4217; null: none is named. */
  readonly currency: string | null;
  /** Words that the names of the areas in the table begin with; null: all areas. */
  readonly within: string | null;
  readonly sortKey: SortKey;
  readonly isDescending: boolean;
  readonly page: number;
  readonly colour: ColourKey;
}

export function readMarketView(query: Static<typeof MarketPageQuery>): MarketView {
  const {
    areaId = null,
    months = 24,
    with: withId = null,
    currency = null,
    within = '',
    sort = '-homes',
    page = 1,
    colour = 'median',
  } = query;
  const sortKey = SORT_KEYS.find((key) => sort.endsWith(key)) ?? 'homes';
  return {
    areaId: areaId === '' ? null : areaId,
    listingType: query.for ?? 'sale',
    months,
    withId: withId === '' || withId === areaId ? null : withId,
    currency,
    // Without a letter or a digit there is nothing to look for.
    within: /[\p{L}\p{N}]/u.test(within) ? within.trim() : null,
    sortKey,
    isDescending: sort.startsWith('-'),
    page,
    colour,
  };
}

/** The query of a view, without what is the default, beginning with `?`; empty where nothing differs. */
export function writeMarketView(view: MarketView): string {
  const { areaId, listingType, months, withId, currency, within, sortKey, isDescending, page, colour } = view;
  const sort = `${isDescending ? '-' : ''}${sortKey}`;
  const query = new URLSearchParams({
    ...(areaId !== null && { areaId }),
    ...(listingType !== 'sale' && { for: listingType }),
    ...(months !== 24 && { months: String(months) }),
    ...(withId !== null && { with: withId }),
    ...(currency !== null && { currency }),
    ...(within !== null && { within }),
    ...(sort !== '-homes' && { sort }),
    ...(colour !== 'median' && { colour }),
    ...(page !== 1 && { page: String(page) }),
  }).toString();
  return query === '' ? '' : `?${query}`;
}
