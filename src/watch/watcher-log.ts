// Private entries of watchers: each change of one is written to the log of changes in the transaction that makes it.

import { appendPrivateEntries } from '../changes/change-store.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { definitionOf } from './matching/watcher-definition.ts';
import type { ChangedWatcher } from './owner-store.ts';
import type { Watcher } from './watcher.ts';

/** What happened to a watcher. */
export type WatcherAction =
  | 'created'
  | 'updated'
  | 'paused'
  | 'resumed'
  | 'expired'
  | 'deleted'
  | 'replayed'
  | 'tested';

/** Appends one entry for each watcher, with its definition as it is now. `at`: milliseconds. */
export function logWatchers(
  tx: Transaction,
  action: WatcherAction,
  watchers: readonly Watcher[],
  at: number,
): Promise<void> {
  return appendPrivateEntries(
    tx,
    watchers.map((watcher) => ({ watcherId: watcher.id, action, data: definitionOf(watcher) })),
    at,
  );
}

/** The same for watchers whose status may have changed. */
export function logChanged(tx: Transaction, changed: readonly ChangedWatcher[], at: number): Promise<void> {
  return appendPrivateEntries(
    tx,
    changed.map(({ watcher, before }) => ({
      watcherId: watcher.id,
      action: actionOf(before, watcher.status),
      data: definitionOf(watcher),
    })),
    at,
  );
}

function actionOf(before: string, after: string): WatcherAction {
  if (before === after) return 'updated';
  return after === 'active' ? 'resumed' : 'paused';
}
