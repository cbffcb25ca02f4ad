// SQL that makes webhooks due, in the transaction that writes the events of their watchers.

import type { Sql } from '../../postgres/client/database.ts';
import type { EventDraft } from './event.ts';

/** Channel that wakes the dispatchers of webhooks: there is something to send. */
export const WEBHOOKS_CHANNEL = 'webhooks';

/** The events of a batch for one watcher. */
interface WatcherNews {
  /** The first event's. */
  readonly at: number;
  /** Of a `watcher.test`; null: there is none. */
  readonly testSequence: number | null;
  readonly hasQueued: boolean;
}

/**
 * Makes the webhooks of these watchers due: at once for a test, else at the end of their pause. Each row is locked and counted,
 * whatever its state, so that a dispatcher that ends its work at the same time sees that more has come.
 */
export async function wakeWebhooks(tx: Sql, events: readonly EventDraft[]): Promise<void> {
  if (events.length === 0) return;
  const newsOf = new Map<string, WatcherNews>();
  for (const { watcherId, at, type, sequence } of events) {
    const before = newsOf.get(watcherId);
    const isTest = type === 'watcher.test';
    newsOf.set(watcherId, {
      at: Math.min(at, before?.at ?? at),
      testSequence: isTest ? sequence : (before?.testSequence ?? null),
      hasQueued: !isTest || before?.hasQueued === true,
    });
  }
  const news = [...newsOf.values()];
  await tx`
    with news as (
      select watcher_id, to_timestamp(at / 1000) as at, sequence, has_queued = 1 as has_queued
      from unnest(${[...newsOf.keys()]}::text[], ${news.map(({ at }) => at)}::float8[],
        ${news.map(({ testSequence }) => testSequence)}::bigint[], ${news.map(({ hasQueued }) => Number(hasQueued))}::int[])
        as news (watcher_id, at, sequence, has_queued)
    ), locked as (
      select no, at, sequence, has_queued from webhook join news using (watcher_id) order by no for update of webhook
    ), woken as (
      update webhook set wakes = wakes + 1, test_sequence = coalesce(sequence, test_sequence),
        pending_since = case when has_queued then coalesce(pending_since, at) else pending_since end,
        due_at = case when status = 'disabled' then due_at
          when sequence is not null then least(due_at, at)
          when status = 'unverified' then due_at else coalesce(due_at, at) end
      from locked where webhook.no = locked.no returning status
    )
    select pg_notify(${WEBHOOKS_CHANNEL}, '') from woken where status <> 'disabled' limit 1`;
}
