// Migration plan: which migrations are pending, and a refusal where the database and the files differ.
import { createHash } from 'node:crypto';

export interface Migration {
  readonly version: number;
  /** The file's name without its folder. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 over the text with plain line ends, so that a checkout on another system does not change it. */
  readonly checksum: string;
  /** False for a file whose first line is `-- no-transaction`: it then holds one statement that may be repeated. */
  readonly inTransaction: boolean;
}

export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

/** The database cannot be brought up to date; the message tells what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Reads one migration's name (`NNN_what_it_does.sql`) and text. */
export function migrationOf(name: string, text: string): Migration {
  const [, digits] = /^(\d{3})_[a-z0-9_]+\.sql$/.exec(name) ?? [];
  if (digits === undefined) throw new MigrationError(`${name} is not named like 001_what_it_does.sql`);
  const plain = text.replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(plain).digest('hex');
  return {
    version: Number(digits),
    name,
    text: plain,
    checksum,
    inTransaction: !plain.startsWith('-- no-transaction'),
  };
}

/** What is left to run, in order. Throws MigrationError when a file was changed, is missing or came too late. */
export function planMigrations(
  files: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const ordered = files.toSorted((a, b) => a.version - b.version);
  const twice = ordered.find((file, index) => ordered[index + 1]?.version === file.version);
  if (twice !== undefined) throw new MigrationError(`Two migrations have the number of ${twice.name}`);
  for (const done of applied) checkApplied(done, ordered);
  const versions = new Set(applied.map(({ version }) => version));
  const newest = Math.max(0, ...versions);
  const pending = ordered.filter(({ version }) => !versions.has(version));
  const outOfOrder = pending.find(({ version }) => version < newest);
  if (outOfOrder === undefined) return pending;
  throw new MigrationError(
    `${outOfOrder.name} comes too late: migration ${newest} was already applied. Give it a new number.`,
  );
}

function checkApplied(done: AppliedMigration, files: readonly Migration[]): void {
  const file = files.find(({ version }) => version === done.version);
  if (file === undefined) {
    throw new MigrationError(
      `The database knows migration ${done.name}, which this release does not: ` +
        'it was made by a newer release. Start that one, or restore a backup from before it.',
    );
  }
  if (file.checksum === done.checksum) return;
  throw new MigrationError(
    `${file.name} was changed after it had been applied. Restore the file and put the change into a new migration.`,
  );
}
