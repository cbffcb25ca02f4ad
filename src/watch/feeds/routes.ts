// Routes of feeds: events as they happen, of all watchers of an owner or of one.

import { type Static, Type } from 'typebox';
import type { FeedLimit } from '../../access/limits/stream-limit.ts';
import { withOwnerPlan } from '../../access/routes.ts';
import type { Plan, Principal } from '../../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../../http/frame/route.ts';
import { lastEventIdParameter, readLastEventId } from '../../http/input/last-event-id.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Database } from '../../postgres/client/database.ts';
import { after, parseAfter, requireKept } from '../events/cursor.ts';
import { afterParameter, EventSchema } from '../events/event-schema.ts';
import { ownerOfCaller, requireOwnWatcher, WatcherParams } from '../events/own-watcher.ts';
import { type EventScope, readEvents } from '../events/read-store.ts';
import type { FeedHub } from './feed-hub.ts';

export interface FeedRouteOptions {
  readonly database: Database;
  readonly hub: Pick<FeedHub, 'open'>;
  readonly feeds: FeedLimit;
  readonly findOwnerPlan: (owner: string) => Promise<Plan | null>;
}

const FeedQuery = Type.Object({ after: afterParameter, lastEventId: lastEventIdParameter });

const EXAMPLE =
  'retry: 4711\nid: NDgyMTM\n\n' +
  'id: NDgyMTMgd2F0XzEgbGlzdGluZy5wcmljZV9kZWNyZWFzZWQgMA\nevent: listing.price_decreased\n' +
  'data: {"id":"evt_1","object":"event","type":"listing.price_decreased","sequence":48213,"watcherId":"wat_1"}\n';

/** What a caller needs to read events. */
export const FEED_ACCESS = { credentials: 'required', scope: 'watchers', counts: 'month' } as const;

const common = {
  method: 'GET',
  tag: 'Watchers',
  access: FEED_ACCESS,
  accepts: ['text/event-stream'],
  head: false,
  query: FeedQuery,
  answer: {
    description: 'The events, the oldest first; the schema is that of the data of one event',
    contentType: 'text/event-stream',
    schema: EventSchema,
  },
  codes: ['INVALID_CURSOR', 'TOO_MANY_STREAMS'],
} as const;
const REFUSALS = {
  410: 'Some of the events after the cursor are no longer kept',
  429: 'A limit is reached, or too many feeds are open',
};

export function feedRoutes(options: FeedRouteOptions): readonly Route<Principal>[] {
  const define = route<Principal>();
  return [
    define({
      ...common,
      path: '/v1/events/stream',
      operation: 'streamEvents',
      summary: 'Stream the events of all your watchers',
      description:
        'Server-sent events: `id` is the cursor, `event` the type, `data` the event. After a break send the last id as ' +
        '`Last-Event-ID`, as EventSource does by itself: you get everything since, once each and in order. A comment ' +
        'every 20 seconds keeps the connection alive. A feed ends after 30 to 60 minutes, and when its credential does.\n\n' +
        `\`\`\`\n${EXAMPLE}\`\`\``,
      alsoAnswers: REFUSALS,
      handle: (call) => openFeed(options, call, { owner: ownerOfCaller(call.caller) }),
    }),
    define({
      ...common,
      path: '/v1/watchers/:id/stream',
      operation: 'streamWatcherEvents',
      summary: 'Stream the events of one watcher',
      description: 'Like the stream of all your watchers.',
      params: WatcherParams,
      alsoAnswers: { ...REFUSALS, 404: 'You have no such watcher' },
      async handle(call) {
        await requireOwnWatcher(options.database, call.caller, call.params.id);
        return openFeed(options, call, { owner: ownerOfCaller(call.caller), watcherId: call.params.id });
      },
    }),
  ];
}

type Call = RequestContext<Principal, Static<typeof FeedQuery>, unknown, unknown>;

async function openFeed(options: FeedRouteOptions, call: Call, scope: EventScope): Promise<Reply> {
  const { hub, feeds, database } = options;
  const { caller, headers, address, usage } = call;
  const lastEvent = readLastEventId(headers, call.query.lastEventId);
  // The id of the feed's past is newer than what its URL says.
  const position =
    lastEvent === null ? parseAfter(call.query.after) : parseAfter(lastEvent.id, lastEvent.name);
  // Of the log alone, without an event: what a feed sends may be much.
  const log = await database.read((sql) => readEvents(sql, { scope, after: position, limit: 0 }), {
    planned: 'once',
  });
  requireKept(position, log, lastEvent?.name);
  const release = await feeds.open(await withOwnerPlan(options, caller));
  const credential = { authorization: headers.authorization ?? '', address };
  const start = position ?? after(log.position);
  const request = { scope, start, usage, credential, access: FEED_ACCESS, release };
  return { feed: (response) => hub.open(response, request) };
}
