// Watcher as its owner sees it, and the entity tag of its version.

import { formatTime } from '../lib/clock.ts';
import type { Watcher } from './watcher.ts';

/** The public record, in the form of WatcherSchema. */
export function presentWatcher(watcher: Watcher) {
  const { id, name, target, interpretation, events, cadence, backfill, status, statusReason } = watcher;
  return {
    ...{
      id,
      object: 'watcher',
      name,
      target,
      interpretation,
      events,
      cadence,
      backfill,
      status,
      statusReason,
    },
    initialMatchCount: watcher.initialMatchCount,
    createdAt: formatTime(watcher.createdAt),
    updatedAt: formatTime(watcher.updatedAt),
    expiresAt: formatTime(watcher.expiresAt),
    metadata: watcher.metadata,
    version: watcher.version,
  };
}

/** A strong tag: each change of a watcher has a version of its own. */
export const watcherEtag = ({ id, version }: Watcher): string => `"${id}.${version}"`;
