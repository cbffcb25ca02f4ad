// Schemas of watchers: the record, and the bodies that create and change one.

import { type TSchema, Type } from 'typebox';
import { TierSchema } from '../access/tiers/tier-schema.ts';
import { CADENCES, type Cadence } from '../access/tiers/tiers.ts';
import { PageSchema } from '../listings/paging.ts';
import { nullable } from '../listings/record.ts';
import { LISTING_TYPES, type ListingType } from '../listings/vocabulary.ts';
import { describeSavedQuery } from '../search/query/saved-query.ts';
import { EVENT_TYPES, type EventType, eventsOf, type TargetType } from './events/event-types.ts';
import { MarketTargetSchema } from './market-target.ts';
import { DeliveryCreateSchema, DeliveryUpdateSchema, WebhookSchema } from './webhooks/webhook-body.ts';

/** Largest body. */
export const BODY_BYTES = 32_768;
/** Keys of `metadata`, and characters of a key and of a value. */
export const METADATA = { keys: 16, keyLength: 40, valueLength: 500 } as const;
export const METADATA_KEY = new RegExp(`^.{1,${METADATA.keyLength}}$`, 'u');
/** Characters of a name. */
const NAME_LENGTH = 200;
/** Event types in a list. */
const MAX_EVENTS = 40;

const id = (description: string) => Type.String({ minLength: 1, maxLength: 120, description });

const listingTarget = Type.Object(
  { type: Type.Literal('listing'), listingId: id('The id of a listing.') },
  { additionalProperties: false, description: 'One listing.' },
);
const propertyTarget = Type.Object(
  { type: Type.Literal('property'), propertyId: id('The id of a property.') },
  { additionalProperties: false, description: 'All listings of one property, later ones included.' },
);
const searchWith = (listingType: TSchema, query: TSchema) =>
  Type.Object(
    { type: Type.Literal('search'), listingType, query },
    { additionalProperties: false, description: 'Every listing that matches a search.' },
  );
const searchTarget = searchWith(
  Type.Unsafe<ListingType>({ type: 'string', enum: [...LISTING_TYPES] }),
  Type.Record(Type.String(), Type.Unknown()),
);

/** Targets as documented; the query of a search is checked by the search itself, a market target by its own reader. */
const DOCUMENTED_TARGET = Type.Union([
  listingTarget,
  propertyTarget,
  searchWith(Type.Literal('sale'), describeSavedQuery('sale', 'WatchedSales')),
  searchWith(Type.Literal('rental'), describeSavedQuery('rental', 'WatchedRentals')),
  MarketTargetSchema,
]);

const TARGETS = {
  listing: listingTarget,
  property: propertyTarget,
  search: searchTarget,
  market: Type.Object({ type: Type.Literal('market') }),
} as const;

const events = Type.Array(Type.String({ maxLength: 60 }), {
  minItems: 1,
  maxItems: MAX_EVENTS,
  uniqueItems: true,
  description:
    'Event types to send. Default: of a search `search.match_added` and `search.match_removed`, of a listing or a ' +
    `property all. A search can also send ${list('search')}. Events about the watcher itself are always sent.`,
});
const name = nullable(
  Type.String({ minLength: 1, maxLength: NAME_LENGTH, description: 'A name for people; yours to choose.' }),
);
const CADENCE_DESCRIPTION =
  'How soon events are sent: each at once (`instant`), or together in a digest on the hour, at 08:00, or on Mondays at 08:00 ' +
  'in its time zone.';
const cadence = nullable(
  Type.Unsafe<Cadence>({
    type: 'string',
    enum: [...CADENCES],
    description: `${CADENCE_DESCRIPTION} Null, the default: the fastest that your tier has.`,
  }),
);
const timeZone = Type.String({
  minLength: 1,
  maxLength: 60,
  description:
    'IANA name of the time zone of digests, such as America/Chicago. Default: that of the area or the listing that is ' +
    'watched, else UTC.',
});
const expiresAt = nullable(
  Type.String({
    format: 'date-time',
    maxLength: 40,
    description: 'When the watcher ends, RFC 3339. Null: never.',
  }),
);
const metadataOf = (value: TSchema) =>
  Type.Record(Type.String({ pattern: METADATA_KEY.source }), value, {
    maxProperties: 2 * METADATA.keys,
    additionalProperties: false,
    description: `Up to ${METADATA.keys} texts of your own under keys of up to ${METADATA.keyLength} characters.`,
  });
