// Output of backups: progress, what was made, and what was found.

import type { VerifiedArchive } from '../../backup/archive/verify-archive.ts';
import type { MadeBackup } from '../../backup/make-backup.ts';
import { count, emphasis } from '../output.ts';
import { duration, type ProgressOf } from '../progress-line.ts';

export interface RowProgress extends ProgressOf {
  readonly rows: number;
}

/** `42 %  21,000 rows  3,400 rows/s  8 s left`. */
export function rowProgressText({ rows, part }: RowProgress, seconds: number): string {
  return [
    `${Math.floor(part * 100)} %`,
    `${count(rows)} rows`,
    `${count(Math.round(seconds > 0 ? rows / seconds : 0))} rows/s`,
    ...(part > 0 && part < 1 ? [`${duration(((1 - part) / part) * seconds)} left`] : []),
  ].join('  ');
}

export interface BackupResult extends MadeBackup {
  /** Path; null: standard output. */
  readonly file: string | null;
  /** Of the archive; null: not known. */
  readonly bytes: number | null;
  readonly removed: readonly string[];
  readonly isEncrypted: boolean;
  readonly hasKeys: boolean;
  readonly seconds: number;
}

export const rowsOf = ({ manifest }: Pick<MadeBackup, 'manifest'>): number =>
  manifest.tables.reduce((sum, { rows }) => sum + rows, 0);

/** For `--json`. */
export function backupJson(result: BackupResult): object {
  const { header, manifest, file, bytes, removed, isEncrypted, hasKeys, seconds } = result;
  return {
    file,
    bytes,
    rows: rowsOf(result),
    tables: manifest.tables.length,
    sequence: header.sequence,
    encrypted: isEncrypted,
    keys: hasKeys,
    outside: manifest.outside,
    removed,
    seconds: Math.round(seconds * 1_000) / 1_000,
  };
}

export function backupText(result: BackupResult): string {
  const { file, bytes, removed, manifest, isEncrypted, seconds } = result;
  const rows = rowsOf(result);
  const { settings, files } = manifest.outside;
  const size = bytes === null ? '' : `, ${megabytes(bytes)}`;
  const rate = `${duration(seconds)}, ${count(Math.round(rows / Math.max(seconds, 0.001)))} rows/s`;
  return [
    `${count(rows)} rows of ${manifest.tables.length} tables in ${file ?? 'standard output'}${size}, ${rate}`,
    ...(isEncrypted
      ? ['Encrypted: nobody can read it without the passphrase, nor can you.']
      : ['Not encrypted: whoever can read it has everything but the keys that seal stored secrets.']),
    ...(files.length === 0 ? [] : [`Not in it, keep a copy: ${files.join(', ')}`]),
    ...(settings.length === 0 ? [] : [`Not in it, keep their values: the settings ${settings.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`Removed: ${removed.join(', ')}`]),
  ].join('\n');
}

/** For `verify --json`. */
export function verifiedJson({ header, manifest, isEncrypted, files }: VerifiedArchive): object {
  return {
    release: header.release,
    createdAt: header.createdAt,
    schema: header.migrations.at(-1)?.name ?? null,
    postgres: header.postgres,
    final: header.final,
    sequence: header.sequence,
    encrypted: isEncrypted,
    rows: rowsOf({ manifest }),
    tables: manifest.tables,
    files,
    outside: manifest.outside,
  };
}

export function verifiedText(verified: VerifiedArchive): string {
  const { header, manifest, isEncrypted, files } = verified;
  const kind = [header.final ? 'final' : '', isEncrypted ? 'encrypted' : 'not encrypted']
    .filter(Boolean)
    .join(', ');
  return [
    `${emphasis('good', 'Whole and undamaged')} (${kind})`,
    `made       ${header.createdAt} by Freehold ${header.release}, from PostgreSQL ${header.postgres}`,
    `schema     ${header.migrations.at(-1)?.name ?? 'none'}`,
    `change     ${count(header.sequence)}`,
    `rows       ${count(rowsOf(verified))} in ${manifest.tables.length} tables`,
    ...(files.length === 0 ? [] : [`also       ${files.join(', ')}`]),
  ].join('\n');
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
