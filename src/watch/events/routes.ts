// Routes that read events page by page: of all watchers of an owner, and of one.

import type { Static } from 'typebox';
import { type Principal, pageSize, type Tiers } from '../../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Database } from '../../postgres/client/database.ts';
import { after, formatCursor, invalidCursor, parseAfter, parseCursor, requireKept } from './cursor.ts';
import { type DigestRange, findDigest } from './digest-store.ts';
import { EventListSchema, EventQuery, WatcherEventQuery } from './event-schema.ts';
import { ownerOfCaller, requireOwnWatcher, WatcherParams } from './own-watcher.ts';
import { presentEvents } from './presenter.ts';
import { type EventScope, isOpenTo, readEvents } from './read-store.ts';

export interface EventRouteOptions {
  readonly database: Database;
  readonly tiers: Tiers;
  /** Without a trailing slash. */
  readonly publicUrl: string;
}

const READ_ACCESS = { credentials: 'required', scope: 'watchers', counts: 'month' } as const;
const EXPIRED = { 410: 'Some of the events after the cursor are no longer kept' };

const common = {
  method: 'GET',
  tag: 'Watchers',
  access: READ_ACCESS,
  codes: ['INVALID_CURSOR'],
  answer: { description: 'A page of events, the oldest first', schema: EventListSchema },
} as const;

export function eventRoutes(options: EventRouteOptions): readonly Route<Principal>[] {
  const { database } = options;
  const define = route<Principal>();
  return [
    define({
      ...common,
      query: EventQuery,
      path: '/v1/events',
      operation: 'listEvents',
      summary: 'List the events of all your watchers',
      description:
        'Events stand in one order that never changes; they are kept for 30 days. Send `page.nextCursor` as `after` to ' +
        'get what comes next: no event is skipped, none comes twice.',
      alsoAnswers: EXPIRED,
      handle: (call) => listEvents(options, call, { owner: ownerOfCaller(call.caller) }),
    }),
    define({
      ...common,
      path: '/v1/watchers/:id/events',
      operation: 'listWatcherEvents',
      summary: 'List the events of one watcher',
      description:
        'In the order of `GET /v1/events`. With `digest`, the events of one digest: also of a watcher that is deleted by now.',
      params: WatcherParams,
      query: WatcherEventQuery,
      alsoAnswers: { ...EXPIRED, 404: 'You have no such watcher' },
      async handle(call) {
        const { id } = call.params;
        const owner = ownerOfCaller(call.caller);
        const requireWatcher = () => requireOwnWatcher(database, call.caller, id);
        if (call.query.digest !== undefined) {
          const wanted = { owner, watcherId: id, cursor: call.query.digest };
          return listEvents(options, call, {
            owner,
            digest: await requireDigest(database, wanted, requireWatcher),
          });
        }
        await requireWatcher();
        return listEvents(options, call, { owner, watcherId: id });
      },
    }),
  ];
}

type Call = RequestContext<Principal, Static<typeof EventQuery>, unknown, unknown>;

async function listEvents(options: EventRouteOptions, call: Call, scope: EventScope): Promise<Reply> {
  const { caller, query, requestId } = call;
  const limit = pageSize(options.tiers[caller.tier], query.limit);
  const start = parseAfter(query.after);
  // One more than the page shows whether there are more.
  const isOpen = isOpenTo(caller.reach);
  const range = { scope, after: start, types: query.type, limit: limit + 1, isWanted: isOpen, isOpen };
  const found = await options.database.read((sql) => readEvents(sql, range), { planned: 'once' });
  requireKept(start, found);
  const page = presentEvents({ ...found, rows: found.rows.slice(0, limit) }, options.publicUrl);
  for (const licence of page.flatMap(({ shown }) => shown)) call.usage.shows(caller.reach.sourceOf(licence));
  const hasMore = found.next !== null;
  const end = scope.digest === undefined ? after(found.position) : digestPosition(scope.digest);
  // Where some are closed, what is left of them may fit.
  const isWhole = found.rows.length <= limit;
  const nextCursor = !hasMore
    ? formatCursor(end)
    : isWhole && found.next !== null
      ? formatCursor(found.next)
      : page.at(-1)?.cursor;
  const links = JSON.stringify({ limit, hasMore, nextCursor });
  const meta = JSON.stringify({ requestId, tier: caller.tier });
  return {
    text: `{"object":"list","data":[${page.map(({ json }) => json).join()}],"page":${links},"meta":${meta}}`,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  };
}

const DIGEST = 'digest';

/**
 * Where the events of a digest of this watcher stand. Throws INVALID_CURSOR for any other event's cursor, CURSOR_EXPIRED for a
 * digest that is no longer kept.
 * @param requireWatcher throws unless the caller has the watcher; not called for a digest of a watcher that is deleted by now
 */
async function requireDigest(
  database: Database,
  {
    owner,
    watcherId,
    cursor,
  }: { readonly owner: string; readonly watcherId: string; readonly cursor: string },
  requireWatcher: () => Promise<void>,
): Promise<DigestRange> {
  const position = parseCursor(cursor, DIGEST);
  const { digest, ...range } = await database.read((sql) => findDigest(sql, owner, position), {
    planned: 'once',
  });
  if (digest !== null && position.watcherId === watcherId) return digest;
  await requireWatcher();
  requireKept(position, range, DIGEST);
  throw invalidCursor(DIGEST, 'is not the cursor of a watcher.digest event of this watcher');
}

/** The position of the digest itself, behind all its events. */
const digestPosition = ({ watcherId, sequence }: DigestRange) => ({
  sequence,
  watcherId,
  type: 'watcher.digest',
  ordinal: 0,
});
