// Price buckets of the facet `priceBucket`: thirds of powers of ten, which part rents and sale prices alike.

/** From 0.01 on; below is one bucket that begins with 0. */
const [FIRST, LAST] = [-6, 36];

/** Where each bucket begins, in cents; the next one begins where it ends. */
export const BUCKET_EDGES: readonly number[] = [
  0,
  ...Array.from({ length: LAST - FIRST + 1 }, (_, at) => Math.round(10 ** ((FIRST + at) / 3 + 2)) / 100),
];

/** The bounds of a bucket by its number, the first being 1; `to` is not in it any more, and null: no end. */
export function bucketOf(number: number): { readonly from: number; readonly to: number | null } {
  return { from: BUCKET_EDGES[number - 1] ?? 0, to: BUCKET_EDGES[number] ?? null };
}
