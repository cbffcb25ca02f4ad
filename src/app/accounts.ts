// What is known and said of accounts: counts of what counts against their limits, and notices of their months.

import type { OnReached } from '../access/limits/monthly-quota.ts';
import type { Clock } from '../lib/clock.ts';
import { countGrantsOf, setGrantWatched } from '../oauth/consents/grant-store.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { announceQuota } from '../watch/announce-quota.ts';
import { findOwnerPlan } from '../watch/owner-store.ts';
import { countWatchers } from '../watch/watcher-store.ts';

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
