// Upkeep of the files of copies: those of listings that are gone are deleted at once, and each day files and database are compared.

import { type Clock, DAY, HOUR } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import type { Database } from '../../postgres/client/database.ts';
import { WorkLease, WorkTaken } from '../../postgres/client/work-lease.ts';
import type { PictureFiles } from '../pictures/picture-files.ts';
import { lockFile } from './copy-store.ts';
import { addOrphans, findHashes, findOrphans, forgetFile, takeOrphan } from './file-store.ts';

export interface UpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly files: PictureFiles;
  readonly log: Pick<Log, 'warn'>;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

/** Milliseconds between two looks for files to delete. */
const LOOK = 5_000;
const BATCH = 500;
const FOLDERS = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'));

export function startPictureUpkeep({ database, clock, files, log, report }: UpkeepOptions): PeriodicWork {
  const lease = new WorkLease(database, 'files of photos', 60_000);
  let comparedAt = Number.NEGATIVE_INFINITY;

  /** Deletes the files of copies that were deleted; false once none is left. */
  async function deleteOrphans(): Promise<boolean> {
    const orphans = await database.read((sql) => findOrphans(sql, BATCH));
    for (const hash of orphans)
      await database.transaction(async (tx) => {
        await lease.hold(tx);
        await lockFile(tx, hash);
        if (await takeOrphan(tx, hash)) await files.delete(hash);
      });
    return orphans.length === BATCH;
  }

  /** Copies whose file is missing, as after a backup was restored, are made again. */
  async function findMissing(isStopped: () => boolean): Promise<void> {
    let missing = 0;
    for (let after = ''; !isStopped(); ) {
      const from = after;
      const hashes = await database.read((sql) => findHashes(sql, from, BATCH));
      for (const hash of hashes) {
        if (await files.has(hash)) continue;
        missing += await database.transaction(async (tx) => {
          await lease.hold(tx);
          await lockFile(tx, hash);
          return (await files.has(hash)) ? 0 : forgetFile(tx, hash, new Date(clock.now()));
        });
      }
      const last = hashes.at(-1);
      if (last === undefined || !(await lease.acquire())) break;
      after = last;
    }
    if (missing > 0)
      log.warn(
        { event: 'photos_missing', photos: missing },
        `${missing} photos are missing in ${files.folder}: they are copied again, but for those that were uploaded`,
      );
  }

  /** Files that no listing has, and those that were never finished. */
  async function findUnknown(isStopped: () => boolean): Promise<void> {
    for (const folder of FOLDERS) {
      const { names, unfinished } = await files.list(folder);
      if (isStopped() || (names.length > 0 && !(await lease.acquire()))) return;
      for (let at = 0; at < names.length; at += BATCH)
        await database.write((sql) => addOrphans(sql, names.slice(at, at + BATCH)));
      for (const name of unfinished) await files.deleteUnfinished(folder, name, clock.now() - HOUR);
    }
  }

  return startPeriodicWork({
    clock,
    report,
    pause: LOOK,
    async work(isStopped) {
      const isDue = clock.monotonic() - comparedAt >= DAY;
      const isIdle = !isDue && (await database.read((sql) => findOrphans(sql, 1))).length === 0;
      if (isIdle || !(await lease.acquire())) return;
      try {
        if (isDue) {
          comparedAt = clock.monotonic();
          await findMissing(isStopped);
          await findUnknown(isStopped);
        }
        while (!isStopped() && (await deleteOrphans()));
      } catch (error) {
        if (!(error instanceof WorkTaken)) throw error;
      } finally {
        await lease.release();
      }
    },
  });
}
