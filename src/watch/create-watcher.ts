// Creation of a watcher: parsed, looked up, counted against the plan, and written with its entry in the log.

import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { answerOnce, findEarlierAnswer, idempotentRequest } from '../access/idempotency/answer-once.ts';
import type { Answer } from '../access/idempotency/answer-store.ts';
import {
  type Cadence,
  cadenceOf,
  isCadenceAllowed,
  type Plan,
  type Principal,
  tierName,
} from '../access/tiers/tiers.ts';
import type { Reply } from '../http/output/reply.ts';
import { Problem } from '../lib/problem.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { insertCondition } from './market/condition-store.ts';
import { type OwnerUse, upsertOwner } from './owner-store.ts';
import { type ResolvedTarget, resolveTarget, type WatcherOptions } from './resolve-target.ts';
import { presentWatcher, watcherEtag } from './watcher.ts';
import { parseWatcher, type WatcherInput } from './watcher-body.ts';
import { logWatchers } from './watcher-log.ts';
import { limitsOf, overLimit, ownerUseOf } from './watcher-owner.ts';
import { countWatchers, insertWatcher, lockAllowance } from './watcher-store.ts';
import {
  answerSealing,
  createWebhooks,
  type JudgedUrls,
  withJudgedUrls,
} from './webhooks/register-webhooks.ts';
import { deliveryOf, type WebhookInput } from './webhooks/webhook-body.ts';

export interface CreateRequest {
  readonly body: unknown;
  readonly caller: Principal;
  readonly headers: IncomingHttpHeaders;
}

/** Creates a watcher, or gives the answer of an earlier request with the same Idempotency-Key. */
export async function createWatcher(options: WatcherOptions, request: CreateRequest): Promise<Reply> {
  const { database, clock, webhooks } = options;
  const answers = { database, clock, sealing: answerSealing(webhooks) };
  const { body, caller, headers } = request;
  const use = ownerUseOf(caller);
  const idempotent = idempotentRequest(use.owner, headers, body);
  const earlier = await findEarlierAnswer(answers, idempotent);
  if (earlier !== null) return replyOf(earlier);
  const input = parseWatcher(body, clock.now());
  checkCadence(options, input.requestedCadence, use.plan);
  const delivery = deliveryOf(body) ?? [];
  const target = await resolveTarget(options, input.target, caller);
  const wanted = { owner: use.owner, inputs: delivery, present: [] };
  const answer = await withJudgedUrls(webhooks, wanted, (judged) =>
    answerOnce(answers, idempotent, (tx) =>
      writeWatcher(options, tx, { input, target, use, delivery, judged }),
    ),
  );
  return replyOf(answer);
}

interface Draft {
  readonly input: WatcherInput;
  readonly target: ResolvedTarget;
  readonly use: OwnerUse;
  readonly delivery: readonly WebhookInput[];
  readonly judged: JudgedUrls;
}

async function writeWatcher(
  { tiers, clock, setGrantWatched, webhooks }: WatcherOptions,
  tx: Transaction,
  { input, target, use, delivery: inputs, judged }: Draft,
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
      ...input,
      ...target,
      owner,
      allowance,
      subscription: grant === null ? subscription : null,
      grant,
      id: `wat_${randomBytes(12).toString('hex')}`,
      cadence: cadenceOf(limits, input.requestedCadence),
      timeZone: input.timeZone ?? target.timeZone,
      eventsPerHour: limits.events,
      ignoreDisplayRules: limits.mayIgnoreDisplayRules && target.search?.ignoreDisplayRules === true,
    },
    new Date(now),
  );
  if (target.condition !== null) await insertCondition(tx, watcher.no, target.condition, new Date(now));
  if (grant !== null && !(await setGrantWatched(tx, grant, true)))
    throw new Problem('INVALID_TOKEN', 'The access token has been revoked.');
  const list = { watcher, inputs, judged, now: new Date(now) };
  const { delivery, secrets } = await createWebhooks(webhooks, tx, list);
  await logWatchers(tx, 'created', [watcher], now);
  if (delivery.length > 0) await logWatchers(tx, 'tested', [watcher], now);
  return {
    status: 201,
    headers: { location: `/v1/watchers/${watcher.id}`, etag: watcherEtag(watcher) },
    body: JSON.stringify(presentWatcher({ ...watcher, delivery }, secrets)),
    isSecret: secrets.size > 0,
  };
}

/** Throws TIER_RESTRICTED for a cadence that is faster than the plan's. */
export function checkCadence(
  { tiers }: Pick<WatcherOptions, 'tiers'>,
  cadence: Cadence | null,
  plan: Plan,
): void {
  const fastest = tiers[plan].cadence;
  if (cadence === null || isCadenceAllowed(tiers[plan], cadence)) return;
  throw new Problem(
    'TIER_RESTRICTED',
    `The ${tierName(plan)} tier does not have the cadence ${cadence}: its fastest is ${fastest}. Leave cadence out, or use a higher tier.`,
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
