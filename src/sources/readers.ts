// Readers of all sources of this process: one replication for each, so that one that fails stops no other.

import { startForEach } from './for-each.ts';
import { type Replication, type ReplicationOptions, startReplication } from './replicate.ts';
import type { ReplicationStatus } from './replication-status.ts';
import type { SourceSet } from './source-set.ts';

export interface ReadersOptions
  extends Omit<ReplicationOptions, 'source' | 'interval' | 'control' | 'onProgress'> {
  readonly sources: Pick<SourceSet, 'list' | 'get' | 'onChange'>;
  /** The source of the settings of this process, whose first load is shown as it goes on; null: none. */
  readonly own: string | null;
  readonly onProgress?: ReplicationOptions['onProgress'];
}

export interface Readers {
  /** Null: the source is not read here. */
  status(id: string): ReplicationStatus | null;
  stop(): Promise<void>;
}

export function startReaders({ sources, own, onProgress, ...common }: ReadersOptions): Readers {
  const running = startForEach<Replication>(sources, {
    // Its lease is given back, and its status says that it is paused.
    whilePaused: true,
    start: (source, { id, interval, control }) =>
      startReplication({
        ...common,
        ...(id === own && onProgress && { onProgress }),
        source,
        interval,
        control,
      }),
    update: (replication, { control }) => replication.control(control),
  });
  return {
    status: (id) => running.get(id)?.status() ?? null,
    stop: () => running.stop(),
  };
}
