// Backup of a database while it is used: one snapshot of all tables, written as an archive.

import type { Writable } from 'node:stream';
import { formatTime } from '../lib/clock.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { describeRestriction } from '../postgres/state/database-state.ts';
import { readState } from '../postgres/state/state-store.ts';
import { ARCHIVE_FORMAT, type ArchiveHeader, type ArchiveManifest, KEYS_NAME } from './archive/format.ts';
import type { SealOptions } from './archive/seal.ts';
import { type ArchiveWriter, writeArchive } from './archive/write-archive.ts';
import { BackupFailure } from './backup-failure.ts';
import { findMigrations, findSequence, findTables, lockTables, readSequences } from './catalogue-store.ts';
import { type CopyProgress, copyTables, TableQueue } from './copy-tables.ts';
import { backendPid, joinSnapshot, type Snapshot, withSnapshot } from './snapshot-store.ts';

/**
 * Has the secret that signs tokens, in clear. Only a final backup needs it: after any other a restore makes a new one, while the original
 * may go on with its own.
 */
const SIGNING_TABLE = 'oauth_secret';

/** The schema of the oldest release that backups are made of. */
const OLDEST_SCHEMA = 42;

export interface BackupOptions {
  readonly database: Database;
  /** Where the archive goes: ended at its end, destroyed if it fails. */
  readonly output: Writable;
  /** Version of Freehold. */
  readonly release: string;
  /** Connections that copy, at least 1. */
  readonly connections: number;
  /** Null: not encrypted. */
  readonly seal: SealOptions | null;
  /** The keys that seal stored secrets, for the archive; null: they stay outside. */
  readonly secretsKey: string | null;
  readonly outside: ArchiveManifest['outside'];
  /**
   * Whether everything that writes was stopped before, for good. The caller does that: here it is only recorded, after nothing has
   * written any more.
   */
  readonly isFinal: boolean;
  /** Called once the archive is whole; where it fails, so does the backup. */
  readonly onWhole?: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Called with the process of each connection at the server, before it reads: for a lower priority where it is on this machine. */
  readonly onBackend?: (pid: number) => void;
}

export interface MadeBackup {
  readonly header: ArchiveHeader;
  readonly manifest: ArchiveManifest;
}

/**
 * Writes a backup. It needs no migration: it copies whatever tables there are. Throws BackupFailure, ArchiveError, errors of the
 * database and of the output, and the reason of the signal; the output then holds no whole archive.
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { database, output, release, seal, isFinal, signal } = options;
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);
  const made = await withSnapshot(database, ending, async (snapshot) => {
    const { tx } = snapshot;
    const migrations = await findMigrations(tx);
    if (migrations === null || (migrations.at(-1)?.version ?? 0) < OLDEST_SCHEMA)
      throw new BackupFailure(
        'This is no database of Freehold, or one of a build before the first release. Check DATABASE_URL and DATA_DIR.',
      );
    const state = await readState(tx);
    // What is half restored would verify as whole, and take the place of a good backup.
    if (state.name === 'restoring') throw new BackupFailure(describeRestriction(state) ?? '');
    const found = await findTables(tx);
    const tables = isFinal ? found : found.filter(({ name }) => name !== SIGNING_TABLE);
    await lockTables(tx, tables);
    const header: ArchiveHeader = {
      format: ARCHIVE_FORMAT,
      release,
      createdAt: formatTime(database.clock.now()) ?? '',
      postgres: await database.serverVersion(),
      final: isFinal,
      migrations,
      sequence: await findSequence(tx),
      tables: tables.map(({ name, columns, partition }) => ({ name, columns, partition })),
    };
    const manifest = await writeArchive({ header, output, seal, signal: ending }, async (writer) => {
      const queue = new TableQueue(tables, options.onProgress ?? (() => {}));
      await copyAll(options, snapshot, queue, writer, failing, ending);
      if (options.secretsKey !== null) await writer.addFile(KEYS_NAME, Buffer.from(options.secretsKey));
      return {
        finishedAt: formatTime(database.clock.now()) ?? '',
        sequences: await readSequences(tx),
        outside: options.outside,
      };
    });
    return { header, manifest };
  }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  await options.onWhole?.();
  return made;
}

/** The first failure ends all connections. */
async function copyAll(
  { database, connections, onBackend }: BackupOptions,
  { tx, id }: Snapshot,
  queue: TableQueue,
  writer: ArchiveWriter,
  failing: AbortController,
  ending: AbortSignal,
): Promise<void> {
  const fail = (error: unknown): never => {
    failing.abort(error);
    throw failing.signal.reason;
  };
  // At once: the rest of a table would be read in vain.
  const addPart: ArchiveWriter['addPart'] = (...part) => writer.addPart(...part).catch(fail);
  const copy = async (reader: Transaction): Promise<void> => {
    if (onBackend !== undefined) onBackend(await backendPid(reader));
    await copyTables(reader, queue, addPart);
  };
  const others = Array.from({ length: connections - 1 }, () => joinSnapshot(database, id, ending, copy));
  await Promise.allSettled([copy(tx), ...others].map((copied) => copied.catch(fail)));
  failing.signal.throwIfAborted();
}
