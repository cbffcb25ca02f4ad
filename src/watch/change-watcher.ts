// Changes of a watcher by its owner: updated, paused, resumed, deleted; each with its entry in the log.

import type { IncomingHttpHeaders } from 'node:http';
import { cadenceOf, type Principal } from '../access/tiers/tiers.ts';
import { isKnown } from '../http/output/etag.ts';
import { Problem } from '../lib/problem.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { checkCadence } from './create-watcher.ts';
import { restartDigests } from './digests/schedule-store.ts';
import { noWatcher } from './events/own-watcher.ts';
import { markDueIfOverLimit, upsertOwner } from './owner-store.ts';
import type { WatcherOptions } from './resolve-target.ts';
import { type Watcher, watcherEtag } from './watcher.ts';
import { parseUpdate } from './watcher-body.ts';
import { logWatchers, type WatcherAction } from './watcher-log.ts';
import { overLimit, ownerUseOf } from './watcher-owner.ts';
import {
  countOlder,
  countWatchersOf,
  deleteWatcher,
  findWatcher,
  findWatcherForUpdate,
  lockAllowance,
  updateWatcher,
  type WatcherChange,
} from './watcher-store.ts';
import { replaceWebhooks, withJudgedUrls } from './webhooks/register-webhooks.ts';
import { deliveryOf } from './webhooks/webhook-body.ts';
import { resumeWebhooks } from './webhooks/webhook-store.ts';

export interface ChangeRequest {
  readonly id: string;
  readonly caller: Principal;
  readonly headers: IncomingHttpHeaders;
}

/** Milliseconds for a transaction that waits for others of the same owner. */
const TIMEOUT = 10_000;

/** A changed watcher, and the secrets of new webhooks, by their places. */
export interface ChangedWatcher {
  readonly watcher: Watcher;
  readonly secrets: ReadonlyMap<number, string>;
}

/**
 * Changes members. Throws PRECONDITION_FAILED, CONFLICT for an expired watcher, INVALID_BODY, TIER_RESTRICTED, and of URLs of
 * webhooks RATE_LIMITED and WEBHOOKS_UNAVAILABLE.
 */
export async function changeWatcher(
  options: WatcherOptions,
  request: ChangeRequest,
  body: unknown,
): Promise<ChangedWatcher> {
  const { clock, webhooks } = options;
  const known = await findOwn(options, request);
  parseUpdate(body, known, clock.now());
  const inputs = deliveryOf(body);
  const wanted = { owner: known.owner, inputs: inputs ?? [], present: known.delivery };
  let secrets: ChangedWatcher['secrets'] = new Map();
  // The URLs before the transaction: name servers can be slow.
  const watcher = await withJudgedUrls(webhooks, wanted, (judged) =>
    withLockedWatcher(options, request, async (tx, watcher) => {
      requireUnexpired(watcher);
      const update = parseUpdate(body, watcher, clock.now());
      const plan = await upsertOwner(tx, ownerUseOf(request.caller), new Date(options.clock.now()));
      if (body !== null && typeof body === 'object' && 'cadence' in body)
        checkCadence(options, update.requestedCadence, plan);
      const cadence = cadenceOf(options.tiers[plan], update.requestedCadence);
      const now = new Date(clock.now());
      const list = inputs && (await replaceWebhooks(webhooks, tx, { watcher, inputs, judged, now }));
      secrets = list?.secrets ?? secrets;
      const after = { ...watcher, ...update, cadence };
      const written = await saveChange(options, tx, watcher, after, 'updated', list?.isChanged);
      if (list?.isVerifying) await logWatchers(tx, 'tested', [written], clock.now());
      return written;
    }),
  );
  return { watcher, secrets };
}

/** Pauses it until its owner resumes it, also if it is paused for another reason. */
export function pauseWatcher(options: WatcherOptions, request: ChangeRequest): Promise<Watcher> {
  return withLockedWatcher(options, request, (tx, watcher) => {
    requireUnexpired(watcher);
    return saveChange(
      options,
      tx,
      watcher,
      { ...watcher, status: 'paused', statusReason: 'owner' },
      'paused',
    );
  });
}

/**
 * Resumes it, with its webhooks. Throws TIER_RESTRICTED for a watcher beyond the plan's number, RATE_LIMITED for webhooks that
 * have never been answered with 2xx.
 */
