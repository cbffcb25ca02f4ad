// Price buckets: edges at amounts that people use, for rents and sale prices alike, or steps of one width.

/** Edges between a power of ten and the next: 100,000, 125,000 and so on, and from 500,000 on 550,000, 600,000 and so on. */
const MULTIPLES: readonly number[] = [
  ...Array.from({ length: 16 }, (_, at) => 1 + at / 4),
  ...Array.from({ length: 10 }, (_, at) => 5 + at / 2),
];
const DECADES = 12;

/** The lower edge of each bucket, ascending; the first bucket starts at 0. Bucket n, counted from 1, starts at edge n - 1. */
export const PRICE_BUCKET_EDGES: readonly number[] = [
  0,
  ...Array.from({ length: DECADES }, (_, decade) =>
    MULTIPLES.map((multiple) => multiple * 10 ** decade),
  ).flat(),
  10 ** DECADES,
];

/** The bounds of a bucket by its number from 1, `step` wide or by the edges; `to` is exclusive, null for the last. */
export const priceBucket = (
  number: number,
  step: number | null,
): { readonly from: number; readonly to: number | null } =>
  step === null
    ? { from: PRICE_BUCKET_EDGES[number - 1] ?? 0, to: PRICE_BUCKET_EDGES[number] ?? null }
    : { from: (number - 1) * step, to: number * step };
