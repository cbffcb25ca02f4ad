// Copying of pictures in the background: each source by one process at a time, and none waits for another.

import { PlacementCache } from '../../ingest/placement-cache.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { NetworkAccess } from '../../lib/network/network-access.ts';
import { startPeriodicWork } from '../../lib/periodic-work.ts';
import type { Database } from '../../postgres/client/database.ts';
import { takeLease } from '../../postgres/leases/held-lease.ts';
import { type LeaseTimes, WorkTaken } from '../../postgres/leases/work-lease.ts';
import type { PictureFiles } from '../pictures/picture-files.ts';
import type { PictureSource } from '../pictures/picture-source.ts';
import { Copier } from './copier.ts';
import { countPictures, findDue, findDueSources, findRest, type PictureCounts } from './copy-store.ts';
import { HostRests } from './host-rests.ts';

export interface CopyingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly access: Pick<NetworkAccess, 'check' | 'outbound'>;
  readonly files: PictureFiles;
  /** The source with this id, as far as this process can fetch its pictures. */
  readonly sourceOf: (id: string) => Promise<PictureSource | null>;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
  /** Milliseconds between two looks at what is due, and when another process may copy in place of one that is gone. */
  readonly times?: { readonly look: number; readonly lease?: LeaseTimes };
}

/** Milliseconds between two looks at what is due. */
const LOOK = 5_000;
/** Milliseconds between two counts of what waits, for the metrics. */
const COUNT = 30_000;
/** Sources that are copied at once. */
const MAX_SOURCES = 8;
const BATCH = 20;

export function startCopying(options: CopyingOptions): { stop(): Promise<void> } {
  const { database, clock, metrics, report, sourceOf, times = { look: LOOK } } = options;
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  /** Monotonic milliseconds before which nothing of a source is tried. */
  const pauses = new Map<string, number>();
  let counts: ReadonlyMap<string, PictureCounts> = new Map();
  let countedAt = Number.NEGATIVE_INFINITY;
  const downloads = metrics.counter(
    'freehold_photo_downloads_total',
    'Photos that were fetched to be copied, by what became of it.',
    ['outcome'],
  );
  const bytes = metrics.counter(
    'freehold_photo_bytes_total',
    'Bytes of photos that were fetched to be copied.',
    [],
  );
  const gauge = (name: string, help: string, of: (count: PictureCounts) => number) =>
    metrics.gaugeBy(name, help, 'source', () => [...counts].map(([source, each]) => [source, of(each)]));
  gauge('freehold_photos_waiting', 'Photos that are still to be copied.', ({ waiting }) => waiting);
  gauge('freehold_photos_failed', 'Photos that are left alone after three tries.', ({ failed }) => failed);
  const copier = new Copier({
    ...options,
    placements: new PlacementCache(),
    hosts: new HostRests(clock),
    signal: stopping.signal,
    count(outcome, received) {
      downloads.inc({ outcome });
      bytes.inc({}, received);
    },
  });

  async function copySource(id: string): Promise<void> {
    const source = await sourceOf(id);
    if (source === null) return;
    const lease = await takeLease(database, `photos of ${id}`, times.lease);
    if (lease === null) return;
    try {
      const rest = await database.read((sql) => findRest(sql, id));
      if (rest !== null && Date.parse(rest) > clock.now()) return;
      for (;;) {
        const due = await database.read((sql) => findDue(sql, id, new Date(clock.now()), BATCH));
        if (due.length === 0) return;
        for (const each of due) {
          if (stopping.signal.aborted || lease.lost.aborted) return;
          const pause = await copier.copy(each, source, lease);
          if (pause === null) continue;
          pauses.set(id, clock.monotonic() + pause);
          return;
        }
      }
    } finally {
      await lease.release();
    }
  }

  const work = startPeriodicWork({
    clock,
    report,
    pause: times.look,
    async work() {
      const due = await database.read((sql) => findDueSources(sql, new Date(clock.now())));
      for (const id of due) {
        const isPaused = (pauses.get(id) ?? 0) > clock.monotonic();
        if (isPaused || running.has(id) || running.size >= MAX_SOURCES) continue;
        const copying = copySource(id)
          .catch((error: unknown) => {
            if (!(error instanceof WorkTaken) && !stopping.signal.aborted) report(error);
          })
          .finally(() => running.delete(id));
        running.set(id, copying);
      }
      if (clock.monotonic() - countedAt < COUNT) return;
      countedAt = clock.monotonic();
      counts = await database.read(countPictures);
    },
  });
  return {
    async stop() {
      stopping.abort();
      await work.stop();
      await Promise.all(running.values());
    },
  };
}