const text = Type.String({ maxLength: METADATA.valueLength });

/** The event types that only a search does not send by itself. */
function list(target: TargetType): string {
  return eventsOf(target)
    .filter((type) => !type.startsWith('search.'))
    .map((type) => `\`${type}\``)
    .join(', ');
}

const changeable = {
  name: Type.Optional(name),
  events: Type.Optional(events),
  cadence: Type.Optional(cadence),
  timeZone: Type.Optional(timeZone),
  expiresAt: Type.Optional(expiresAt),
};

const bodyWith = (target: TSchema, options: object = {}) =>
  Type.Object(
    {
      target,
      ...changeable,
      delivery: Type.Optional(DeliveryCreateSchema),
      metadata: Type.Optional(metadataOf(text)),
      backfill: Type.Optional(
        Type.Boolean({
          description:
            'True: what matches now is sent as events too. Default false: only what changes from now on.',
        }),
      ),
    },
    { additionalProperties: false, ...options },
  );

/** Body of POST /v1/watchers, as documented. */
export const WatcherCreateSchema = bodyWith(DOCUMENTED_TARGET, {
  $id: 'WatcherCreate',
  description: 'What to watch, and what to be notified of.',
});

/** The same with each type of target, so that an error names the member. */
export const CREATE_SCHEMAS: Readonly<Record<TargetType, TSchema>> = {
  listing: bodyWith(TARGETS.listing),
  property: bodyWith(TARGETS.property),
  search: bodyWith(TARGETS.search),
  market: bodyWith(TARGETS.market),
};

/** Body of PATCH /v1/watchers/{id}. */
export const WatcherUpdateSchema = Type.Object(
  {
    ...changeable,
    delivery: Type.Optional(DeliveryUpdateSchema),
    metadata: Type.Optional(metadataOf(nullable(text))),
  },
  {
    $id: 'WatcherUpdate',
    additionalProperties: false,
    description:
      'Members to change; others stay. `metadata` is merged key by key, and null removes a key. The target stays: ' +
      'create another watcher instead.',
  },
);

const time = Type.String({ format: 'date-time' });
const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });

export const STATUSES = ['active', 'paused', 'disabled', 'expired'] as const;

export const WatcherSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('watcher'),
    name: nullable(Type.String()),
    target: DOCUMENTED_TARGET,
    interpretation: nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Of a search: the areas, words, currency and units that were understood, and in `suggestions` the names that no ' +
          'listing has yet with those that may be meant. They stay as they are, whatever is ' +
          'renamed or added later. Of a market figure: its area, time zone, currency and unit.',
      }),
    ),
    events: Type.Array(oneOf(Object.keys(EVENT_TYPES) as EventType[], 'The event types that it sends.')),
    delivery: Type.Array(WebhookSchema, { description: 'Its webhooks.' }),
    cadence: oneOf(
      CADENCES,
      `${CADENCE_DESCRIPTION} As you asked, or as your tier allows where that is slower.`,
    ),
    timeZone: Type.String({ description: 'IANA name of the time zone of its digests.' }),
    backfill: Type.Boolean(),
    status: oneOf(STATUSES, 'Only an active watcher sends events.'),
    statusReason: nullable(
      oneOf(
        ['owner', 'over_limit', 'subscription_ended', 'delivery_failed'],
        'Why it is paused or disabled. `owner`: you paused it. `over_limit`: your plan allows fewer watchers, and this one ' +
          'is among the newest. `subscription_ended`: no subscription of yours is in force. `delivery_failed`: none of its webhooks works any more.',
      ),
    ),
    initialMatchCount: nullable(
      Type.Integer({
        description:
          'Listings that matched at the creation. Null: counting took too long, or the target is a figure of the market.',
      }),
    ),
    createdAt: time,
    updatedAt: time,
    expiresAt: nullable(time),
    metadata: Type.Record(Type.String(), Type.String()),
    version: Type.Integer({ description: 'Grows by one with each change; the ETag.' }),
  },
  { $id: 'Watcher', description: 'A watcher.' },
);

export const WatcherListSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(WatcherSchema),
    page: PageSchema,
    meta: Type.Object({ requestId: Type.String(), tier: TierSchema }),
  },
  { $id: 'WatcherList', description: 'One page of watchers, the newest first.' },
);
