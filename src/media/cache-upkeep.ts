// Upkeep of cached pictures: those of listings that are not shown any more are deleted within the hour, by each process of its own.

import { type Clock, HOUR } from '../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../lib/periodic-work.ts';
import type { Database } from '../postgres/client/database.ts';
import type { PictureCache } from './pictures/picture-cache.ts';
import { findAllShown } from './shown-store.ts';

export interface CacheUpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly cache: Pick<PictureCache, 'names' | 'delete'>;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

const BATCH = 500;
/** A file of the cache: the id of its listing, and the name of the picture. */
const NAME = /^(.+)-([0-9a-f]{32})\./;

export function startCacheUpkeep({ database, clock, cache, report }: CacheUpkeepOptions): PeriodicWork {
  return startPeriodicWork({
    clock,
    report,
    pause: HOUR,
    async work(isStopped) {
      const names = await cache.names();
      for (let at = 0; at < names.length && !isStopped(); at += BATCH) {
        const files = names.slice(at, at + BATCH).map((file) => {
          const [, listing = '', name = ''] = NAME.exec(file) ?? [];
          return { file, listing, name };
        });
        const listings = [...new Set(files.map(({ listing }) => listing))];
        const shown = await database.read((sql) => findAllShown(sql, listings));
        for (const { file, listing, name } of files)
          if (shown.get(listing)?.has(name) !== true) cache.delete(file);
      }
    },
  });
}
