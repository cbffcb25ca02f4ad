// Acts of the operator on watchers of every owner: paused, moved to another owner, replayed.

import type { Plan } from '../access/tiers/tiers.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { findAnyWatcher, moveWatchers } from './operator-store.ts';
import { markOwnersDue, upsertOwner } from './owner-store.ts';
import type { Watcher } from './watcher.ts';
import { logWatchers } from './watcher-log.ts';
import { findWatcherForUpdate, lockAllowance, updateWatcher } from './watcher-store.ts';

export interface OperatorOptions {
  readonly database: Database;
  readonly clock: Clock;
}

/** Milliseconds for one transaction. */
const TIMEOUT = 30_000;
const BATCH = 1_000;

/** Runs an act on one watcher, which nobody else changes meanwhile. Null: there is none. */
async function onWatcher(
  { database }: OperatorOptions,
  id: string,
  act: (tx: Transaction, watcher: Watcher) => Promise<Watcher>,
): Promise<Watcher | null> {
  return database.transaction(
    async (tx) => {
      const known = await findAnyWatcher(tx, id);
      if (known === null) return null;
      await lockAllowance(tx, known.allowance);
      const watcher = await findWatcherForUpdate(tx, known.owner, id);
      return watcher && act(tx, watcher);
    },
    { timeout: TIMEOUT },
  );
}

/** Pauses a watcher that has not expired; its owner can resume it. */
export function pauseByOperator(options: OperatorOptions, id: string): Promise<Watcher | null> {
  return onWatcher(options, id, async (tx, watcher) => {
    if (watcher.status === 'expired' || watcher.statusReason === 'owner') return watcher;
    const now = options.clock.now();
    const change = { ...watcher, status: 'paused', statusReason: 'owner' } as const;
    const paused = await updateWatcher(tx, watcher, change, new Date(now));
    await logWatchers(tx, 'paused', [paused], now);
    return paused;
  });
}

/** Tells an active watcher's owner what matches now, as `backfill` does at a creation. */
export function replayWatcher(options: OperatorOptions, id: string): Promise<Watcher | null> {
  return onWatcher(options, id, async (tx, watcher) => {
    if (watcher.status === 'active') await logWatchers(tx, 'replayed', [watcher], options.clock.now());
    return watcher;
  });
}

/** The owner that gets the watchers, with a subscription of its own. */
export interface NewOwner {
  readonly owner: string;
  readonly subscription: string;
  readonly plan: Plan;
}

/** Gives all watchers of one owner to another, and returns how many. The new owner's plan sets their limits from then on. */
export async function moveAllWatchers(options: OperatorOptions, from: string, to: NewOwner): Promise<number> {
  const { database, clock } = options;
  const now = clock.now();
  const batch = { now: new Date(now), max: BATCH };
  let total = 0;
  for (let count = BATCH; count === BATCH; total += count) {
    count = await database.transaction(
      async (tx) => {
        // In one order, so that two moves do not wait for each other.
        for (const allowance of [from, to.owner].toSorted()) await lockAllowance(tx, allowance);
        const use = { ...to, allowance: to.owner, grant: null };
        await upsertOwner(tx, use, new Date(now));
        const moved = await moveWatchers(tx, from, to, batch);
        await logWatchers(tx, 'updated', moved, now);
        await markOwnersDue(tx, { owner: to.owner });
        return moved.length;
      },
      { timeout: TIMEOUT },
    );
  }
  return total;
}
