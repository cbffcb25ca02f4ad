// Creation of a watcher: parsed, looked up, counted against the plan, and written with its entry in the log.

import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Plan, type Principal, tierName } from '../access/tiers/tiers.ts';
import type { Reply } from '../http/output/reply.ts';
import { Problem } from '../lib/problem.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { answerOnce, findEarlierAnswer, idempotentRequest } from './idempotency.ts';
import type { Answer } from './idempotency-store.ts';
import { type OwnerUse, upsertOwner } from './owner-store.ts';
import { type ResolvedTarget, resolveTarget, type WatcherOptions } from './resolve-target.ts';
import { presentWatcher, watcherEtag } from './watcher.ts';
import { parseWatcher, type WatcherInput } from './watcher-body.ts';
import { logWatchers } from './watcher-log.ts';
import { limitsOf, overLimit, ownerUseOf } from './watcher-owner.ts';
import { countWatchers, insertWatcher, lockAllowance } from './watcher-store.ts';

export interface CreateRequest {
  readonly body: unknown;
  readonly caller: Principal;
  readonly headers: IncomingHttpHeaders;
}

/** Creates a watcher, or gives the answer of an earlier request with the same Idempotency-Key. */
export async function createWatcher(options: WatcherOptions, request: CreateRequest): Promise<Reply> {
  const { clock } = options;
  const { body, caller, headers } = request;
  const use = ownerUseOf(caller);
  const idempotent = idempotentRequest(use.owner, headers, body);
  const earlier = await findEarlierAnswer(options, idempotent);
  if (earlier !== null) return replyOf(earlier);
  const input = parseWatcher(body, clock.now());
  checkCadence(options, input, use.plan);
  const target = await resolveTarget(options, input.target, caller);
  const answer = await answerOnce(options, idempotent, (tx) =>
    writeWatcher(options, tx, { input, target, use }),
  );
  return replyOf(answer);
}

interface Draft {
  readonly input: WatcherInput;
  readonly target: ResolvedTarget;
  readonly use: OwnerUse;
}

async function writeWatcher(
  { tiers, clock, setGrantWatched }: WatcherOptions,
  tx: Transaction,
  { input, target, use }: Draft,
): Promise<Answer> {
  const { owner, allowance, subscription, grant } = use;
  const now = clock.now();
  await lockAllowance(tx, allowance);
  const plan = await upsertOwner(tx, use, new Date(now));
  const limits = limitsOf(tiers, plan);
  if (limits.watchers !== null && (await countWatchers(tx, allowance)) >= limits.watchers)
    throw overLimit(plan, tiers[plan]);
  const watcher = await insertWatcher(
    tx,
    {
      ...{ ...input, ...target, owner, allowance, subscription: grant === null ? subscription : null, grant },
      id: `wat_${randomBytes(12).toString('hex')}`,
      cadence: input.cadence === undefined ? defaultCadence(tiers[plan].cadence) : input.cadence,
      eventsPerHour: limits.events,
      ignoreDisplayRules: limits.mayIgnoreDisplayRules && target.search?.ignoreDisplayRules === true,
    },
    new Date(now),
  );
  if (grant !== null && !(await setGrantWatched(tx, grant, true)))
    throw new Problem('INVALID_TOKEN', 'The access token has been revoked.');
  await logWatchers(tx, 'created', [watcher], now);
  return {
    status: 201,
    headers: { location: `/v1/watchers/${watcher.id}`, etag: watcherEtag(watcher) },
    body: JSON.stringify(presentWatcher(watcher)),
  };
}

/** The tier's fastest, as far as it is served: without digests, a slower one sends nothing. */
const defaultCadence = (fastest: string): 'instant' | null => (fastest === 'instant' ? 'instant' : null);

/** Throws TIER_RESTRICTED for a cadence that is faster than the plan's. */
export function checkCadence(
  { tiers }: Pick<WatcherOptions, 'tiers'>,
  { cadence }: Pick<WatcherInput, 'cadence'>,
  plan: Plan,
): void {
  if (cadence !== 'instant' || tiers[plan].cadence === 'instant') return;
  throw new Problem(
    'TIER_RESTRICTED',
    `The ${tierName(plan)} tier does not have the cadence instant. Leave cadence out: the events are in GET /v1/events all the same.`,
  );
}

/** The bytes that were stored, so that a repeated request gets the same. */
function replyOf({ status, headers, body }: Answer): Reply {
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    bytes: Buffer.from(body),
  };
}
