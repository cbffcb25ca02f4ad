// Numbers that the filters of a view show: how many homes each change would give. Pure, for pages and browsers.

/** Homes that cost from `from` up to but excluding `to`; null: no end. */
export interface PriceBucket {
  readonly from: number;
  readonly to: number | null;
  readonly count: number;
}

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Parameters set, or removed by null. */
export type ParameterChanges = Readonly<Record<string, string | null>>;

/** A change of the filters that a chip offers, or a way out of an empty view. */
export interface CountedChange {
  readonly label: string;
  readonly changes: ParameterChanges;
  /** Homes that it would give. */
  readonly count: number;
}

export interface FilterCounts {
  /** By the id of a filter in force: homes without it. */
  readonly without: Readonly<Record<string, number>>;
  readonly offers: readonly CountedChange[];
  /** By all filters but those of the price, in rising order; empty buckets between others are there too. */
  readonly buckets: readonly PriceBucket[];
  /** By all filters but those of the type. */
  readonly types: readonly ValueCount[];
  readonly features: readonly ValueCount[];
  /** Homes with at least so many. */
  readonly beds: readonly ValueCount[];
  readonly baths: readonly ValueCount[];
}

/** Where nothing can be counted: the filters stand without numbers. */
export const NO_COUNTS: FilterCounts = {
  without: {},
  offers: [],
  buckets: [],
  types: [],
  features: [],
  beds: [],
  baths: [],
};
