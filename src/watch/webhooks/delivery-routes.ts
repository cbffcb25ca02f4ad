// Routes of deliveries: listed, and sent once more.

import { Type } from 'typebox';
import { TierSchema } from '../../access/tiers/tier-schema.ts';
import { type Principal, pageSize, type Tiers } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { queryDigest, readCursor, writeCursor } from '../../http/input/cursor.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import { ownerOfCaller, requireOwnWatcher, WatcherParams } from '../events/own-watcher.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryPosition,
  type DeliveryStatus,
  listDeliveries,
  lockDelivery,
  requestRedelivery,
} from './delivery-store.ts';
import type { WebhookLimits } from './webhook-limits.ts';

export interface DeliveryRouteOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly webhooks: { readonly limits: Pick<WebhookLimits, 'take'> };
}

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const statusSchema = Type.Unsafe<DeliveryStatus>({
  type: 'string',
  enum: [...DELIVERY_STATUSES],
  description:
    '`failed`: the next attempt is at `nextAttemptAt`; null: none follows unless you ask. `parked`: the schedule is used up, and ' +
    'the events behind it go on. `pending`: not answered yet.',
});

export const DeliverySchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('delivery'),
    webhookId: Type.String(),
    eventId: Type.String({ description: 'The header `webhook-id`: the same in every attempt.' }),
    eventType: Type.Enum(Object.keys(EVENT_TYPES)),
    watcherId: Type.String(),
    attempt: Type.Integer({ description: 'Attempts so far.' }),
    status: statusSchema,
    httpStatus: nullable(Type.Integer({ description: 'Of the last answer; null: there was none.' })),
    latencyMs: nullable(Type.Integer({ description: 'Of the last attempt.' })),
    response: nullable(
      Type.String({
        description:
          'First 1,000 bytes of the last answer. Null for an inner network, and where there was no answer.',
      }),
    ),
    error: nullable(Type.String({ description: 'Why the last attempt failed.' })),
    at: Type.String({ format: 'date-time', description: 'When the last attempt was made.' }),
    nextAttemptAt: nullable(Type.String({ format: 'date-time' })),
  },
  { $id: 'Delivery', description: 'An event for a webhook, with the last attempt to deliver it.' },
);

const DeliveryListSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(DeliverySchema),
    page: Type.Object({
      limit: Type.Integer(),
      hasMore: Type.Boolean(),
      nextCursor: nullable(Type.String()),
    }),
    meta: Type.Object({ requestId: Type.String(), tier: TierSchema }),
  },
  { $id: 'DeliveryList', description: 'One page of deliveries, the newest event first.' },
);

const ListQuery = Type.Object({
  status: Type.Optional(statusSchema),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Deliveries per page, at most your tier’s page size.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 400, description: '`page.nextCursor` of another page.' })),
});

const DeliveryParams = Type.Object({
  ...WatcherParams.properties,
  delivery: Type.String({ maxLength: 60, missing: 'NOT_FOUND', description: 'The id of a delivery.' }),
});

const common = {
  tag: 'Watchers',
  access: { credentials: 'required', scope: 'watchers', counts: 'month' },
} as const;

/** The public record of a delivery. */
export function presentDelivery(delivery: Delivery) {
  const { id, webhookId, eventId, type, watcherId, attempt, status, httpStatus, latencyMs } = delivery;
  const { response, error, at, nextAttemptAt } = delivery;
  return {
    id,
    object: 'delivery',
    webhookId,
    eventId,
    eventType: type,
    watcherId,
    attempt,
    status,
    httpStatus,
    latencyMs,
    response,
    error,
    at,
    nextAttemptAt,
  };
}

