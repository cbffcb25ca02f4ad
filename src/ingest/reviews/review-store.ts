// SQL of reviews of stored rows: how far each has come.

import type { Sql, Transaction } from '../../postgres/client/database.ts';

/** What the rules of this release judge otherwise than those that it was stored by. */
export type Review = 'properties' | 'areas' | 'places' | 'lost';

export interface ReviewProgress {
  readonly name: Review;
  /** The last id that was reviewed; empty: none. */
  readonly reviewedThrough: string;
}

/** The reviews that are not finished. */
export async function findUnfinishedReviews(sql: Sql): Promise<ReviewProgress[]> {
  return sql<ReviewProgress[]>`
    select name, reviewed_through as "reviewedThrough" from stored_review where finished_at is null order by name desc`;
}

/** Notes the last id that was reviewed; null: there are no more. */
export async function updateReview(tx: Transaction, name: Review, through: string | null): Promise<void> {
  await tx`
    update stored_review set reviewed_through = coalesce(${through}::text, reviewed_through),
      finished_at = case when ${through}::text is null then clock_timestamp() end
    where name = ${name}`;
}

/** Starts a review over. */
export async function startReview(tx: Transaction, name: Review): Promise<void> {
  await tx`update stored_review set reviewed_through = '', finished_at = null where name = ${name}`;
}
