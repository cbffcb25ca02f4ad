// Command `freehold backup`: makes a backup of the database, also while the service runs.

import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { describeOutside } from '../../app/backup/backup-outside.ts';
import { findSecretsKey } from '../../app/secrets-key.ts';
import { VERSION } from '../../app/version.ts';
import { backupFailure, outputFailure } from '../../backup/backup-failure.ts';
import { backupToFile, backupToFolder, type FileBackupOptions } from '../../backup/backup-folder.ts';
import type { CopyProgress } from '../../backup/copy-tables.ts';
import { makeBackup } from '../../backup/make-backup.ts';
import { type Config, readConfig } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { lowerPriority } from '../../lib/thread-priority.ts';
import type { Database } from '../../postgres/client/database.ts';
import { pendingMigrations } from '../../postgres/migrations/migrate.ts';
import { closeAround } from '../../postgres/state/close-database.ts';
import { openCommandDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { interruption } from '../interruption.ts';
import { examples } from '../options.ts';
import { print, printJson } from '../output.ts';
import { PASSPHRASE_OPTION, readNewPassphrase } from '../passphrase.ts';
import { progressLine } from '../progress-line.ts';
import { type BackupResult, backupJson, backupText, rowProgressText } from './backup-output.ts';
import { type Destination, readDestination } from './destination.ts';
import { addVerify } from './verify.ts';

interface BackupFlags {
  readonly keep?: number;
  readonly encrypt?: true;
  readonly passphraseFile?: string;
  readonly keys?: true;
  readonly final?: true;
  readonly json?: true;
}

/** Name of the sessions of a backup: a final one waits for all others. */
const APPLICATION = 'freehold backup';
/** Connections that copy: PostgreSQL has a process for each. */
const MIN_CONNECTIONS = 2;
const MAX_CONNECTIONS = 4;

export function addBackup(program: Command): void {
  const group = program
    .command('backup')
    .summary('back up the database, and check backups')
    .description(
      'Makes a backup of the database while the service runs, or checks one. `freehold backup FILE` is\n' +
        'short for `freehold backup create FILE`.',
    )
    .addHelpText(
      'after',
      examples('freehold backup /srv/backups/ --keep 7', 'freehold backup verify homes.tar.zst'),
    );
  group
    .command('create <destination>', { isDefault: true })
    .summary('make a backup')
    .description(
      'Writes all tables as of one moment, whatever is written meanwhile, to a file, to a folder of backups, or\n' +
        'to standard output (-). A file that is there is replaced once the new one is whole. Changes nothing, and\n' +
        'needs no migration: make one before you upgrade.',
    )
    .option('--keep <number>', 'into a folder: keep so many backups, remove older ones', keepArgument)
    .option('--encrypt', 'encrypt the whole backup with a passphrase')
    .option(...PASSPHRASE_OPTION)
    .option('--keys', 'add the keys that seal stored secrets; only with --encrypt')
    .option('--final', 'to move: stop everything that writes first, and close the database for good')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples(
        'freehold backup homes.tar.zst',
        'freehold backup /srv/backups/ --keep 7',
        'freehold backup homes.sealed --encrypt --keys --passphrase-file /etc/freehold/passphrase',
        'freehold backup move.tar.zst --final',
        'freehold backup - > homes.tar.zst',
      ),
    )
    .action(create);
  addVerify(group);
}

function keepArgument(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a number from 1 to 9999.');
}

async function create(text: string, flags: BackupFlags): Promise<void> {
  const isEncrypted = flags.encrypt === true || flags.passphraseFile !== undefined;
  if (flags.keys && !isEncrypted)
    throw new CommandFailure(
      '--keys goes with --encrypt: whoever has the database and its keys can sign as you.',
      EXIT.usage,
    );
  const destination = await readDestination(text, flags.keep);
  const config = readConfig();
  const secretsKey = flags.keys ? await requireKeys(config) : null;
  const seal = isEncrypted ? { passphrase: await readNewPassphrase(flags.passphraseFile) } : null;
  const { signal } = interruption('Stopping.');
  // The service and its searches go first.
  lowerPriority(process.pid);
  const line = progressLine(systemClock, rowProgressText);
  const opened = await openCommandDatabase(config, { applicationName: APPLICATION });
  const startedAt = systemClock.monotonic();
  const options: FileBackupOptions = {
    database: opened.database,
    release: VERSION,
    connections: Math.min(MAX_CONNECTIONS, Math.max(MIN_CONNECTIONS, availableParallelism())),
    seal,
    secretsKey,
    outside: await describeOutside(config, secretsKey !== null),
    isFinal: flags.final === true,
    signal,
    onProgress: (progress: CopyProgress) => line.show(progress),
    ...(config.databaseUrl === null && { onBackend: lowerPriority }),
  };
  try {
    const work = (onWhole: () => Promise<void>) => write(destination, { ...options, onWhole });
    const made = await (flags.final ? closeForGood(opened.database, work) : write(destination, options));
    line.end();
    const seconds = (systemClock.monotonic() - startedAt) / 1_000;
    show({ ...made, isEncrypted, hasKeys: secretsKey !== null, seconds }, destination, flags);
  } catch (error) {
    line.end();
    if (!signal.aborted) throw error;
    print(process.stderr, 'Stopped. Nothing of the backup is left.');
    process.exitCode = EXIT.interrupted;
  } finally {
    await opened.close();
  }
}

/** Closes the database around the last backup of it. Throws CommandFailure where its schema is of an earlier release. */
async function closeForGood<T>(
  database: Database,
  work: (close: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if ((await pendingMigrations(database)).length > 0)
    throw new CommandFailure(
      'The database lacks migrations of this release, and cannot be closed: run `freehold migrate` first.',
    );
  const onWait = () =>
    print(process.stderr, 'Waiting until every process of the service has stopped writing.');
  const made = await closeAround(database, { application: APPLICATION, onWait }, work);
  print(
    process.stderr,
    'The database is closed: no process serves it. Restore the backup elsewhere, or `freehold restore accept` to go back.',
  );
  return made;
}

async function write(
  destination: Destination,
  options: FileBackupOptions,
): Promise<Pick<BackupResult, 'header' | 'manifest' | 'file' | 'bytes' | 'removed'>> {
  if (destination.kind === 'file') return backupToFile(destination.file, options);
  if (destination.kind === 'folder')
    return backupToFolder({ ...destination, at: systemClock.now(), claim: null }, options);
  // A reader of text may end early; here that is a failure, which the writing of the archive reports.
  const output = process.stdout.removeAllListeners('error');
  let failed: unknown;
  output.once('error', (error) => {
    failed = error;
  });
  const made = await makeBackup({ ...options, output }).catch((error: unknown) => {
    throw (error === failed ? outputFailure : backupFailure)(error, 'standard output');
  });
  return { ...made, file: null, bytes: null, removed: [] };
}

/** Beside a backup on standard output, on standard error. */
function show(result: BackupResult, { kind }: Destination, { json }: BackupFlags): void {
  if (json && kind !== 'output') printJson(backupJson(result));
  else if (json) print(process.stderr, JSON.stringify(backupJson(result)));
  else print(kind === 'output' ? process.stderr : process.stdout, backupText(result));
}

async function requireKeys(config: Config): Promise<string> {
  const keys = await findSecretsKey(config);
  if (keys !== null) return keys;
  throw new CommandFailure(
    'There are no keys to add: neither SECRETS_KEY nor a file secrets.key in DATA_DIR. Leave --keys out.',
  );
}
