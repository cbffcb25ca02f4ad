// Upkeep of watchers: follows the subscriptions of owners, and ends watchers that are due, while the service runs.

import { ANSWER_LIFETIME } from '../access/idempotency/answer-once.ts';
import { deleteOldAnswers } from '../access/idempotency/answer-store.ts';
import type { BackingStatus, OwnerStatus } from '../access/keys/owner-status.ts';
import { PLANS, type Plan, type Tiers } from '../access/tiers/tiers.ts';
import { type Clock, DAY, MINUTE } from '../lib/clock.ts';
import { startPeriodicWork } from '../lib/periodic-work.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { restartDigests } from './digests/schedule-store.ts';
import {
  applyLimits,
  claimOwners,
  deleteExpired,
  expireWatchers,
  markDueIfOverLimit,
  markOwnersDue,
  type OwnerCheck,
  type PlanLimits,
  pauseEnded,
  releaseOwner,
  updateChecked,
} from './owner-store.ts';
import type { WatcherOptions } from './resolve-target.ts';
import type { Watcher } from './watcher.ts';
import { logChanged, logWatchers } from './watcher-log.ts';
import { limitsOf } from './watcher-owner.ts';
import { countWatchersOf, lockAllowance } from './watcher-store.ts';

export interface OwnerUpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly ownerStatus: Pick<OwnerStatus, 'check' | 'checkGrant' | 'onHint'>;
  readonly setGrantWatched: WatcherOptions['setGrantWatched'];
  readonly report: (error: unknown) => void;
}

/** Milliseconds between the end of one round and the next. */
const PAUSE = 10_000;
/** Milliseconds between two checks of an owner; the provider is queried half as often. */
const CHECK_INTERVAL = 5 * MINUTE;
/** Milliseconds until an owner is checked again whose state nobody knows. */
const RETRY_PAUSE = MINUTE;
/** Milliseconds for which an expired watcher can still be read: as long as its events. */
const EXPIRED_AGE = 30 * DAY;
/** Owners checked at once. */
const OWNERS = 50;
/** Watchers changed in one transaction: each may be as large as a body, and is read and logged in one turn. */
const BATCH = 50;
/** Answers deleted at once. */
const ANSWERS = 1_000;
/** Milliseconds for one such transaction. */
const TIMEOUT = 30_000;

/** Works now, then after each pause and each hint. `stop` ends after the current step. */
export function startOwnerUpkeep(options: OwnerUpkeepOptions): { stop(): Promise<void> } {
  const { clock, database, ownerStatus, report } = options;
  const upkeep = startPeriodicWork({
    clock,
    report,
    pause: PAUSE,
    work: (isStopped) => runUpkeep(options, isStopped),
  });
  const unsubscribe = ownerStatus.onHint((hint) => {
    database.write((sql) => markOwnersDue(sql, hint)).then(upkeep.runNow, report);
  });
  return {
    stop() {
      unsubscribe();
      return upkeep.stop();
    },
  };
}

/** One round over everything that is due. */
export async function runUpkeep(
  options: OwnerUpkeepOptions,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const { database, clock } = options;
  const steps = [
    () => expireDue(options),
    () => checkOwners(options),
    () => deleteOldExpired(options),
    () =>
      database.write((sql) => deleteOldAnswers(sql, new Date(clock.now() - ANSWER_LIFETIME), ANSWERS), {
        timeout: TIMEOUT,
      }),
  ];
  for (const step of steps) {
    let done = BATCH;
    while (done >= BATCH && !isStopped()) done = await step();
  }
}

