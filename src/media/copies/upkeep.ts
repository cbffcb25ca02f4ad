// Upkeep of the files of copies: those of listings that are gone are deleted at once, and each day files and database are compared.

import { type Clock, DAY, HOUR } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PeriodicWork } from '../../lib/periodic-work.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../../postgres/leases/leased-work.ts';
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
  let comparedAt = Number.NEGATIVE_INFINITY;

  /** Deletes the files of copies that were deleted; false once none is left. */
  async function deleteOrphans(lease: HeldLease): Promise<boolean> {
    const orphans = await database.read((sql) => findOrphans(sql, BATCH));
    for (const hash of orphans)
      await database.transaction(async (tx) => {
        // Before the file goes, since that cannot be rolled back.
        await lease.hold(tx);
        await lockFile(tx, hash);
        if (await takeOrphan(tx, hash)) await files.delete(hash);
      });
    return orphans.length === BATCH;
  }

  /** Copies whose file is missing, as after a backup was restored, are made again. */
  async function findMissing(lease: HeldLease, isOver: () => boolean): Promise<void> {
    let missing = 0;
    for (let after = ''; !isOver(); ) {
      const from = after;
      const hashes = await database.read((sql) => findHashes(sql, from, BATCH));
      for (const hash of hashes) {
        if (await files.has(hash)) continue;
        missing += await lease.transaction(async (tx) => {
          await lockFile(tx, hash);
          return (await files.has(hash)) ? 0 : forgetFile(tx, hash, new Date(clock.now()));
        });
      }
      const last = hashes.at(-1);
      if (last === undefined) break;
      after = last;
    }
    if (missing > 0)
      log.warn(
        { event: 'photos_missing', photos: missing },
        `${missing} photos are missing in ${files.folder}: they are copied again, but for those that were uploaded`,
      );
  }

  /** Files that no listing has, and those that were never finished. */
  async function findUnknown(lease: HeldLease, isOver: () => boolean): Promise<void> {
    for (const folder of FOLDERS) {
      const { names, unfinished } = await files.list(folder);
      if (isOver()) return;
      for (let at = 0; at < names.length; at += BATCH)
        await lease.transaction((tx) => addOrphans(tx, names.slice(at, at + BATCH)));
      for (const name of unfinished) await files.deleteUnfinished(folder, name, clock.now() - HOUR);
    }
  }

  const isToCompare = () => clock.monotonic() - comparedAt >= DAY;
  return startLeasedWork({
    database,
    clock,
    report,
    name: 'files of photos',
    pause: LOOK,
    isDue: async () => isToCompare() || (await database.read((sql) => findOrphans(sql, 1))).length > 0,
    async work(lease, isOver) {
      if (isToCompare()) {
        comparedAt = clock.monotonic();
        await findMissing(lease, isOver);
        await findUnknown(lease, isOver);
      }
      while (!isOver() && (await deleteOrphans(lease)));
    },
  });
}
