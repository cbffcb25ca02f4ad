// Command `freehold restore FILE`: fills an empty database from a backup.

import { lstat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { findSecretsKey, SECRETS_FILE } from '../../app/secrets-key.ts';
import { type InspectedArchive, inspectArchive } from '../../backup/restore/inspect-archive.ts';
import { restoreArchive } from '../../backup/restore/restore-archive.ts';
import { type Config, readConfig } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { createPrivateFile, readIfExists, requireWritableFolder, statIfExists } from '../../lib/files.ts';
import { Keyring, parseKeys } from '../../lib/keyring.ts';
import type { Database } from '../../postgres/client/database.ts';
import { readSealed } from '../../watch/webhooks/sealed-store.ts';
import { openWebhook } from '../../watch/webhooks/secret-upkeep.ts';
import { openCommandDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { examples } from '../options.ts';
import { count, print } from '../output.ts';
import { PASSPHRASE_OPTION, readPassphrase } from '../passphrase.ts';
import { progressLine } from '../progress-line.ts';
import { addAccept } from './accept.ts';
import { makeHarmless } from './make-harmless.ts';
import { checked, restored, restoreProgressText } from './progress.ts';

interface Options {
  readonly passphraseFile?: string;
}

export function addRestore(program: Command): void {
  const restore = program
    .command('restore')
    .summary('restore a backup, and accept what was restored')
    .description(
      'Restores a backup into an empty database, or accepts a database that was restored. `freehold restore FILE` is\n' +
        'short for `freehold restore from FILE`.',
    )
    .addHelpText('after', examples('freehold restore homes.tar.zst', 'freehold restore accept'));
  restore
    .command('from <file>', { isDefault: true })
    .summary('fill an empty database from a backup')
    .description(
      'Restores a backup of `freehold backup` into an empty database: that of DATA_DIR, which is made, or that of\n' +
        'DATABASE_URL. The backup is read to its end first, and nothing is written if a byte of it is damaged. Backups of\n' +
        'earlier releases are brought up to this one. The restored service answers readers at once, and sends nothing to\n' +
        'anyone until `freehold restore accept`.',
    )
    .option(...PASSPHRASE_OPTION)
    .addHelpText(
      'after',
      examples(
        'freehold restore homes.tar.zst',
        'DATABASE_URL=postgres://… freehold restore /srv/backups/homes.sealed --passphrase-file /etc/freehold/passphrase',
      ),
    )
    .action((file: string, options: Options) => restoreFile(readConfig(), file, options));
  addAccept(restore);
}

async function restoreFile(config: Config, path: string, options: Options): Promise<void> {
  if ((await statIfExists(path))?.isFile() !== true)
    throw new CommandFailure(`${path} is no file: give the path of a backup.`, EXIT.usage);
  const stopping = new AbortController();
  const stop = (): void =>
    stopping.abort(
      new CommandFailure(
        'Interrupted. The database is left empty: run the same command again.',
        EXIT.interrupted,
      ),
    );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  const line = progressLine(systemClock, restoreProgressText);
  try {
    const passphrase = () => readPassphrase(options.passphraseFile);
    const archive = await inspectArchive(
      { path, passphrase },
      (bytes) => line.show(checked(bytes)),
      stopping.signal,
    );
    await requireOwnKeys(config, archive);
    await requireWritableFolder(config.dataDirectory, 'DATA_DIR');
    await requireRoom(config, archive);
    const opened = await openCommandDatabase(config, { init: true });
    try {
      const { database } = opened;
      let note: string | null = null;
      await restoreArchive({
        database,
        archive,
        afterLoad: async (tx, isFinal) => {
          // Before the database counts as restored: a command that ends here is run again, and places them again.
          note = await placeKeys(config, archive);
          await makeHarmless(tx, isFinal);
        },
        onProgress: (progress) => line.show(restored(progress)),
        signal: stopping.signal,
      });
      line.end();
      print(process.stdout, summary(archive));
      for (const line of [note, await describeSealed(config, database)])
        if (line !== null) print(process.stdout, line);
      print(
        process.stdout,
        'It is served by `freehold serve`, and sends nothing to anyone until `freehold restore accept`.',
      );
    } finally {
      await opened.close();
    }
  } finally {
    line.end();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

function summary({ header, manifest }: InspectedArchive): string {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const kind = header.final ? 'the final backup' : 'a backup';
  return `Restored ${count(rows)} rows of ${kind} of ${header.createdAt}, made by Freehold ${header.release}.`;
}

/** Keys of the archive must not take the place of others: what is sealed with those could not be opened any more. */
async function requireOwnKeys({ dataDirectory }: Config, { keys }: InspectedArchive): Promise<void> {
  if (keys === null) return;
  const file = join(dataDirectory, SECRETS_FILE);
  const present = await readIfExists(file);
  if (present === undefined && (await isDanglingLink(file)))
    throw new CommandFailure(
      `${file} is a link to a file that does not exist. Remove the link, or put the file where it leads: keys are never written over.`,
    );
  if (present === undefined || present.trim() === keys.trim()) return;
  throw new CommandFailure(
    `${file} has other keys than the backup. Move it away, or set DATA_DIR to another folder: keys are never written over.`,
  );
}

const isDanglingLink = (file: string): Promise<boolean> =>
  lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );

/** Stores the keys of the archive; returns what the operator has to know, or null. */
async function placeKeys(
  { dataDirectory, databaseUrl }: Config,
  { keys }: InspectedArchive,
): Promise<string | null> {
  if (keys === null) return null;
  const file = join(dataDirectory, SECRETS_FILE);
  await createPrivateFile(file, keys);
  if (databaseUrl === null) return `The keys of stored secrets are in ${file}.`;
  return `The keys of stored secrets are in ${file}: with DATABASE_URL, set SECRETS_KEY to what that file contains.`;
}

/** What cannot be opened with the keys that are here; null: everything can. */
async function describeSealed(config: Config, database: Database): Promise<string | null> {
  const key = await findSecretsKey(config);
  const keyring = key === null ? null : new Keyring(parseKeys(key));
  let [all, closed] = [0, 0];
  for await (const page of readSealed(database))
    for (const webhook of page) {
      all += 1;
      if (keyring === null || openWebhook(keyring, webhook) === null) closed += 1;
    }
  if (closed === 0) return null;
  const what = `The secrets of ${count(closed)} of ${count(all)} webhooks cannot be opened with the keys that are here`;
  const remedy =
    config.databaseUrl === null
      ? `put the ${SECRETS_FILE} of the original into ${config.dataDirectory}, or set SECRETS_KEY to its keys`
      : 'set SECRETS_KEY to the keys of the original';
  return `${what}: ${remedy}. Until then nothing is delivered to them.`;
}

/** Bytes on disk for each byte of rows as text: tables, indexes, and the log of writing them. */
const DISK_FACTOR = 2.5;
const MIN_DISK = 200e6;

/** Throws CommandFailure where the disk is too small. The disk of an external server cannot be seen from here. */
async function requireRoom(
  { databaseUrl, dataDirectory }: Config,
  { manifest }: InspectedArchive,
): Promise<void> {
  if (databaseUrl !== null) return;
  const needed = MIN_DISK + DISK_FACTOR * manifest.tables.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bavail, bsize } = await statfs(dataDirectory);
  const free = bavail * bsize;
  if (free >= needed) return;
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  throw new CommandFailure(
    `The database needs about ${gigabytes(needed)}, and ${gigabytes(free)} are free in ${dataDirectory}. ` +
      'Free some space, or set DATA_DIR to a larger disk.',
  );
}
