// Sides of a change: the listing before it and after it, and what differs between them.

import type { ListingChange } from '../../../changes/change.ts';
import type { ChangeState } from '../../../listings/change-state.ts';
import type { SearchRow } from '../../../listings/search-row.ts';

export const BEFORE = 1;
export const AFTER = 2;
export const BOTH = BEFORE | AFTER;

/** The words of a listing around a change; null: there was no listing. */
export interface ChangedWords {
  readonly before: ReadonlySet<string> | null;
  readonly after: ReadonlySet<string>;
}

/** The row before a change; null: there was none. */
export const rowBefore = ({ before, after }: ListingChange<ChangeState>): SearchRow | null =>
  before === null ? null : { ...after.row, ...before.row };

/** A listing on one side of a change. */
export interface ListingSide {
  readonly listingId: string;
  readonly propertyId: string;
  readonly row: SearchRow;
  /** Null: they are not known. */
  readonly words: ReadonlySet<string> | null;
}

/** A column of the row, the words of the listing, or its property. */
export type ListingPart = keyof SearchRow | 'words' | 'propertyId';

export interface ChangeSides {
  readonly after: ListingSide;
  /** Null: the listing is new. */
  readonly before: ListingSide | null;
  /** Whether a part may differ between the sides. */
  isChanged(part: ListingPart): boolean;
}

export function sidesOf(change: ListingChange<ChangeState>, words: ChangedWords | null): ChangeSides {
  const { listingId, propertyId, before, changed } = change;
  const row = rowBefore(change);
  return {
    after: { listingId, propertyId, row: change.after.row, words: words?.after ?? null },
    before: row && {
      listingId,
      propertyId: before?.listing?.propertyId ?? propertyId,
      row,
      words: words?.before ?? null,
    },
    isChanged(part) {
      if (before === null) return true;
      if (part === 'words') return changed.includes('words');
      return Object.hasOwn((part === 'propertyId' ? before.listing : before.row) ?? {}, part);
    },
  };
}
