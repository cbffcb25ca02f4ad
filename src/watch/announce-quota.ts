// Announcement of a month that is nearly used up: an event in the log of its owner, once, whichever process notices.

import { appendPrivateEntries } from '../changes/change-store.ts';
import type { Database } from '../postgres/client/database.ts';
import { QUOTA_ACTION, QUOTA_WATCHER, type QuotaReached } from './events/quota-entry.ts';
import { insertNotice } from './quota-store.ts';

/** Milliseconds. */
const TIMEOUT = 10_000;

/** Notes it, and appends the entry that becomes the event. `at` in milliseconds. Throws DATABASE_UNAVAILABLE. */
export async function announceQuota(
  database: Database,
  account: string,
  reached: QuotaReached,
  at: number,
): Promise<void> {
  await database.transaction(
    async (tx) => {
      if (!(await insertNotice(tx, account, reached, new Date(at)))) return;
      await appendPrivateEntries(tx, [{ watcherId: QUOTA_WATCHER, action: QUOTA_ACTION, data: reached }], at);
    },
    { timeout: TIMEOUT },
  );
}
