// Sides of a change: the listing before it and after it.

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
