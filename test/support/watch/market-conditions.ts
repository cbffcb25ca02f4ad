// Watchers of market figures as tests make them, without a service; and the crossings that the log of changes tells.

import { formatTime } from '../../../src/lib/clock.ts';
import type { Database, Transaction } from '../../../src/postgres/client/database.ts';
import { figureOf, type MarketTarget } from '../../../src/watch/market/condition.ts';
import { insertCondition } from '../../../src/watch/market/condition-store.ts';
import type { Watcher } from '../../../src/watch/watcher.ts';
import { logWatchers } from '../../../src/watch/watcher-log.ts';
import { deleteWatcher, insertWatcher, updateWatcher } from '../../../src/watch/watcher-store.ts';

let created = 0;

/** A target that compares the figure of an area. */
export const marketTarget = (areaId: string, condition: MarketTarget['condition']): MarketTarget => ({
  type: 'market',
  areaId,
  listingType: 'sale',
  metric: 'inventory',
  condition,
});

/** Creates a watcher as POST /v1/watchers does; `now` in milliseconds. */
export function createMarketWatcher(
  database: Database,
  target: MarketTarget,
  now: number,
  owner = 'sub:1',
): Promise<Watcher> {
  return database.transaction(async (tx) => {
    const watcher = await insertWatcher(
      tx,
      {
        id: `wat_market${++created}x${process.pid}`,
        owner,
        allowance: owner,
        subscription: '1',
        grant: null,
        name: null,
        target,
        search: null,
        interpretation: null,
        cadence: 'instant',
        requestedCadence: null,
        timeZone: 'UTC',
        events: ['market.threshold_crossed'],
        eventsPerHour: null,
        ignoreDisplayRules: false,
        backfill: false,
        expiresAt: null,
        metadata: {},
        initialMatchCount: null,
      } as Parameters<typeof insertWatcher>[1],
      new Date(now),
    );
    const { op, value: threshold } = target.condition;
    await insertCondition(tx, watcher.no, { figure: figureOf(target, true), op, threshold }, new Date(now));
    await logWatchers(tx, 'created', [watcher], now);
    return watcher;
  });
}

export type StatusStep = 'pause' | 'resume' | 'expire' | 'delete';

/** Changes a watcher's status as its owner does. */
export function changeWatcherStatus(
  database: Database,
  watcher: Watcher,
  step: StatusStep,
  now: number,
): Promise<void> {
  const apply = async (tx: Transaction): Promise<void> => {
    if (step === 'delete') {
      await deleteWatcher(tx, watcher);
      return logWatchers(tx, 'deleted', [watcher], now);
    }
    const status = ({ pause: 'paused', resume: 'active', expire: 'expired' } as const)[step];
    const change = { ...watcher, status, statusReason: status === 'paused' ? ('owner' as const) : null };
    const written = await updateWatcher(tx, watcher, change, new Date(now));
    const action = ({ pause: 'paused', resume: 'resumed', expire: 'expired' } as const)[step];
    await logWatchers(tx, action, [written], now);
  };
  return database.transaction(apply);
}

/** A crossing: `<watcher> <time> <previous> <value>`, in the order of the log. */
export async function crossings(database: Database): Promise<string[]> {
  const rows = await database.read(
    (sql) => sql<{ watcherId: string; at: string; crossing: { value: number; previous: number } }[]>`
      select watcher_id as "watcherId", at, after -> 'crossing' as crossing from change
      join change_batch as batch on batch.id = batch_id
      where action = 'crossed' order by first_sequence, ordinal`,
  );
  return rows.map(({ watcherId, at, crossing }) => crossingKey(watcherId, Date.parse(at), crossing));
}

export const crossingKey = (
  watcherId: string,
  at: number,
  { value, previous }: { readonly value: number; readonly previous: number },
): string => `${watcherId} ${formatTime(at)} ${previous} -> ${value}`;
