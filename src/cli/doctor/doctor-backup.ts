// Check of `freehold doctor` of the backups: how old the last one is, and whether the next one can be written.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeBackup } from '../../backup/nightly.ts';
import { readPassphraseFile } from '../../backup/passphrase.ts';
import { findBackupRecord } from '../../backup/record-store.ts';
import type { Config } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { statIfExists } from '../../lib/files.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type Finding, fail, messageOf, ok, warn } from './doctor-checks.ts';

const NAME = 'backup';

export async function checkBackups(database: Database, config: Config): Promise<Finding[]> {
  const record = await database.read(findBackupRecord);
  const { text, isOverdue } = describeBackup(record, systemClock.now());
  if (config.backup === null) {
    // Whoever tries the sample market, or backs up in another way, misses nothing.
    if (record.succeededAt === null || config.source.kind === 'sample') return [];
    return [
      isOverdue
        ? warn(NAME, text, 'Set BACKUP_DIR for one each night, or run `freehold backup`.')
        : ok(NAME, text),
    ];
  }
  const age = isOverdue
    ? warn(NAME, text, 'The log of the service says why; `freehold backup` makes one now.')
    : ok(NAME, text);
  return [age, ...(await checkPlaces(config.backup))];
}

async function checkPlaces({ directory, passphraseFile }: NonNullable<Config['backup']>): Promise<Finding[]> {
  // A folder that is missing is made by the first backup, in the nearest one that is there.
  const place = await nearestPlace(directory);
  const isWritable = await access(place, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  const findings: Finding[] = [];
  if (!(isWritable && (await statIfExists(place))?.isDirectory() === true))
    findings.push(
      fail(
        'backup folder',
        place === directory ? `${directory} cannot be written` : `${directory} cannot be made in ${place}`,
        'Make it writable, or set BACKUP_DIR to another folder.',
      ),
    );
  if (passphraseFile === null) return findings;
  try {
    const isEmpty = (await readPassphraseFile(passphraseFile)) === '';
    if (!isEmpty) return findings;
    return [
      ...findings,
      fail('backup passphrase', `${passphraseFile} has none`, 'Write it into the first line.'),
    ];
  } catch (error) {
    return [
      ...findings,
      fail('backup passphrase', messageOf(error), 'Set BACKUP_PASSPHRASE_FILE to the file.'),
    ];
  }
}

/** The path, or the nearest one above it that exists. */
async function nearestPlace(path: string): Promise<string> {
  const found = await statIfExists(path);
  return found !== undefined || path === dirname(path) ? path : nearestPlace(dirname(path));
}