export function resumeWatcher(options: WatcherOptions, request: ChangeRequest): Promise<Watcher> {
  return withLockedWatcher(options, request, async (tx, watcher) => {
    requireUnexpired(watcher);
    const plan = await upsertOwner(tx, ownerUseOf(request.caller), new Date(options.clock.now()));
    const { watchers } = options.tiers[plan];
    if (watchers !== null && (await countOlder(tx, watcher)) >= watchers)
      throw overLimit(plan, options.tiers[plan]);
    // Those that were never answered are tried at once: this must not be a way around the limit on tests.
    const unproved = watcher.delivery.filter(({ lastSuccessAt }) => lastSuccessAt === null);
    options.webhooks.limits.take(
      watcher.owner,
      unproved.map(({ url }) => new URL(url)),
    );
    const change = { ...watcher, status: 'active', statusReason: null } as const;
    const { isVerifying } = await resumeWebhooks(tx, watcher, new Date(options.clock.now()));
    const resumed = await saveChange(options, tx, watcher, change, 'resumed');
    if (isVerifying) await logWatchers(tx, 'tested', [resumed], options.clock.now());
    return isVerifying ? ((await findWatcher(tx, resumed.owner, resumed.id)) ?? resumed) : resumed;
  });
}

/** Deletes it. Events that were sent stay in the log. */
export async function removeWatcher(options: WatcherOptions, request: ChangeRequest): Promise<void> {
  await withLockedWatcher(options, request, async (tx, watcher) => {
    await deleteWatcher(tx, watcher);
    await logWatchers(tx, 'deleted', [watcher], options.clock.now());
    await markDueIfOverLimit(tx, watcher.allowance);
    const { grant } = watcher;
    if (grant !== null && (await countWatchersOf(tx, watcher.owner)) === 0)
      await options.setGrantWatched(tx, grant, false);
    return watcher;
  });
}

/** Changes a watcher of the caller in a transaction that nobody else changes it in. */
export async function withLockedWatcher<T>(
  options: WatcherOptions,
  request: ChangeRequest,
  change: (tx: Transaction, watcher: Watcher) => Promise<T>,
): Promise<T> {
  const { allowance, owner, id } = await findOwn(options, request);
  const work = async (tx: Transaction): Promise<T> => {
    await lockAllowance(tx, allowance);
    const watcher = await findWatcherForUpdate(tx, owner, id);
    if (watcher === null) throw noWatcher();
    requireMatch(watcher, request.headers);
    return change(tx, watcher);
  };
  return options.database.transaction(work, { timeout: TIMEOUT });
}

/** Throws WATCHER_NOT_FOUND for unknown and foreign ids alike. */
async function findOwn({ database }: WatcherOptions, { id, caller }: ChangeRequest): Promise<Watcher> {
  const { owner } = ownerUseOf(caller);
  const watcher = await database.read((sql) => findWatcher(sql, owner, id), { planned: 'once' });
  if (watcher === null) throw noWatcher();
  return watcher;
}

/**
 * Writes a change with its entry; the watcher as it is if nothing differs.
 * @param isChanged also if its webhooks differ
 */
async function saveChange(
  { clock }: WatcherOptions,
  tx: Transaction,
  before: Watcher,
  after: WatcherChange,
  action: WatcherAction,
  isChanged = false,
): Promise<Watcher> {
  if (!isChanged && JSON.stringify(before) === JSON.stringify(after)) return before;
  const now = clock.now();
  const written = await updateWatcher(tx, before, after, new Date(now));
  if (before.cadence !== after.cadence || before.timeZone !== after.timeZone)
    await restartDigests(tx, [before.id], new Date(now));
  await logWatchers(tx, action, [written], now);
  return written;
}

function requireMatch(watcher: Watcher, { 'if-match': ifMatch }: IncomingHttpHeaders): void {
  if (ifMatch === undefined || isKnown(ifMatch, watcherEtag(watcher))) return;
  throw new Problem(
    'PRECONDITION_FAILED',
    'The watcher has changed since the version in If-Match. Read it again, then send the change with its new ETag.',
  );
}

export function requireUnexpired({ status }: Watcher): void {
  if (status !== 'expired') return;
  throw new Problem('CONFLICT', 'The watcher has expired and cannot be changed. Create another one.');
}
