// Rows of the tool table about watchers, their events, and the caller's usage.

import {
  dotted,
  listingLine,
  number,
  numbered,
  objectOf,
  rowsOf,
  shortListingAt,
  word,
} from './listing-text.ts';
import { type Json, READS, type ToolRow } from './tool-row.ts';

const CHANGES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

const ID = 'The id of a watcher. list_watchers gives ids.';

function targetLine(target: unknown): string {
  const { type, listingType, query, listingId, propertyId, metric, areaId, condition } = objectOf(target);
  if (type === 'search') return `search of ${word(listingType)}s ${word(JSON.stringify(query))}`;
  if (type === 'market')
    return `${word(metric)} of ${word(listingType)}s in ${word(areaId)} ${word(JSON.stringify(condition))}`;
  return `${word(type)} ${word(listingId)}${word(propertyId)}`;
}

/** `wat_1 · active · search of rentals … · told daily`. */
function watcherLine({ id, status, statusReason, target, cadence, initialMatchCount }: Json): string {
  return dotted([
    word(id),
    typeof statusReason === 'string' ? `${word(status)} (${word(statusReason)})` : word(status),
    targetLine(target),
    `told ${word(cadence)}`,
    typeof initialMatchCount === 'number' ? `${number(initialMatchCount)} matched when it was created` : null,
  ]);
}

const watcherLinks = ({ id }: Json) => (typeof id === 'string' ? [{ kind: 'watcher', id } as const] : []);

function eventLine({ timestamp, type, data }: Json, now: number): string {
  const { object, metric, areaId, op, threshold, value, reason, events, count } = objectOf(data);
  const facts = [
    object === undefined ? null : listingLine(objectOf(object), now),
    metric === undefined
      ? null
      : `${word(metric)} in ${word(areaId)} is ${number(value)}: ${word(op)} ${number(threshold)}`,
    count === undefined ? null : `${number(count)} events, ${rowsOf(events).length} of them here`,
    reason === undefined ? null : word(reason),
  ];
  return dotted([word(timestamp), word(type), ...facts]);
}

function eventText({ data, page }: Json, now: number): string {
  const rows = rowsOf(data).flatMap((event) => [event, ...rowsOf(objectOf(event.data).events)]);
  const head =
    rows.length === 0 ? 'Nothing happened since.' : numbered(rows.map((row) => eventLine(row, now)));
  return `${head}\nTo read what comes next, send after "${word(objectOf(page).nextCursor)}".`;
}

const EVENT = ['id', 'type', 'timestamp', 'cursor', 'watcherId', 'data'];

const WATCHED_QUERY = {
  type: 'object',
  description:
    'Filters as for search_rentals (listingType rental) or search_sales (sale), such as {"city":["Eastmark"],"minBedrooms":3}: no sort, limit, cursor or fields; dates, no durations such as P7D.',
};

