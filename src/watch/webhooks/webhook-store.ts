// SQL of webhooks: added, moved to another URL, removed, resumed, disabled, and given new secrets.

import { DAY } from '../../lib/clock.ts';
import type { Sql, SqlFragment, Transaction } from '../../postgres/client/database.ts';
import { dayOf } from '../../postgres/client/day-partitions.ts';
import { notify } from '../../postgres/client/listen.ts';
import { WEBHOOKS_CHANNEL } from '../events/wake-webhooks-store.ts';
import type { ClaimedWebhook } from './claimed-webhook.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookUrl } from './webhook-access.ts';

/** The watcher that webhooks belong to. */
export interface WebhookWatcher {
  readonly no: number;
  readonly id: string;
}

/** A webhook with what a change of it needs. */
export interface StoredWebhook {
  readonly no: number;
  readonly id: string;
  readonly url: string;
  readonly place: number;
  readonly status: Webhook['status'];
  /** Sealed; its additional data is the id of the watcher. */
  readonly secret: Buffer;
}

/** A webhook to add. */
export interface NewWebhook extends WebhookUrl {
  readonly id: string;
  readonly place: number;
  /** Sealed. */
  readonly secret: Buffer;
}

/** The webhooks of a watcher, of the table or alias `watcher`, as `Webhook[]`. */
export function deliveryColumn(sql: Sql): SqlFragment {
  return sql`(
    select coalesce(json_agg(json_build_object('id', webhook.id, 'type', 'webhook', 'url', webhook.url, 'status', webhook.status,
      'lastSuccessAt', to_char(webhook.last_success_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      order by webhook.place), '[]')
    from webhook where webhook.watcher_no = watcher.no) as delivery`;
}

/** The webhooks of a watcher, locked until the transaction ends. */
export async function lockWebhooks(tx: Transaction, watcher: WebhookWatcher): Promise<StoredWebhook[]> {
  return tx<StoredWebhook[]>`
    select no, id, url, place, status, secret from webhook where watcher_no = ${watcher.no} order by place for update`;
}

/**
 * Adds webhooks. Those that are made with their watcher get all its events; later ones those that come from now on.
 * @param isNew whether the watcher is made in this transaction
 */
export async function insertWebhooks(
  tx: Transaction,
  watcher: WebhookWatcher,
  webhooks: readonly NewWebhook[],
  { now, isNew }: { readonly now: Date; readonly isNew: boolean },
): Promise<void> {
  const position = isNew ? tx`0` : tx`(select position + 1 from watch_position)`;
  for (const { id, place, url, host, isInner, secret } of webhooks)
    await tx`
      insert into webhook (id, watcher_no, watcher_id, place, url, host, is_inner, status, secret, position_sequence,
        position_day, verify_started_at, created_at, updated_at)
      values (${id}, ${watcher.no}, ${watcher.id}, ${place}, ${url}, ${host}, ${isInner}, 'unverified', ${secret},
        ${position}, ${dayOf(now.getTime() - DAY)}::date, ${now}, ${now}, ${now})`;
}

/** The position of an entry in the list, and the URL that it has from now on. */
export interface WebhookMove {
  readonly no: number;
  readonly place: number;
  /** Null: it keeps its URL. */
  readonly url: WebhookUrl | null;
}

/** Keeps these webhooks, in their new places, and removes all others of the watcher. One with a new URL has to prove it. */
export async function updateWebhooks(
  tx: Transaction,
  watcher: WebhookWatcher,
  moves: readonly WebhookMove[],
  now: Date,
): Promise<void> {
  const kept = moves.map(({ no }) => no);
  await tx`delete from webhook where watcher_no = ${watcher.no} and no <> all(${kept}::bigint[])`;
  for (const { no, place, url } of moves) {
    await tx`update webhook set place = ${place} where no = ${no} and place <> ${place}`;
    if (url === null) continue;
    // Without its claim, what a process hears from the former URL is not written.
    await tx`
      update webhook set url = ${url.url}, host = ${url.host}, is_inner = ${url.isInner}, status = 'unverified', attempt = 0,
        failures = 0, due_at = null, retry_at = null, wakes = wakes + 1, test_sequence = null, failing_since = null,
        last_success_at = null, last_error = null, verify_started_at = ${now}, claim = null, claimed_until = null, updated_at = ${now}
      where no = ${no}`;
  }
}

/** Ends the backoff of a watcher's webhooks, and lets disabled ones prove themselves; whether there was any of these. */
export async function resumeWebhooks(
  tx: Transaction,
  watcher: WebhookWatcher,
  now: Date,
): Promise<{ readonly isVerifying: boolean }> {
  const rows = await tx<{ verifying: boolean }[]>`
    with present as (
      select no, status = 'disabled' as verifying from webhook where watcher_no = ${watcher.no} for update
    )
    update webhook set due_at = ${now}, retry_at = null, attempt = 0, failures = 0, wakes = wakes + 1, updated_at = ${now},
      status = case when verifying then 'unverified' else status end,
      verify_started_at = case when verifying then ${now} else verify_started_at end,
      failing_since = case when verifying then null else failing_since end
    from present where webhook.no = present.no returning verifying`;
  if (rows.length > 0) await notify(tx, WEBHOOKS_CHANNEL, '');
  return { isVerifying: rows.some(({ verifying }) => verifying) };
}

/** Gives a webhook another secret; the present one signs too until `until`. */
export async function rotateSecret(
  tx: Transaction,
  { no }: Pick<StoredWebhook, 'no'>,
  secret: Buffer,
  { now, until }: { readonly now: Date; readonly until: Date },
): Promise<void> {
  await tx`
    update webhook set previous_secret = secret, previous_secret_until = ${until}, secret = ${secret}, updated_at = ${now}
    where no = ${no}`;
}

/** Disables a webhook and gives it back; false: it is not under this claim any more. */
export async function disableClaimed(
  sql: Sql,
  { no, claim }: Pick<ClaimedWebhook, 'no' | 'claim'>,
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    update webhook set status = 'disabled', due_at = null, retry_at = null, pending_since = null, test_sequence = null,
      claim = null, claimed_until = null, updated_at = ${now}
    where no = ${no} and claim = ${claim} returning no`;
  return rows.length > 0;
}

/** Whether a watcher has a webhook that is not disabled. */
export async function isAnyEnabled(sql: Sql, watcherNo: number): Promise<boolean> {
  const rows =
    await sql`select from webhook where watcher_no = ${watcherNo} and status <> 'disabled' limit 1`;
  return rows.length > 0;
}
