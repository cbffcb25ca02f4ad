// Price buckets: edges at thirds of powers of ten, which divide rents and sale prices alike.

/** Edges from 0.01 on; the first bucket starts at 0. */
const [FIRST, LAST] = [-6, 36];

/** The lower edge of each bucket, ascending. Bucket n, counted from 1, starts at edge n - 1. */
export const PRICE_BUCKET_EDGES: readonly number[] = [
  0,
  ...Array.from({ length: LAST - FIRST + 1 }, (_, at) => Math.round(10 ** ((FIRST + at) / 3 + 2)) / 100),
];

/** The bounds of a bucket by its number from 1; `to` is exclusive, null for the last. */
export const priceBucket = (number: number): { readonly from: number; readonly to: number | null } => ({
  from: PRICE_BUCKET_EDGES[number - 1] ?? 0,
  to: PRICE_BUCKET_EDGES[number] ?? null,
});
