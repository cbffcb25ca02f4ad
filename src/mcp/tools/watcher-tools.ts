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
import { FILTERS } from './search-tools.ts';
import { type Json, READS, type ToolRow } from './tool-row.ts';
import { watcherView } from './view-link.ts';

const CHANGES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

const ID = 'From list_watchers.';
/** The page of the searches that a person watches. */
const WATCHING = 'explore/watching';

function targetLine(target: unknown): string {
  const { type, listingType, query, listingId, propertyId, metric, areaId, condition } = objectOf(target);
  if (type === 'search') return `search of ${word(listingType)}s ${word(JSON.stringify(query))}`;
  if (type === 'market')
    return `${word(metric)} of ${word(listingType)}s in ${word(areaId)} ${word(JSON.stringify(condition))}`;
  return `${word(type)} ${word(listingId)}${word(propertyId)}`;
}

/** `wat_1 · active · search of rentals … · notifies daily`. */
function watcherLine({ id, status, statusReason, target, cadence, initialMatchCount }: Json): string {
  return dotted([
    word(id),
    typeof statusReason === 'string' ? `${word(status)} (${word(statusReason)})` : word(status),
    targetLine(target),
    `notifies ${word(cadence)}`,
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

const WATCHER_TOOLS: readonly ToolRow[] = [
  {
    name: 'list_watchers',
    title: 'List watchers',
    description:
      'Lists what you watch, newest first: searches, homes and figures of the market, with their state. Read what happened with get_watcher_events.',
    operation: 'listWatchers',
    rows: 'data',
    output: ['data', 'page'],
    shown: ['status', 'limit', 'cursor'],
    defaults: { limit: 10 },
    descriptions: { status: '', limit: 'Watchers in the result.' },
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
    view: () => WATCHING,
  },
  {
    name: 'create_watcher',
    title: 'Watch a search, a home or a market',
    description:
      'Begins to watch a search, a listing, a property or a figure of the market, and keeps what happens as events for 30 days. Show the user what you are about to watch first. Read the events with get_watcher_events; pause_watcher and delete_watcher end it. Your tier limits how many you may have: get_usage.',
    operation: 'createWatcher',
    output: ['id', 'status', 'target'],
    shown: ['target', 'name', 'events', 'cadence', 'timeZone', 'expiresAt', 'metadata', 'backfill'],
    refused: {
      delivery:
        'is not for agents: a person adds webhooks, with POST /v1/watchers of the REST API. Events can be read with get_watcher_events',
    },
    descriptions: {
      target:
        'By type. listing: listingId. property: propertyId. search: listingType and query, the filters of search_rentals or search_sales, with dates, no durations. market: areaId, listingType, metric and condition: value in the unit of the metric, or of changes in percent (-3: 3 % less) from one window such as P30D to the next.',
      name: 'For people.',
      events:
        'Default: of a search search.match_added and search.match_removed, else all. Others: get_watcher_events lists them as type.',
      cadence: 'At once, or together in a digest. Default: the fastest of your tier.',
      timeZone: 'Of digests, such as America/Chicago. Default: that of what is watched.',
      expiresAt: 'A time such as 2030-01-31T12:00:00Z. Default: never.',
      metadata: 'JSON of up to 16 texts of your own: {"for":"Ann"}.',
      backfill: 'Whether what matches now becomes events too. Default false.',
    },
    watched: FILTERS,
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
          type: 'market',
          areaId: 'city-eastmark',
          listingType: 'sale',
          metric: 'median_list_price',
          condition: { op: 'below', value: 500000 },
        },
      },
    ],
    annotations: { ...CHANGES, idempotentHint: false },
    text: (answer) => `Created: ${watcherLine(answer)}\nRead what happens with get_watcher_events.`,
    links: watcherLinks,
    view: watcherView,
  },
  {
    name: 'get_watcher_events',
    title: 'Read what happened',
    description:
      'Reads the events of one watcher, oldest first: new matches, changed prices and statuses, crossed thresholds. Keep nextCursor of the page and send it as after the next time: no event is skipped, none comes twice.',
    operation: 'listWatcherEvents',
    rows: 'data',
    output: ['data', 'page'],
    shown: ['after', 'type', 'digest', 'limit'],
    defaults: { limit: 10 },
    descriptions: {
      id: ID,
      type: '',
      digest: 'Cursor of a watcher.digest event: its events.',
      limit: 'Events in the result.',
    },
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
    view: () => WATCHING,
  },
  {
    name: 'pause_watcher',
    title: 'Pause a watcher',
    description: 'Stops a watcher until resume_watcher. What happens meanwhile is not sent later.',
    operation: 'pauseWatcher',
    output: ['id', 'status', 'target'],
    shown: [],
    descriptions: { id: ID },
    examples: [{ id: 'wat_f22393f543c7dd0bfec6f5c7' }],
    annotations: { ...CHANGES, idempotentHint: true },
    text: (answer) => `Paused: ${watcherLine(answer)}`,
    links: watcherLinks,
    view: watcherView,
  },
  {
    name: 'resume_watcher',
    title: 'Resume a watcher',
    description: 'Resumes a paused watcher: it sends what changes from now on.',
    operation: 'resumeWatcher',
    output: ['id', 'status', 'target'],
    shown: [],
    descriptions: { id: ID },
    examples: [{ id: 'wat_f22393f543c7dd0bfec6f5c7' }],
    annotations: { ...CHANGES, idempotentHint: true },
    text: (answer) => `Active: ${watcherLine(answer)}`,
    links: watcherLinks,
    view: watcherView,
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
    output: ['id', 'deleted'],
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
  output: ['tier', 'minute', 'month'],
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
  view: () => 'account',
};

export const ACCOUNT_TOOLS: readonly ToolRow[] = [...WATCHER_TOOLS, USAGE_TOOL];