export function deliveryRoutes(options: DeliveryRouteOptions): readonly Route<Principal>[] {
  const { database, tiers } = options;
  const define = route<Principal>();
  return [
    define({
      ...common,
      method: 'GET',
      path: '/v1/watchers/:id/deliveries',
      operation: 'listDeliveries',
      summary: 'List what was sent to the webhooks of a watcher',
      description: 'One for each event and webhook, for 30 days, the newest event first.',
      params: WatcherParams,
      query: ListQuery,
      answer: { description: 'A page of deliveries', schema: DeliveryListSchema },
      alsoAnswers: { 404: 'You have no watcher with this id' },
      async handle({ caller, params: { id: watcherId }, query, requestId }) {
        await requireOwnWatcher(database, caller, watcherId);
        const { status, cursor } = query;
        const limit = pageSize(tiers[caller.tier], query.limit);
        const digest = queryDigest(['deliveries', watcherId, status ?? null]);
        const wanted = { watcherId, status, after: positionOf(digest, cursor), limit: limit + 1 };
        const found = await database.read((sql) => listDeliveries(sql, wanted), { planned: 'once' });
        const page = found.slice(0, limit);
        const last = page.at(-1);
        const nextCursor = found.length > limit && last !== undefined ? cursorAt(digest, last) : null;
        return {
          json: {
            object: 'list',
            data: page.map(presentDelivery),
            page: { limit, hasMore: nextCursor !== null, nextCursor },
            meta: { requestId, tier: caller.tier },
          },
        };
      },
    }),
    define({
      ...common,
      method: 'POST',
      path: '/v1/watchers/:id/deliveries/:delivery/redeliver',
      operation: 'redeliver',
      summary: 'Send an event to a webhook once more',
      description:
        'Makes one more attempt at once, beside those that the schedule makes. The list of deliveries shows its result. Counts ' +
        'against the limits of tests: ten in any minute for an owner, sixty for a host.',
      params: DeliveryParams,
      answer: {
        status: 202,
        description: 'The delivery as it was before this attempt',
        schema: DeliverySchema,
      },
      alsoAnswers: {
        404: 'You have no such watcher, or it has no such delivery',
        409: 'The webhook is disabled or unverified, or you have paused the watcher',
      },
      async handle({ caller, params: { id: watcherId, delivery } }) {
        const json = presentDelivery(await redeliver(options, { caller, watcherId, delivery }));
        return { status: 202, json };
      },
    }),
  ];
}

export interface RedeliveryRequest {
  readonly caller: Principal;
  readonly watcherId: string;
  /** The id of the delivery. */
  readonly delivery: string;
}

/**
 * Asks for one more attempt, and returns the delivery as it was before. Throws WATCHER_NOT_FOUND, NOT_FOUND, and CONFLICT for a
 * webhook that is disabled or unverified, or paused by its owner; RATE_LIMITED by the limits of tests.
 */
export async function redeliver(
  { database, clock, webhooks }: Pick<DeliveryRouteOptions, 'database' | 'clock' | 'webhooks'>,
  { caller, watcherId, delivery: id }: RedeliveryRequest,
): Promise<Delivery> {
  await requireOwnWatcher(database, caller, watcherId);
  return database.transaction(async (tx) => {
    const found = await lockDelivery(tx, { watcherId, id });
    if (found === null) throw noDelivery();
    const { delivery, webhookStatus, isPaused } = found;
    if (isPaused) throw pausedByOwner();
    if (webhookStatus === 'disabled' || webhookStatus === 'unverified')
      throw new Problem(
        'CONFLICT',
        `The webhook is ${webhookStatus}. Resume the watcher first: its webhooks then prove their URLs again.`,
      );
    webhooks.limits.take(ownerOfCaller(caller), [new URL(delivery.url)]);
    await requestRedelivery(tx, delivery, new Date(clock.now()));
    return delivery;
  });
}

/** A 409 for what would wait until the owner resumes the watcher. */
export const pausedByOwner = (): Problem =>
  new Problem('CONFLICT', 'You have paused the watcher: nothing is sent until you resume it.');

const noDelivery = (): Problem =>
  new Problem(
    'NOT_FOUND',
    'The watcher has no delivery with this id. GET /v1/watchers/{id}/deliveries lists those of the last 30 days.',
  );

const cursorAt = (query: string, { sequence, type, ordinal, webhookNo, id }: Delivery): string =>
  writeCursor({ query, direction: 'next', startedAt: 0, values: [sequence, type, ordinal, webhookNo], id });

/** Throws INVALID_CURSOR. */
function positionOf(query: string, cursor: string | undefined): DeliveryPosition | null {
  if (cursor === undefined) return null;
  const [sequence, type, ordinal, webhookNo] = readCursor(cursor, query, [
    'number',
    'text',
    'number',
    'number',
  ]).values;
  return {
    sequence: Number(sequence),
    type: String(type),
    ordinal: Number(ordinal),
    webhookNo: Number(webhookNo),
  };
}