const inTransaction = <T>(
  { database }: OwnerUpkeepOptions,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> => database.transaction(work, { timeout: TIMEOUT });

/** Expires watchers whose time has come. */
async function expireDue(options: OwnerUpkeepOptions): Promise<number> {
  const now = options.clock.now();
  return inTransaction(options, async (tx) => {
    const expired = await expireWatchers(tx, 'due', { now: new Date(now), max: BATCH });
    await logWatchers(tx, 'expired', expired, now);
    for (const allowance of new Set(expired.map((watcher) => watcher.allowance)))
      await markDueIfOverLimit(tx, allowance);
    for (const { owner, grant } of expired)
      if (grant !== null && (await countWatchersOf(tx, owner)) === 0)
        await options.setGrantWatched(tx, grant, false);
    return expired.length;
  });
}

/** Deletes watchers that expired long ago. */
async function deleteOldExpired(options: OwnerUpkeepOptions): Promise<number> {
  const now = options.clock.now();
  return inTransaction(options, async (tx) => {
    const deleted = await deleteExpired(tx, new Date(now - EXPIRED_AGE), BATCH);
    await logWatchers(tx, 'deleted', deleted, now);
    return deleted.length;
  });
}

/** Checks some owners that are due; BATCH if there may be more. */
async function checkOwners(options: OwnerUpkeepOptions): Promise<number> {
  const before = new Date(options.clock.now() - CHECK_INTERVAL);
  const claimed = await inTransaction(options, (tx) => claimOwners(tx, before, OWNERS));
  await Promise.all(claimed.map((check) => checkOwner(options, check)));
  return claimed.length === OWNERS ? BATCH : 0;
}

/** What is known of who pays for an owner's watchers. Null: nobody knows, and everything stays as it is. */
type ResolvedPlan = { readonly plan: Plan | null; readonly ended: readonly string[] } | null;

async function checkOwner(options: OwnerUpkeepOptions, check: OwnerCheck): Promise<void> {
  const resolved = await resolvePlan(options, check);
  const now = options.clock.now();
  if (resolved === null) {
    const retryAt = now + RETRY_PAUSE;
    await options.database.write((sql) => releaseOwner(sql, check, new Date(retryAt - CHECK_INTERVAL)));
    return;
  }
  const { plan } = resolved;
  const limits = plan === null ? null : limitsOf(options.tiers, plan);
  const appliedLimits = plan === null ? '' : JSON.stringify(limits);
  if (limits === null) await endWatchers(options, check);
  else if (check.hasEnded || appliedLimits !== check.appliedLimits)
    await applyLimitsToAll(options, check, limits);
  const ended = plan === null ? [] : resolved.ended;
  const state = { ...check, plan: plan ?? check.plan, hasEnded: plan === null, appliedLimits, ended };
  await inTransaction(options, (tx) => updateChecked(tx, state, new Date(now)));
}

async function resolvePlan({ ownerStatus }: OwnerUpkeepOptions, check: OwnerCheck): Promise<ResolvedPlan> {
  const { grant, subscriptions, hasEnded, plan: known } = check;
  const statuses: readonly BackingStatus[] =
    grant !== null
      ? [await ownerStatus.checkGrant(grant)]
      : await Promise.all(subscriptions.map((subscription) => ownerStatus.check(subscription)));
  const isOpen = statuses.length === 0 || statuses.some(({ state }) => state === 'unavailable');
  const active = statuses.flatMap((status) => (status.state === 'active' ? [status.plan] : []));
  if (active.length === 0) return isOpen ? null : { plan: null, ended: [] };
  // A subscription that nobody can ask about now may be the one that gave the known plan.
  const held = isOpen && !hasEnded ? [known] : [];
  const plan = PLANS.findLast((each) => active.includes(each) || held.includes(each)) ?? known;
  const isOver = (at: number) => ['ended', 'revoked'].includes(statuses[at]?.state ?? '');
  return { plan, ended: grant === null ? subscriptions.filter((_, at) => isOver(at)) : [] };
}

/** Pauses the watchers of an owner; those of a grant expire, since nothing brings a grant back. */
async function endWatchers(
  options: OwnerUpkeepOptions,
  { owner, allowance, grant }: OwnerCheck,
): Promise<void> {
  const now = options.clock.now();
  const batch = { now: new Date(now), max: BATCH };
  let changed: readonly Watcher[];
  do {
    changed = await inTransaction(options, async (tx) => {
      await lockAllowance(tx, allowance);
      const watchers =
        grant === null ? await pauseEnded(tx, owner, batch) : await expireWatchers(tx, { owner }, batch);
      await logWatchers(tx, grant === null ? 'paused' : 'expired', watchers, now);
      if (grant !== null) await markDueIfOverLimit(tx, allowance);
      return watchers;
    });
  } while (changed.length === BATCH);
}

/** Fits all watchers of an allowance to its plan. */
async function applyLimitsToAll(
  options: OwnerUpkeepOptions,
  { allowance }: OwnerCheck,
  limits: PlanLimits,
): Promise<void> {
  const now = options.clock.now();
  let count: number;
  do {
    count = await inTransaction(options, async (tx) => {
      await lockAllowance(tx, allowance);
      const changed = await applyLimits(tx, allowance, limits, { now: new Date(now), max: BATCH });
      await logChanged(tx, changed, now);
      const restarted = changed.filter(({ watcher, cadenceBefore }) => watcher.cadence !== cadenceBefore);
      await restartDigests(
        tx,
        restarted.map(({ watcher }) => watcher.id),
        new Date(now),
      );
      return changed.length;
    });
  } while (count === BATCH);
}
