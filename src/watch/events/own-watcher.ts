// A watcher that a path names: its owner's alone, and unknown to everybody else.

import { Type } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { isOwnWatcher } from './read-store.ts';

export const WatcherParams = Type.Object({
  id: Type.String({ maxLength: 60, missing: 'WATCHER_NOT_FOUND', description: 'The id of a watcher.' }),
});

/** The same for unknown ids and those of others. */
export const noWatcher = (): Problem =>
  new Problem('WATCHER_NOT_FOUND', 'You have no watcher with this id. GET /v1/watchers lists yours.');

/** The owner of a caller with credentials. */
export function ownerOfCaller({ owner }: Principal): string {
  if (owner === null) throw new Error('Only anonymous callers have no owner');
  return owner;
}

/** Throws WATCHER_NOT_FOUND unless the watcher is the caller's. */
export async function requireOwnWatcher(database: Database, caller: Principal, id: string): Promise<void> {
  const owner = ownerOfCaller(caller);
  if (!(await database.read((sql) => isOwnWatcher(sql, owner, id), { planned: 'once' }))) throw noWatcher();
}
