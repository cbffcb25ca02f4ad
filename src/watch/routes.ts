// Routes of watchers: created, listed, read, changed, paused, resumed and deleted.

import { type TObject, type TSchema, Type } from 'typebox';
import { type Principal, pageSize } from '../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../http/frame/route.ts';
import { conditional } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { pageLinks } from '../listings/paging.ts';
import { changeWatcher, pauseWatcher, removeWatcher, resumeWatcher } from './change-watcher.ts';
import { createWatcher } from './create-watcher.ts';
import { noWatcher, WatcherParams } from './events/own-watcher.ts';
import { findWatcherPage } from './list-watchers.ts';
import { answerMatches, MatchesQuery, MatchListSchema } from './matches.ts';
import type { WatcherOptions } from './resolve-target.ts';
import { presentWatcher, type Watcher, watcherEtag } from './watcher.ts';
import { OwnerUses, ownerUseOf } from './watcher-owner.ts';
import {
  BODY_BYTES,
  STATUSES,
  WatcherCreateSchema,
  WatcherListSchema,
  WatcherSchema,
  WatcherUpdateSchema,
} from './watcher-schema.ts';
import { findWatcher } from './watcher-store.ts';

const access = { credentials: 'required', scope: 'watchers', counts: 'month' } as const;
const common = { tag: 'Watchers', access } as const;

/** Watchers of a page: each may be as large as a body. */
const MAX_PAGE = 100;

