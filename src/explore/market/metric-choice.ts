// Which metrics the market page shows of homes for sale and for rent, and how they are called there.

import type { ListingType } from '../../listings/vocabulary.ts';
import type { FigureTable } from './page-query.ts';

/** How a figure is written. */
export type FigureKind = 'money' | 'count' | 'days' | 'months' | 'share';

/** A chart of one metric by month. */
export interface ChartedMetric {
  readonly table: FigureTable;
  readonly id: string;
  readonly title: string;
  readonly kind: FigureKind;
}

export interface MetricChoice {
  /** Of the asking price or rent. */
  readonly price: ChartedMetric;
  /** What a home that left the market this way is called. */
  readonly sold: string;
  /** The small charts. */
  readonly charts: readonly ChartedMetric[];
}

const DAYS = { table: 'days', id: 'median_days_on_market', title: 'Days on market', kind: 'days' } as const;
const SUPPLY = {
  table: 'supply',
  id: 'months_of_supply',
  title: 'Months of supply',
  kind: 'months',
} as const;
const DROPS = { table: 'drops', id: 'price_drop_share', title: 'Price drops', kind: 'share' } as const;

export const CHOICES: Readonly<Record<ListingType, MetricChoice>> = {
  sale: {
    price: { table: 'price', id: 'median_list_price', title: 'Asking price', kind: 'money' },
    sold: 'Sold',
    charts: [
      DAYS,
      SUPPLY,
      DROPS,
      {
        table: 'outcome',
        id: 'sale_to_original_list_ratio',
        title: 'Sold to first asking',
        kind: 'share',
      },
    ],
  },
  rental: {
    price: { table: 'price', id: 'median_rent', title: 'Asking rent', kind: 'money' },
    sold: 'Let',
    charts: [
      DAYS,
      SUPPLY,
      DROPS,
      { table: 'outcome', id: 'concession_share', title: 'Offer free months', kind: 'share' },
    ],
  },
};

export const INVENTORY = 'inventory';
export const NEW = 'new_listings';
export const CLOSED = 'closed_listings';
export const AGE = 'median_age_of_inventory';
export const MONTHS_OF_SUPPLY = SUPPLY.id;

/** Metrics of the series that the page reads. */
export function seriesMetrics(type: ListingType): readonly string[] {
  const { price, charts } = CHOICES[type];
  return [price.id, INVENTORY, NEW, CLOSED, ...charts.map(({ id }) => id)];
}

/** Metrics of the table of areas. */
export function areaMetrics(type: ListingType): readonly string[] {
  return [CHOICES[type].price.id, INVENTORY, AGE, MONTHS_OF_SUPPLY];
}