const WATCHER_TOOLS: readonly ToolRow[] = [
  {
    name: 'list_watchers',
    title: 'List watchers',
    description:
      'Lists what you watch, newest first: searches, homes and figures of the market, with their state. Read what happened with get_watcher_events.',
    operation: 'listWatchers',
    shown: ['status', 'limit', 'cursor'],
    defaults: { limit: 10 },
    descriptions: { limit: 'Watchers in the result, at most your tier’s page size.' },
    examples: [{}, { status: 'active' }],
    annotations: READS,
    short: { drop: ['data/*/interpretation', 'data/*/version', 'data/*/updatedAt'] },
    text({ data }) {
      const rows = rowsOf(data);
      return rows.length === 0
        ? 'You watch nothing. create_watcher begins.'
        : numbered(rows.map(watcherLine));
    },
    links: ({ data }) => rowsOf(data).flatMap(watcherLinks),
  },
  {
    name: 'create_watcher',
    title: 'Watch a search, a home or a market',
    description:
      'Begins to watch a search, a listing, a property or a figure of the market, and keeps what happens as events for 30 days. Show the user what you are about to watch first. Read the events with get_watcher_events; pause_watcher and delete_watcher end it. Your tier limits how many you may have: get_usage.',
    operation: 'createWatcher',
    shown: ['target', 'name', 'events', 'cadence', 'timeZone', 'expiresAt', 'metadata', 'backfill'],
    refused: {
      delivery:
        'is not for agents: a person adds webhooks, with POST /v1/watchers of the REST API. Events can be read with get_watcher_events',
    },
    descriptions: {
      backfill: 'True: what matches now is told as events too. Default false: only what changes from now on.',
    },
    schemas: { WatchedRentals: WATCHED_QUERY, WatchedSales: WATCHED_QUERY },
    examples: [
      {
        target: {
          type: 'search',
          listingType: 'rental',
          query: { city: ['Eastmark'], minBedrooms: 3, maxPrice: 2500 },
        },
        name: 'Homes in Eastmark',
      },
      { target: { type: 'listing', listingId: 'lst_8bxfyd9szrvre5mvzvqg' } },
      {
        target: {
          ...{ type: 'market', areaId: 'city-eastmark', listingType: 'sale', metric: 'median_list_price' },
          condition: { op: 'below', value: 500000 },
        },
      },
    ],
    annotations: { ...CHANGES, idempotentHint: false },
    text: (answer) => `Created: ${watcherLine(answer)}\nRead what happens with get_watcher_events.`,
    links: watcherLinks,
  },
  {
    name: 'get_watcher_events',
    title: 'Read what happened',
    description:
      'Reads the events of one watcher, oldest first: new matches, changed prices and statuses, crossed thresholds. Keep nextCursor of the page and send it as after the next time: no event is skipped, none comes twice.',
    operation: 'listWatcherEvents',
    shown: ['after', 'type', 'digest', 'limit'],
    defaults: { limit: 10 },
    descriptions: { id: ID, type: 'Only events of these types.', limit: 'Events in the result.' },
    examples: [{ id: 'wat_f22393f543c7dd0bfec6f5c7' }, { id: 'wat_f22393f543c7dd0bfec6f5c7', after: 'now' }],
    annotations: READS,
    short: {
      keep: {
        'data/*': EVENT,
        ...shortListingAt('data/*/data/object'),
        'data/*/data/events/*': EVENT,
        ...shortListingAt('data/*/data/events/*/data/object'),
      },
    },
    text: eventText,
    links: ({ data }) =>
      rowsOf(data).flatMap((event) => {
        const { id } = objectOf(objectOf(event.data).object);
        return typeof id === 'string' ? [{ kind: 'listing', id } as const] : [];
      }),
  },
  {
    name: 'pause_watcher',
    title: 'Pause a watcher',
    description: 'Stops a watcher until resume_watcher. What happens meanwhile is not told later.',
    operation: 'pauseWatcher',
    shown: [],
    descriptions: { id: ID },
    examples: [{ id: 'wat_f22393f543c7dd0bfec6f5c7' }],
    annotations: { ...CHANGES, idempotentHint: true },
    text: (answer) => `Paused: ${watcherLine(answer)}`,
    links: watcherLinks,
  },
  {
    name: 'resume_watcher',
    title: 'Resume a watcher',
    description: 'Lets a paused watcher tell again what changes from now on.',
    operation: 'resumeWatcher',
    shown: [],
    descriptions: { id: ID },
    examples: [{ id: 'wat_f22393f543c7dd0bfec6f5c7' }],
    annotations: { ...CHANGES, idempotentHint: true },
    text: (answer) => `Active: ${watcherLine(answer)}`,
    links: watcherLinks,
  },
  {
    name: 'delete_watcher',
    title: 'Delete a watcher',
    description: 'Deletes a watcher for good. Ask the user first; pause_watcher can be undone.',
    operation: 'deleteWatcher',
    shown: [],
    descriptions: { id: ID },
    examples: [{ id: 'wat_f22393f543c7dd0bfec6f5c7' }],
    annotations: { ...CHANGES, destructiveHint: true, idempotentHint: true },
    emptyAnswer: ({ id }) => ({ object: 'watcher', id, deleted: true }),
    output: { object: { type: 'string' }, id: { type: 'string' }, deleted: { type: 'boolean' } },
    text: ({ id }) => `Deleted ${word(id)}.`,
  },
];

function counter(name: string, of: unknown): string {
  const { limit, remaining, open, used } = objectOf(of);
  if (limit === null) return `${name}: unlimited`;
  if (remaining !== undefined) return `${name}: ${number(remaining)} of ${number(limit)} left`;
  return `${name}: ${number(open ?? used)} of ${number(limit)} in use`;
}

const USAGE_TOOL: ToolRow = {
  name: 'get_usage',
  title: 'Limits and usage',
  description:
    'Says what your tier allows and what is left: calls of the minute and the month, watchers, streams. Counts for the minute only. Use it before many calls, and when a limit was met.',
  operation: 'getUsage',
  shown: [],
  examples: [{}],
  annotations: READS,
  text: (answer) =>
    [
      `Tier: ${word(answer.tier)}`,
      counter('Calls this minute', answer.minute),
      counter('Calls this month', answer.month),
      counter('Watchers', answer.watchers),
      counter('Live streams', answer.streams),
      counter('Feeds', answer.feeds),
    ].join('\n'),
};

export const ACCOUNT_TOOLS: readonly ToolRow[] = [...WATCHER_TOOLS, USAGE_TOOL];
