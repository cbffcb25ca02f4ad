// Photos of the service: where copies are kept, how they are fetched, and the work on them in the background.

import type { Config } from '../../config.ts';
import { PlacementCache } from '../../ingest/placement-cache.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Internet } from '../../lib/network/internet.ts';
import { createNetworkAccess, type NetworkAccess } from '../../lib/network/network-access.ts';
import type { MediaMode } from '../../listings/pictures/own-pictures.ts';
import { startCacheUpkeep } from '../../media/cache-upkeep.ts';
import { startCopying } from '../../media/copies/start-copying.ts';
import { startPictureUpkeep } from '../../media/copies/upkeep.ts';
import { Originals } from '../../media/originals.ts';
import { PhotoSizes } from '../../media/photo-sizes.ts';
import { PictureCache } from '../../media/pictures/picture-cache.ts';
import { PictureFiles } from '../../media/pictures/picture-files.ts';
import { type PictureSource, PLAIN_SOURCE } from '../../media/pictures/picture-source.ts';
import { Resizer } from '../../media/sizes/resizer.ts';
import { SIZE_FORMATS, type SizeFormat } from '../../media/sizes/sizes.ts';
import { Uploads } from '../../media/uploads/uploads.ts';
import type { Database } from '../../postgres/client/database.ts';
import { findRegistered } from '../../sources/registry/registry-store.ts';
import type { SourceSet } from '../../sources/source-set.ts';
import { databasePorts } from '../webhooks.ts';

export interface MediaOptions {
  readonly config: Pick<Config, 'media' | 'databaseUrl' | 'port'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Pick<Log, 'warn'>;
  readonly report: (error: unknown) => void;
  readonly sources: Pick<SourceSet, 'get'>;
  /** Whether servers of others may be reached now. */
  readonly mayActOutside: () => boolean;
  readonly internet?: Internet | undefined;
}

export interface Media {
  /** How photos are shown of sources that say nothing of it. */
  readonly mediaMode: MediaMode;
  readonly originals: Originals;
  readonly sizes: PhotoSizes;
  readonly uploads: Uploads;
  readonly sizeFormats: readonly SizeFormat[];
  /** Copies of photos are made, and the files of those that nobody wants any more are deleted. */
  start(): { stop(): Promise<void> };
  close(): Promise<void>;
}

const MEGABYTE = 1_000_000;

export function createMedia(options: MediaOptions): Media {
  const { config, report } = options;
  const { folder, cacheFolder, cacheMegabytes } = config.media;
  const access = mediaAccess(options);
  const files = new PictureFiles(folder);
  const cache = new PictureCache(cacheFolder, cacheMegabytes * MEGABYTE, report);
  const sourceOf = (id: string) => findPictureSource(options, id);
  const parts = { ...options, access, files, sourceOf };
  const originals = new Originals({ ...parts, cache });
  const resizer = createResizer(options);
  return {
    mediaMode: config.media.mode,
    originals,
    uploads: new Uploads({ ...options, files, resizer, placements: new PlacementCache() }),
    sizes: new PhotoSizes({ ...options, originals, cache, resizer }),
    sizeFormats: SIZE_FORMATS.filter((format) => format !== 'avif' || config.media.avif),
    start() {
      const jobs = [startCopying(parts), startPictureUpkeep(parts), startCacheUpkeep({ ...options, cache })];
      return {
        async stop() {
          await Promise.all(jobs.map((job) => job.stop()));
        },
      };
    },
    async close() {
      resizer.close();
      await access.close();
    },
  };
}

function createResizer({ clock, log }: MediaOptions): Resizer {
  return new Resizer({
    clock,
    onUnavailable(error) {
      log.warn(
        { event: 'photo_sizes_unavailable', error: error.message },
        'Photos are not made smaller: the package sharp does not run here. Originals are served in place of all sizes.',
      );
    },
  });
}

function mediaAccess({ config, clock, internet }: MediaOptions): NetworkAccess {
  return createNetworkAccess({
    clock,
    setting: 'MEDIA_ALLOW',
    allow: config.media.allow,
    ownPorts: () => [config.port, ...databasePorts(config.databaseUrl)],
    internet,
  });
}

/** How pictures of a source are fetched here; null: not now, or not by this process. */
async function findPictureSource(
  { sources, database, mayActOutside }: MediaOptions,
  id: string,
): Promise<PictureSource | null> {
  if (!mayActOutside()) return null;
  const active = sources.get(id);
  if (active !== null) return active.control.pausedAt === null ? (active.source?.media ?? null) : null;
  const registered = await database.read((sql) => findRegistered(sql, id));
  const isRead = registered?.kind === 'reso' || registered?.kind === 'sample';
  return isRead ? null : PLAIN_SOURCE;
}
