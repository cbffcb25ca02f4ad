// Disabling of a webhook that does not take what it is sent, and of its watcher with the last one.

import { appendPrivateEntries } from '../changes/change-store.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { definitionOf } from './matching/watcher-definition.ts';
import { findAnyWatcher } from './operator-store.ts';
import { lockAllowance, updateWatcher } from './watcher-store.ts';
import type { DisableReason } from './webhooks/attempt-rules.ts';
import type { ClaimedWebhook } from './webhooks/claimed-webhook.ts';
import { disableClaimed, isAnyEnabled } from './webhooks/webhook-store.ts';

export interface DisableOptions {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Disables a webhook under its claim, and logs an entry that its owner receives as `watcher.disabled`. A watcher without any
 * enabled webhook is disabled too: its owner resumes it. Nothing happens if the claim was lost.
 */
export async function disableWebhook(
  { database, clock }: DisableOptions,
  webhook: ClaimedWebhook,
  reason: DisableReason,
): Promise<void> {
  const now = clock.now();
  await database.transaction(async (tx) => {
    const known = await findAnyWatcher(tx, webhook.watcherId);
    if (known === null) return;
    // Every change of a status takes this lock first.
    await lockAllowance(tx, known.allowance);
    const watcher = await findAnyWatcher(tx, webhook.watcherId);
    if (watcher === null || !(await disableClaimed(tx, webhook, new Date(now)))) return;
    const isLast = watcher.status === 'active' && !(await isAnyEnabled(tx, watcher.no));
    const changed = isLast
      ? await updateWatcher(
          tx,
          watcher,
          { ...watcher, status: 'disabled', statusReason: 'delivery_failed' },
          new Date(now),
        )
      : watcher;
    const data = { ...definitionOf(changed), webhook: { id: webhook.id, reason } };
    await appendPrivateEntries(tx, [{ watcherId: watcher.id, action: 'disabled', data }], now);
  });
}
