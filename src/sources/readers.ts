// Readers of all sources of this process: one replication for each, so that one that fails stops no other.

import { type Replication, type ReplicationOptions, startReplication } from './replicate.ts';
import type { ReplicationStatus } from './replication-status.ts';
import type { Source } from './source.ts';
import type { ActiveSource, SourceSet } from './source-set.ts';

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

interface Reader {
  readonly source: Source;
  readonly replication: Replication;
}

export function startReaders(options: ReadersOptions): Readers {
  const { sources, own, onProgress, ...common } = options;
  const readers = new Map<string, Reader>();
  /** Readers that end: the next one of a source begins without them, and waits for their lease. */
  const ending = new Set<Promise<void>>();
  const end = (id: string, { replication }: Reader): void => {
    readers.delete(id);
    const ended = replication.stop().finally(() => ending.delete(ended));
    ending.add(ended);
  };
  const start = ({ id, interval, control }: ActiveSource, source: Source): void => {
    const progress = id === own && onProgress ? { onProgress } : {};
    readers.set(id, {
      source,
      replication: startReplication({ ...common, ...progress, source, interval, control }),
    });
  };
  const follow = (): void => {
    for (const [id, reader] of readers) if (sources.get(id)?.source !== reader.source) end(id, reader);
    for (const active of sources.list()) {
      const reader = readers.get(active.id);
      if (reader !== undefined) reader.replication.control(active.control);
      else if (active.source !== null) start(active, active.source);
    }
  };
  const cancel = sources.onChange(follow);
  follow();
  return {
    status: (id) => readers.get(id)?.replication.status() ?? null,
    async stop() {
      cancel();
      for (const [id, reader] of readers) end(id, reader);
      await Promise.all(ending);
    },
  };
}