const ListQuery = Type.Object({
  status: Type.Optional(
    Type.Unsafe<(typeof STATUSES)[number]>({
      type: 'string',
      enum: [...STATUSES],
      description: 'Only watchers with this status.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Watchers per page: 20 by default, at most your tier’s page size, and ${MAX_PAGE}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 400, description: '`page.nextCursor` or `page.prevCursor` of another page.' }),
  ),
});

const missing = { 404: 'You have no watcher with this id' };
const changing = {
  ...missing,
  409: 'The watcher has expired',
  412: 'The watcher is not at the version in If-Match',
};
const IF_MATCH = 'With `If-Match`, the change is made only if the watcher still has this ETag.';

type Call = RequestContext<Principal, Record<string, unknown>, { readonly id: string }, unknown>;

const replyWith = (watcher: Watcher, secrets?: ReadonlyMap<number, string>): Reply => ({
  json: presentWatcher(watcher, secrets),
  headers: { etag: watcherEtag(watcher) },
});

export function watcherRoutes(options: WatcherOptions): readonly Route<Principal>[] {
  const { database } = options;
  const owners = new OwnerUses(options);

  /** Throws WATCHER_NOT_FOUND for unknown and foreign ids alike. */
  async function find(caller: Principal, id: string): Promise<Watcher> {
    const { owner } = ownerUseOf(caller);
    const watcher = await database.read((sql) => findWatcher(sql, owner, id), { planned: 'once' });
    if (watcher === null) throw noWatcher();
    return watcher;
  }

  const one = (
    definition: Pick<
      Route<Principal>,
      'method' | 'operation' | 'summary' | 'description' | 'alsoAnswers' | 'codes'
    > & {
      readonly action?: string;
      readonly body?: TSchema;
      readonly query?: TObject;
    },
    answer: (watcher: Call) => Promise<Reply>,
  ): Route<Principal> => {
    const { action, body, ...documentation } = definition;
    return route<Principal>()({
      ...common,
      ...documentation,
      params: WatcherParams,
      path: `/v1/watchers/:id${action === undefined ? '' : `/${action}`}`,
      ...(body !== undefined && { body, ownBody: 'value', bodyBytes: BODY_BYTES }),
      answer:
        definition.method === 'DELETE'
          ? { status: 204, description: 'The watcher is deleted' }
          : { description: 'The watcher', schema: WatcherSchema },
      async handle(call) {
        await owners.record(call.caller);
        return answer(call as unknown as Call);
      },
    });
  };

  return [
    ...collectionRoutes(options, owners),
    one(
      {
        method: 'GET',
        operation: 'getWatcher',
        summary: 'Get a watcher',
        alsoAnswers: { 304: 'The watcher still has the ETag in If-None-Match', ...missing },
      },
      async ({ caller, params, headers }) => {
        const watcher = await find(caller, params.id);
        // The states of webhooks change without a version.
        if (watcher.delivery.length > 0) return replyWith(watcher);
        return conditional(headers, watcherEtag(watcher), { json: presentWatcher(watcher) });
      },
    ),
    route<Principal>()({
      ...common,
      method: 'GET',
      path: '/v1/watchers/:id/matches',
      operation: 'listMatches',
      codes: ['INVALID_CURSOR', 'SEARCH_LOADING'],
      summary: 'List what a watcher watches now',
      description:
        'The listings that match now, as you may see them. A search is read as it was understood when the watcher was ' +
        'created. Works for a watcher that is paused, too.',
      params: WatcherParams,
      query: MatchesQuery,
      answer: { description: 'A page of listings', schema: MatchListSchema },
      alsoAnswers: { ...missing, 409: 'The watcher watches a figure of the market, which has no listings' },
      async handle(call) {
        await owners.record(call.caller);
        return answerMatches(options, await find(call.caller, call.params.id), call.query, call);
      },
    }),
    one(
      {
        method: 'PATCH',
        operation: 'updateWatcher',
        summary: 'Change a watcher',
        description: IF_MATCH,
        body: WatcherUpdateSchema,
        alsoAnswers: changing,
        codes: ['TIER_RESTRICTED', 'WEBHOOKS_UNAVAILABLE'],
      },
      async (call) => {
        const { watcher, secrets } = await changeWatcher(options, requestOf(call), call.body);
        return replyWith(watcher, secrets);
      },
    ),
    one(
      {
        method: 'DELETE',
        operation: 'deleteWatcher',
        summary: 'Delete a watcher',
        description: `Its events stay in GET /v1/events. ${IF_MATCH}`,
        alsoAnswers: { ...missing, 412: changing[412] },
      },
      async (call) => {
        await removeWatcher(options, requestOf(call));
        return { status: 204 };
      },
    ),
    one(
      {
        method: 'POST',
        action: 'pause',
        operation: 'pauseWatcher',
        summary: 'Pause a watcher',
        description: `It sends nothing until you resume it; what happens meanwhile is not sent later. ${IF_MATCH}`,
        alsoAnswers: changing,
      },
      async (call) => replyWith(await pauseWatcher(options, requestOf(call))),
    ),
    one(
      {
        method: 'POST',
        action: 'resume',
        operation: 'resumeWatcher',
        summary: 'Resume a watcher',
        description:
          'From now on it sends what changes. Its webhooks are tried at once, and disabled ones prove their URL again. ' +
          IF_MATCH,
        alsoAnswers: changing,
      },
      async (call) => replyWith(await resumeWatcher(options, requestOf(call))),
    ),
  ];
}

/** POST and GET of /v1/watchers. */
function collectionRoutes(options: WatcherOptions, owners: OwnerUses): readonly Route<Principal>[] {
  const { database, tiers, publicUrl } = options;
  return [
    route<Principal>()({
      ...common,
      method: 'POST',
      path: '/v1/watchers',
      operation: 'createWatcher',
      codes: ['TIER_RESTRICTED', 'INVALID_GEOMETRY', 'WEBHOOKS_UNAVAILABLE'],
      summary: 'Create a watcher',
      description:
        'Watches a listing, a property, all listings that match a search, or a figure of the market. Send an `Idempotency-Key` of your own: the ' +
        'same request sent again within 24 hours gets the same answer, and creates nothing.',
      body: WatcherCreateSchema,
      ownBody: 'value',
      bodyBytes: BODY_BYTES,
      answer: { status: 201, description: 'The watcher, at the URL in Location', schema: WatcherSchema },
      alsoAnswers: {
        409: 'A request with this Idempotency-Key is under way',
        422: 'This Idempotency-Key was sent with another body',
      },
      handle: ({ body, caller, headers }) => createWatcher(options, { body, caller, headers }),
    }),
    route<Principal>()({
      ...common,
      method: 'GET',
      path: '/v1/watchers',
      operation: 'listWatchers',
      codes: ['INVALID_CURSOR'],
      summary: 'List your watchers',
      description: 'The newest first. Follow `page.nextCursor` to page.',
      query: ListQuery,
      answer: { description: 'A page of watchers', schema: WatcherListSchema },
      async handle({ caller, query, requestId, url }) {
        await owners.record(caller);
        const { owner } = ownerUseOf(caller);
        const limit = Math.min(pageSize(tiers[caller.tier], query.limit), MAX_PAGE);
        const { status, cursor } = query;
        const { watchers, page } = await findWatcherPage(database, { owner, status, limit, cursor });
        const meta = { requestId, tier: caller.tier };
        return {
          json: { object: 'list', data: watchers.map((watcher) => presentWatcher(watcher)), page, meta },
          headers: pageLinks(publicUrl, url, page),
        };
      },
    }),
  ];
}

const requestOf = ({ params, caller, headers }: Call) => ({ id: params.id, caller, headers });
