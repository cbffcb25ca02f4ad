// Route of GET /v1/usage/history: what a caller has used, by time and by what was called.

import { Type } from 'typebox';
import { TierSchema } from '../access/tiers/tier-schema.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { choices, day } from '../http/input/parameter-kinds.ts';
import type { Clock } from '../lib/clock.ts';
import { invalidParameter } from '../lib/problem.ts';
import type { Database } from '../postgres/client/database.ts';
import { findUsage, GROUPS, type UsageGroup, type UsageSum } from './history-store.ts';
import { readQuestion } from './question.ts';
import { accountsOf } from './usage-recorder.ts';

/** An account is the caller's own. */
const OWN_GROUPS = GROUPS.filter((group) => group !== 'account');
const MAX_SUMS = 5_000;

const Sum = Type.Object({
  start: Type.Optional(
    Type.String({
      description: 'The start of the hour, the day (2027-01-31), or the month (2027-01), in UTC.',
    }),
  ),
  channel: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description:
        'By which way listings were shown: search, stream, export, watchers, market, explorer, mcp; null: none are there.',
    }),
  ),
  operation: Type.Optional(
    Type.String({ description: 'The operationId; of agents that of the operation behind the tool.' }),
  ),
  source: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Listings are of a source, requests and bytes of none: they stand where it is null.',
    }),
  ),
  status: Type.Optional(
    Type.String({ description: '2xx, 3xx, 4xx, 5xx; none: the client left before the answer.' }),
  ),
  tier: Type.Optional(Type.String()),
  client: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'The OAuth client; null: a key.' }),
  ),
  requests: Type.Integer({ minimum: 0 }),
  listingsShown: Type.Integer({
    minimum: 0,
    description: 'Listings in the answers; one that several answers have counts in each.',
  }),
  bytes: Type.Integer({ minimum: 0, description: 'Bytes of the answers on the connection, heads included.' }),
});

const UsageHistory = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(Sum, {
      description: 'In the order of `groupBy`; stretches of time without any use are left out.',
    }),
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    meta: Type.Object({ requestId: Type.String(), tier: TierSchema }),
  },
  { $id: 'UsageHistory' },
);

export interface UsageRouteOptions {
  readonly database: Database;
  readonly clock: Clock;
}

export function usageRoutes({ database, clock }: UsageRouteOptions): readonly Route<Principal>[] {
  return [
    route<Principal>()({
      method: 'GET',
      path: '/v1/usage/history',
      operation: 'getUsageHistory',
      tag: 'Account',
      summary: 'Get what you have used',
      description:
        'Your requests, the listings that their answers showed, and bytes: of all keys and apps of your subscription, with what ' +
        'was sent to your webhooks. Recorded once a minute, so the last minute or two may be missing; hours are kept for 90 days, ' +
        'days for 400. What your month has left is in `/v1/usage`. Counts against the minute only.',
      access: { credentials: 'required', scope: 'listings:read', counts: 'minute' },
      query: Type.Object({
        from: day('The first day, in UTC; default: 30 days with the last', 'start', 'since'),
        to: day('The last day, in UTC; default: today', 'end', 'until'),
        groupBy: choices(
          OWN_GROUPS,
          'What sums are grouped by, at most three names and one of hour, day and month. Default: day. With `source` listings stand with their sources.',
          'group_by',
          'by',
        ),
      }),
      answer: { description: 'Sums', schema: UsageHistory },
      async handle({ caller, query, requestId }) {
        const question = readQuestion(query, clock.now());
        const sums = await database.read((sql) =>
          findUsage(sql, { ...question, accounts: accountsOf(caller), limit: MAX_SUMS + 1 }),
        );
        if (sums.length > MAX_SUMS)
          throw invalidParameter('groupBy', `gives more than ${MAX_SUMS} sums: ask for fewer days or groups`);
        const { from, to, groups } = question;
        return {
          json: {
            object: 'list',
            data: sums.map((sum) => publicSum(sum, groups)),
            from,
            to,
            meta: { requestId, tier: caller.tier },
          },
        };
      },
    }),
  ];
}

/** A sum with the members that it is grouped by. */
export function publicSum(sum: UsageSum, groups: readonly UsageGroup[]) {
  const has = (group: UsageGroup): boolean => groups.includes(group);
  return {
    ...(sum.start !== null && { start: sum.start }),
    ...(has('account') && { account: sum.account }),
    ...(has('client') && { client: sum.client || null }),
    ...(has('tier') && { tier: sum.tier }),
    ...(has('channel') && { channel: sum.channel || null }),
    ...(has('operation') && { operation: sum.operation }),
    ...(has('source') && { source: sum.source || null }),
    ...(has('status') && { status: statusWords(sum.status) }),
    requests: sum.requests,
    listingsShown: sum.listings,
    bytes: sum.bytes,
  };
}

const statusWords = (status: number | null): string => (status ? `${status}xx` : 'none');
