// Private entries of the log of changes about months that are nearly used up: of an owner, and of no watcher.

/** In place of the id of a watcher. */
export const QUOTA_WATCHER = 'account';
export const QUOTA_ACTION = 'quota';

/** What the entry has; without the owner, what its event shows. */
export interface QuotaReached {
  readonly owner: string;
  /** Percent of the month that are used. */
  readonly threshold: number;
  /** Its first day, YYYY-MM-DD. */
  readonly month: string;
  /** Requests that it allows. */
  readonly quota: number;
}
