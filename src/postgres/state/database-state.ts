// State of a database: whether it may be served, whether it may act on the outside, and what to do where it may not.

export type DatabaseStateName = 'serving' | 'closing' | 'closed' | 'restoring' | 'restored' | 'copy';

export interface DatabaseState {
  readonly name: DatabaseStateName;
  /** Since when, RFC 3339. */
  readonly since: string;
  /** When the backup was taken that it was restored from, RFC 3339; null: it was not. */
  readonly backupAt: string | null;
}

/** That of a database without a mark: one that is empty, or of a release before marks. */
export const UNMARKED: DatabaseState = { name: 'serving', since: new Date(0).toISOString(), backupAt: null };

/** Whether processes answer from it and write to it. */
export function isServable({ name }: DatabaseState): boolean {
  return name === 'serving' || name === 'restored' || name === 'copy';
}

/** Whether it may act on the outside: deliver to webhooks, read sources, write to payment services. */
export function isOutgoing({ name }: DatabaseState): boolean {
  return name === 'serving';
}

/** Why the database may not be served or act on the outside, with the remedy; null: it may do both. */
export function describeRestriction({ name, since, backupAt }: DatabaseState): string | null {
  switch (name) {
    case 'serving':
      return null;
    case 'closing':
      return 'A final backup of this database is being taken. Try again once it is complete.';
    case 'closed':
      return (
        `This database was closed by a final backup at ${since}: the one restored from it serves in its place. ` +
        'To serve this one again, run `freehold restore accept`.'
      );
    case 'restoring':
      return (
        'This database is being restored, or its restore was interrupted: it holds nothing that can be served. ' +
        'Run `freehold restore FILE` again.'
      );
    case 'restored':
      return (
        `This database was restored from a backup of ${backupAt}. Webhooks, digests, payment services and sources wait ` +
        'until `freehold restore accept`; for a copy beside the original, `freehold restore accept --as-copy`.'
      );
    case 'copy':
      return (
        `This database is a copy, from a backup of ${backupAt}: webhooks, digests, payment services and sources are off ` +
        'for good.'
      );
  }
}

/** The database may not be served now; the message says why and contains the remedy. */
export class DatabaseNotServable extends Error {
  override readonly name = 'DatabaseNotServable';
  readonly state: DatabaseState;

  constructor(state: DatabaseState) {
    super(describeRestriction(state) ?? 'The database may not be served.');
    this.state = state;
  }
}
