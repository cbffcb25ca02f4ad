// Settings of the nightly backup: where to, when, how many are kept, and whether they are encrypted.

import { parseTimeZone } from '../lib/parse.ts';
import type { SettingsReader } from '../lib/settings.ts';

/** A time of day in a time zone. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  /** IANA name. */
  readonly timeZone: string;
}

export interface BackupSettings {
  /** Absolute. */
  readonly directory: string;
  readonly at: TimeOfDay;
  /** Backups that stay. */
  readonly keep: number;
  /** The file whose first line encrypts them; null: they are not encrypted. */
  readonly passphraseFile: string | null;
}

/** Null: this process makes no backups. */
export function readBackupSettings(read: SettingsReader, folder: string): BackupSettings | null {
  const directory = read.path('BACKUP_DIR', folder);
  const at = readTime(read);
  const keep = read.integer('BACKUP_KEEP', 7, 1, 1_000);
  const passphraseFile = read.path('BACKUP_PASSPHRASE_FILE', folder);
  return directory === null ? null : { directory, at, keep, passphraseFile };
}

function readTime(read: SettingsReader): TimeOfDay {
  const text = read.text('BACKUP_AT') ?? '03:00';
  const [, hour = '', minute = '', zone = 'UTC'] = /^([01]\d|2[0-3]):([0-5]\d)(?: +(\S+))?$/.exec(text) ?? [];
  const timeZone = parseTimeZone(zone);
  if (hour === '' || timeZone === null)
    read.faults.push(
      `BACKUP_AT=${text} must be a time of day such as 03:00, in UTC, or 03:00 America/Chicago`,
    );
  return { hour: Number(hour), minute: Number(minute), timeZone: timeZone ?? 'UTC' };
}
