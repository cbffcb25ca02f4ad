// Changes of a watcher by its owner: updated, paused, resumed, deleted; each with its entry in the log.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../access/tiers/tiers.ts';
import { isKnown } from '../http/output/etag.ts';
import { Problem } from '../lib/problem.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { checkCadence } from './create-watcher.ts';
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

export interface ChangeRequest {
  readonly id: string;
  readonly caller: Principal;
  readonly headers: IncomingHttpHeaders;
}

/** Milliseconds for a transaction that waits for others of the same owner. */
const TIMEOUT = 10_000;

/** Changes members. Throws PRECONDITION_FAILED, CONFLICT for an expired watcher, INVALID_BODY, TIER_RESTRICTED. */
export function changeWatcher(
  options: WatcherOptions,
  request: ChangeRequest,
  body: unknown,
): Promise<Watcher> {
  return withLockedWatcher(options, request, async (tx, watcher) => {
    requireUnexpired(watcher);
    const update = parseUpdate(body, watcher, options.clock.now());
    const plan = await upsertOwner(tx, ownerUseOf(request.caller), new Date(options.clock.now()));
    if (update.cadence !== watcher.cadence) checkCadence(options, update, plan);
    return saveChange(options, tx, watcher, { ...watcher, ...update }, 'updated');
  });
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

/** Resumes it. Throws TIER_RESTRICTED for a watcher beyond the plan's number. */
export function resumeWatcher(options: WatcherOptions, request: ChangeRequest): Promise<Watcher> {
  return withLockedWatcher(options, request, async (tx, watcher) => {
    requireUnexpired(watcher);
    const plan = await upsertOwner(tx, ownerUseOf(request.caller), new Date(options.clock.now()));
    const { watchers } = options.tiers[plan];
    if (watchers !== null && (await countOlder(tx, watcher)) >= watchers)
      throw overLimit(plan, options.tiers[plan]);
    return saveChange(options, tx, watcher, { ...watcher, status: 'active', statusReason: null }, 'resumed');
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
async function withLockedWatcher(
  { database }: WatcherOptions,
  { id, caller, headers }: ChangeRequest,
  change: (tx: Transaction, watcher: Watcher) => Promise<Watcher>,
): Promise<Watcher> {
  const { owner } = ownerUseOf(caller);
  const known = await database.read((sql) => findWatcher(sql, owner, id), { planned: 'once' });
  if (known === null) throw noWatcher();
  const work = async (tx: Transaction): Promise<Watcher> => {
    await lockAllowance(tx, known.allowance);
    const watcher = await findWatcherForUpdate(tx, owner, id);
    if (watcher === null) throw noWatcher();
    requireMatch(watcher, headers);
    return change(tx, watcher);
  };
  return database.transaction(work, { timeout: TIMEOUT });
}

/** Writes a change with its entry; the watcher as it is if nothing differs. */
async function saveChange(
  { clock }: WatcherOptions,
  tx: Transaction,
  before: Watcher,
  after: WatcherChange,
  action: WatcherAction,
): Promise<Watcher> {
  if (JSON.stringify(before) === JSON.stringify(after)) return before;
  const now = clock.now();
  const written = await updateWatcher(tx, before, after, new Date(now));
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

function requireUnexpired({ status }: Watcher): void {
  if (status !== 'expired') return;
  throw new Problem('CONFLICT', 'The watcher has expired and cannot be changed. Create another one.');
}
