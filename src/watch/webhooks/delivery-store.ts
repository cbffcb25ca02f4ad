// SQL of deliveries as their owners see them: listed, found, and asked for once more.

import type { Sql, SqlFragment, Transaction } from '../../postgres/client/database.ts';
import { notify } from '../../postgres/client/listen.ts';
import { WEBHOOKS_CHANNEL } from '../events/wake-webhooks-store.ts';
import type { WebhookStatus } from './webhook.ts';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'parked'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An event for a webhook, with its last attempt. Times are RFC 3339. */
export interface Delivery extends DeliveryPosition {
  readonly id: string;
  readonly webhookId: string;
  readonly url: string;
  readonly eventId: string;
  readonly watcherId: string;
  readonly attempt: number;
  readonly status: DeliveryStatus;
  readonly httpStatus: number | null;
  /** Milliseconds. */
  readonly latencyMs: number | null;
  /** First bytes of the answer. */
  readonly response: string | null;
  readonly error: string | null;
  readonly at: string;
  readonly nextAttemptAt: string | null;
}

/** Place of a delivery among those of its watcher. */
export interface DeliveryPosition {
  readonly sequence: number;
  readonly type: string;
  readonly ordinal: number;
  readonly webhookNo: number;
}

export interface DeliveryListRequest {
  readonly watcherId: string;
  readonly status: DeliveryStatus | undefined;
  /** The delivery that the page continues after; null: the newest. */
  readonly after: DeliveryPosition | null;
  readonly limit: number;
}

/** Deliveries of a watcher to the webhooks that it has, the newest event first. */
export async function listDeliveries(sql: Sql, request: DeliveryListRequest): Promise<Delivery[]> {
  const { watcherId, status, after, limit } = request;
  const isStatus = status === undefined ? sql`` : sql`and delivery.status = ${status}`;
  const isAfter =
    after === null
      ? sql``
      : sql`and (sequence, type, ordinal, webhook_no) < (${after.sequence}::bigint, ${after.type}, ${after.ordinal}::int, ${after.webhookNo}::bigint)`;
  return sql<Delivery[]>`
    select ${deliveryColumns(sql)} from webhook_delivery as delivery join webhook on webhook.no = delivery.webhook_no
    where delivery.watcher_id = ${watcherId} ${isStatus} ${isAfter}
    order by sequence desc, type desc, ordinal desc, webhook_no desc limit ${limit}`;
}

const deliveryColumns = (sql: Sql): SqlFragment => sql`
  delivery.id, webhook.id as "webhookId", webhook.url, event_id as "eventId", delivery.watcher_id as "watcherId",
  delivery.attempt, delivery.status, http_status as "httpStatus", latency_ms as "latencyMs", response, error, at,
  next_attempt_at as "nextAttemptAt", sequence, type, ordinal, webhook_no as "webhookNo"`;

/** A delivery that was asked for, with what its webhook can do now. */
export interface FoundDelivery {
  readonly delivery: Delivery;
  readonly webhookStatus: WebhookStatus;
  /** Whether its owner has paused the watcher. */
  readonly isPaused: boolean;
}

/** A delivery, whose webhook stays locked until the transaction ends. Null: the watcher has no such delivery. */
export async function lockDelivery(
  tx: Transaction,
  { watcherId, id }: { readonly watcherId: string; readonly id: string },
): Promise<FoundDelivery | null> {
  const [row] = await tx<(Delivery & Omit<FoundDelivery, 'delivery'>)[]>`
    select ${deliveryColumns(tx)}, webhook.status as "webhookStatus",
      exists (select from watcher where no = watcher_no and watcher.status = 'paused' and status_reason = 'owner') as "isPaused"
    from webhook_delivery as delivery join webhook on webhook.no = delivery.webhook_no
    where delivery.id = ${id} and delivery.watcher_id = ${watcherId} for update of webhook`;
  if (row === undefined) return null;
  const { webhookStatus, isPaused, ...delivery } = row;
  return { delivery, webhookStatus, isPaused };
}

/** Asks for one more attempt of a locked delivery, out of turn. */
export async function requestRedelivery(
  tx: Transaction,
  { id, watcherId, webhookNo }: Pick<Delivery, 'id' | 'watcherId' | 'webhookNo'>,
  now: Date,
): Promise<void> {
  await tx`
    update webhook_delivery set redeliver_at = ${now} where id = ${id} and watcher_id = ${watcherId}`;
  await tx`
    update webhook set due_at = least(due_at, ${now}), wakes = wakes + 1 where no = ${webhookNo}`;
  await notify(tx, WEBHOOKS_CHANNEL, '');
}
