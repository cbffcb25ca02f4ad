// Measures: values read from each listing of a set, and a set summed up in them.

/** The value read from each member of a set. */
export type Measure =
  | 'price'
  | 'perArea'
  | 'age'
  | 'days'
  | 'ratio'
  | 'originalRatio'
  | 'above'
  | 'dropped'
  | 'percent'
  | 'fast'
  | 'concession'
  | 'monthsFree';

/** A set summed up in one measure; quartiles are at 0.25, 0.5 and 0.75 with linear interpolation. */
export interface Summary {
  readonly n: number;
  readonly mean: number | null;
  readonly sum: number | null;
  readonly quartiles: readonly [number, number, number] | null;
}

export interface Summaries {
  readonly total: number;
  readonly measures: ReadonlyMap<Measure, Summary>;
}
