// Wiring of owners: the status of their subscriptions and grants, counts of what is theirs, and notices of their months.

import { createOwnerStatus, type OwnerStatus, type OwnerStatusOptions } from '../access/keys/owner-status.ts';
import type { OnReached } from '../access/limits/monthly-quota.ts';
import type { Clock } from '../lib/clock.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import { countGrantsOf, findGrantState, setGrantWatched } from '../oauth/consents/grant-store.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { announceQuota } from '../watch/announce-quota.ts';
import { findOwnerPlan } from '../watch/owner-store.ts';
import { countWatchers } from '../watch/watcher-store.ts';

/** Status of owners, with hints of revocations. */
export function followOwners(
  options: Omit<OwnerStatusOptions, 'findGrantState'> & {
    readonly database: Database;
    readonly clock: Clock;
  },
  oauth: Pick<AuthorizationServer, 'onRevoked'>,
): OwnerStatus {
  const { database, clock } = options;
  const ownerStatus = createOwnerStatus({
    ...options,
    findGrantState: (grant) =>
      database.read((sql) => findGrantState(sql, Number(grant), new Date(clock.now()))),
  });
  oauth.onRevoked((revocation) => {
    const [kind, grant = ''] = revocation.split(':');
    if (kind === 'grant') ownerStatus.hint({ grant });
  });
  return ownerStatus;
}

/** Of the quotas of subscriptions and grants, whose owners have events. */
export const quotaAnnouncer =
  (database: Database, clock: Clock): OnReached =>
  ({ account, ...reached }) =>
    announceQuota(database, account, reached, clock.now());

export const grantWatching = (clock: Clock) => (tx: Transaction, grant: string, isWatched: boolean) =>
  setGrantWatched(tx, grant, isWatched, new Date(clock.now()));

/** What pages and limits need to know of accounts. */
export const accountReads = (database: Database, clock: Clock) => ({
  countWatchers: (account: string) => database.read((sql) => countWatchers(sql, account)),
  findOwnerPlan: (owner: string) => database.read((sql) => findOwnerPlan(sql, owner)),
  countApps: (subscription: string) =>
    database.read((sql) => countGrantsOf(sql, subscription, new Date(clock.now()))),
});
