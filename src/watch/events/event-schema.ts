// Event object: its schema in the documentation, and the query of the endpoints that read events.

import { Type } from 'typebox';
import { TierSchema } from '../../access/tiers/tier-schema.ts';
import { LogPageSchema } from '../../http/output/log-page.ts';
import {
  AddressSchema,
  AttributionSchema,
  nullable,
  oneOf,
  SummaryLocationSchema,
  texts,
} from '../../listings/record.ts';
import { LISTING_TYPES, STATUSES } from '../../listings/vocabulary.ts';
import { EVENT_TYPES, type EventType } from './event-types.ts';

const TYPES = Object.keys(EVENT_TYPES) as EventType[];

const ListingExtract = Type.Partial(
  Type.Object({
    id: Type.String(),
    object: Type.Literal('listing'),
    propertyId: Type.String(),
    listingType: oneOf(LISTING_TYPES),
    status: oneOf(STATUSES),
    price: nullable(Type.Number()),
    currency: Type.String(),
    address: AddressSchema,
    location: SummaryLocationSchema,
    attribution: AttributionSchema,
    fetchedAt: Type.String({
      format: 'date-time',
      description: 'When the source last sent it, changed or not.',
    }),
  }),
  {
    $id: 'EventListing',
    description:
      'The listing as it was right after the change, without description, photos and agent. Only `id` where the ' +
      'listing may not be shown any more.',
  },
);

const ListingEventData = Type.Object(
  {
    object: ListingExtract,
    previous: nullable(Type.Object({}, { description: 'Former values of the members that changed.' })),
    changedFields: Type.Unsafe<readonly string[]>({
      ...texts,
      description: 'Members of the listing that changed.',
    }),
    matchedOn: Type.Unsafe<readonly string[]>({
      ...texts,
      description: 'Parameters of the search, as you wrote them.',
    }),
    url: Type.String({ format: 'uri' }),
  },
  { $id: 'ListingEventData' },
);

const MarketEventData = Type.Object(
  {
    areaId: Type.String(),
    listingType: oneOf(LISTING_TYPES),
    metric: Type.String({ description: 'The id of a metric of GET /v1/market/metrics.' }),
    op: Type.String(),
    threshold: Type.Number({ description: '`value` of the condition.' }),
    window: nullable(Type.String()),
    value: Type.Number({ description: 'The figure, or its change in percent.' }),
    previous: Type.Number({ description: 'The same when it was last computed.' }),
    at: Type.String({ format: 'date-time', description: 'When the figure was computed.' }),
  },
  { $id: 'MarketEventData', description: 'Of `market.threshold_crossed`.' },
);

const DigestEventData = Type.Object(
  {
    events: Type.Array(Type.Ref('Event'), {
      description: 'The first events of the digest, the oldest first: at most 100, and 250 kB.',
    }),
    count: Type.Integer({ description: 'How many events the digest has.' }),
    url: Type.String({ format: 'uri', description: 'All events of the digest, in pages.' }),
  },
  { $id: 'DigestEventData', description: 'Of `watcher.digest`.' },
);

const WatcherEventData = Type.Object(
  {},
  { $id: 'WatcherEventData', description: 'Of events `watcher.*`: what happened to the watcher.' },
);

const QuotaEventData = Type.Object(
  {
    threshold: Type.Integer({ description: 'Percent of the month that are used: 80 or 100.' }),
    month: Type.String({ format: 'date', description: 'The first day of the month, in UTC.' }),
    quota: Type.Integer({ description: 'Requests that the month allows.' }),
  },
  { $id: 'QuotaEventData', description: 'Of `account.quota_reached`; `watcherId` is `account`.' },
);

/** The kinds of events: what their `data` is, and which types are of each. */
const KINDS = [
  {
    $id: 'ListingEvent',
    description: 'An event about a listing.',
    data: ListingEventData,
    types: TYPES.filter((type) => type.startsWith('listing.') || type.startsWith('search.')),
  },
  {
    $id: 'MarketEvent',
    description: 'A figure of the market met a condition.',
    data: MarketEventData,
    types: TYPES.filter((type) => type.startsWith('market.')),
  },
  {
    $id: 'DigestEvent',
    description: 'The events of a while, together.',
    data: DigestEventData,
    types: TYPES.filter((type) => type === 'watcher.digest'),
  },
  {
    $id: 'WatcherEvent',
    description: 'An event about the watcher itself.',
    data: WatcherEventData,
    types: TYPES.filter((type) => type.startsWith('watcher.') && type !== 'watcher.digest'),
  },
  {
    $id: 'QuotaEvent',
    description: 'A share of a month of requests is used: an event of no watcher.',
    data: QuotaEventData,
    types: TYPES.filter((type) => type.startsWith('account.')),
  },
] as const;

const eventOf = ({ $id, description, data, types }: (typeof KINDS)[number]) =>
  Type.Object(
    {
      id: Type.String({ description: 'Stable: the same event always has the same id.' }),
      object: Type.Literal('event'),
      type: oneOf(types),
      apiVersion: Type.Literal('v1'),
      timestamp: Type.String({ format: 'date-time', description: 'When the change was made.' }),
      sequence: Type.Integer({
        description: 'Of the change: grows in the order in which changes were made.',
      }),
      cursor: Type.String({
        description: 'Send it as `after`, or as `Last-Event-ID`, to go on behind this event.',
      }),
      watcherId: Type.String(),
      owner: Type.String({ description: 'You, as an opaque hash.' }),
      data,
    },
    { $id, description },
  );

/** An event; `type` says which kind it is, and so what `data` has. */
export const EventSchema = Type.Unsafe<unknown>({
  $id: 'Event',
  description: 'An event of a watcher; `type` says what `data` has.',
  oneOf: KINDS.map(eventOf),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      KINDS.flatMap(({ $id, types }) => types.map((type) => [type, `#/components/schemas/${$id}`])),
    ),
  },
});

export const EventListSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(EventSchema),
    page: LogPageSchema,
    meta: Type.Object({ requestId: Type.String(), tier: TierSchema }),
  },
  { $id: 'EventList', description: 'Events, the oldest first.' },
);

export const afterParameter = Type.Optional(
  Type.String({
    maxLength: 200,
    hints: ['cursor', 'since', 'since_id', 'starting_after', 'from', 'offset'],
    description:
      'The cursor of the last event that you have read, `nextCursor` of the last page, or `now` for new events only. ' +
      'Default: the oldest event that is kept.',
  }),
);

export const EventQuery = Type.Object({
  after: afterParameter,
  type: Type.Optional(
    Type.Unsafe<readonly EventType[]>(
      Type.Array(oneOf(TYPES), { description: 'Only events of these types, separated by commas.' }),
    ),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      hints: ['pageSize', 'per_page', 'size', 'count'],
      description: 'Events in a page.',
    }),
  ),
});

/** Of the events of one watcher. */
export const WatcherEventQuery = Type.Object({
  ...EventQuery.properties,
  digest: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'The cursor of a `watcher.digest` event: only the events of that digest, in which alone they are sent.',
    }),
  ),
});
