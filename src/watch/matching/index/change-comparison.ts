// Comparison of a change with watchers: both sides as columns and keys are compared with them, and what may differ between them.

import type { ListingChange } from '../../../changes/change.ts';
import type { ChangeState } from '../../../listings/change-state.ts';
import { type ChangedWords, rowBefore } from './change-sides.ts';
import {
  ALL_READS,
  FLAG_WANTS_CHANGES,
  READS,
  type RowValues,
  readsOfColumns,
  rowValues,
} from './columns.ts';
import type { ListingSide } from './index-keys.ts';

/** A change as watchers are compared with it. */
export interface Comparison {
  /** Flags of watchers that the change may concern. */
  readonly interest: number;
  readonly after: ComparedSide;
  readonly before: ComparedSide | null;
}

export interface ComparedSide extends ListingSide {
  readonly values: RowValues;
}

export function comparisonOf(
  change: ListingChange<ChangeState>,
  words: ChangedWords | null,
  interest: number,
): Comparison {
  const { listingId, propertyId } = change;
  const previous = rowBefore(change);
  return {
    interest,
    after: {
      listingId,
      propertyId,
      row: change.after.row,
      words: words?.after ?? null,
      values: rowValues(change.after.row),
    },
    before: previous && {
      listingId,
      propertyId: change.before?.listing?.propertyId ?? propertyId,
      row: previous,
      words: words?.before ?? null,
      values: rowValues(previous),
    },
  };
}

/** The flags of watchers that a change may concern. */
export function interestOf({ before, changed }: ListingChange<ChangeState>): number {
  if (before === null) return FLAG_WANTS_CHANGES | ALL_READS;
  const reads = readsOfColumns(Object.keys(before.row ?? {}));
  return FLAG_WANTS_CHANGES | reads | (changed.includes('words') ? READS.words : 0);
}

/** Whether a column of the row, the words or the property may differ between the sides of a change. */
export function isChangedBy({ before, changed }: ListingChange<ChangeState>): (name: string) => boolean {
  return (name) =>
    name === 'words'
      ? changed.includes('words')
      : Object.hasOwn((name === 'propertyId' ? before?.listing : before?.row) ?? {}, name);
}
