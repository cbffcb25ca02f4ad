// Command `freehold subscriptions import`: keys that people have already, with their plans, from a file.

import type { Command } from 'commander';
import {
  type ImportedKey,
  type ImportOutcome,
  importStripeKeys,
  importSubscriptions,
} from '../../access/providers/subscription-import-store.ts';
import { readConfig } from '../../config.ts';
import { likelyDelimiter } from '../../import/formats/csv.ts';
import { type OpenedFile, openRecords } from '../../import/formats/open-file.ts';
import { FileFault, type SourceRecord } from '../../import/formats/record.ts';
import { partRead } from '../../import/mapped-file.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Transaction } from '../../postgres/client/database.ts';
import { INIT_OPTION, withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { importProgressText } from '../import/import-output.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, print, printJson } from '../output.ts';
import { progressLine } from '../progress-line.ts';
import {
  OWN_COLUMNS,
  parseStripeKey,
  parseSubscription,
  RowFault,
  STRIPE_COLUMNS,
  unknownColumn,
} from './import-rows.ts';

/** Rows that are written by one transaction. */
const BATCH = 1_000;
/** Faults that are printed. */
const MAX_SHOWN = 20;

export function addImport(group: Command): void {
  group
    .command('import <file>')
    .summary('import keys that people have already')
    .description(
      `Imports keys with their subscriptions from CSV or JSON lines, gzipped or not: ${OWN_COLUMNS.join(', ')}; with\n` +
        `SUBSCRIPTIONS=stripe ${STRIPE_COLUMNS.join(', ')}. Stores hashes of the keys only. The whole file is checked first; you can\n` +
        'import it again at any time: a known key follows the file.\n' +
        `Exit code ${EXIT.rejected}: done, but some keys could not be imported; standard error says why.`,
    )
    .option('--dry-run', 'check the file and write nothing; needs no database')
    .option(...INIT_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('freehold subscriptions import keys.csv --dry-run', 'freehold subscriptions import keys.csv'),
    )
    .action(runImport);
}

interface ImportFlags {
  readonly dryRun?: true;
  readonly init?: true;
  readonly json?: true;
}

/** How rows are read and written for a provider. */
interface Target<Row extends ImportedKey> {
  readonly columns: readonly string[];
  readonly parse: (record: SourceRecord) => Row;
  readonly write: (tx: Transaction, rows: readonly Row[], now: Date) => Promise<ImportOutcome>;
}

const OWN = { columns: OWN_COLUMNS, parse: parseSubscription, write: importSubscriptions };
const STRIPE = { columns: STRIPE_COLUMNS, parse: parseStripeKey, write: importStripeKeys };

async function runImport(file: string, flags: ImportFlags): Promise<void> {
  const config = readConfig();
  const { kind } = config.subscriptions;
  if (kind === 'polar') {
    const remedy = 'to keep keys from elsewhere, use SUBSCRIPTIONS=local or stripe';
    throw new CommandFailure(`Polar issues its keys itself and takes no others: ${remedy}.`, EXIT.usage);
  }
  await (kind === 'stripe' ? importKeys(config, STRIPE, file, flags) : importKeys(config, OWN, file, flags));
}

async function importKeys<Row extends ImportedKey>(
  config: ReturnType<typeof readConfig>,
  target: Target<Row>,
  file: string,
  flags: ImportFlags,
): Promise<void> {
  const rows = await checkFile(file, target);
  if (flags.dryRun) return report({ rows, created: 0, changed: 0, refused: [] }, flags);
  const outcome = await withDatabase(
    config,
    async (database) => {
      const total = { rows: 0, created: 0, changed: 0, refused: [] as ImportOutcome['refused'] };
      for await (const batch of readBatches(file, target)) {
        const now = new Date(systemClock.now());
        const { created, changed, refused } = await database.transaction((tx) =>
          target.write(tx, batch, now),
        );
        total.rows += batch.length;
        total.created += created;
        total.changed += changed;
        total.refused = [...total.refused, ...refused];
      }
      return total;
    },
    flags,
  );
  report(outcome, flags);
}

interface Report extends ImportOutcome {
  readonly rows: number;
}

function report({ rows, created, changed, refused }: Report, { dryRun, json }: ImportFlags): void {
  const unchanged = dryRun ? 0 : rows - created - changed - refused.length;
  if (json) printJson(dryRun ? { rows } : { rows, created, changed, unchanged, refused });
  else if (dryRun) print(process.stdout, `${count(rows)} keys can be imported. Nothing was written.`);
  else
    print(
      process.stdout,
      `${count(created)} created, ${count(changed)} changed, ${count(unchanged)} unchanged, ${count(refused.length)} not imported.`,
    );
  if (refused.length === 0) return;
  for (const line of faultLines(refused)) print(process.stderr, line);
  process.exitCode = EXIT.rejected;
}

type Faults = ImportOutcome['refused'];

function faultLines(faults: Faults): string[] {
  const shown = faults.slice(0, MAX_SHOWN).map(({ place, reason }) => `Line ${place} ${reason}.`);
  const rest = faults.length - shown.length;
  return rest > 0 ? [...shown, `and ${count(rest)} more.`] : shown;
}

/** Reads the whole file and gives its number of rows; throws CommandFailure that names the faults, before anything is written. */
async function checkFile<Row extends ImportedKey>(path: string, target: Target<Row>): Promise<number> {
  const places = new Map<string, number>();
  const faults: { place: number; reason: string }[] = [];
  let rows = 0;
  await withRecords(path, target.columns, async (file) => {
    for await (const record of file.rows) {
      rows++;
      try {
        const { keyHash, place } = target.parse(record);
        const earlier = places.get(keyHash);
        if (earlier !== undefined)
          throw new RowFault(`has the same key as line ${earlier}: leave one of them out`);
        places.set(keyHash, place);
      } catch (error) {
        if (!(error instanceof RowFault)) throw error;
        faults.push({ place: record.place, reason: error.message });
      }
    }
  });
  if (rows === 0) throw new CommandFailure(`${path} has no rows.`);
  if (faults.length === 0) return rows;
  const lines = faultLines(faults).map((line) => `\n  ${line}`);
  throw new CommandFailure(`Nothing was imported: ${path} has faults.${lines.join('')}`);
}

async function* readBatches<Row extends ImportedKey>(
  path: string,
  target: Target<Row>,
): AsyncGenerator<Row[]> {
  const file = await open(path, target.columns);
  const line = progressLine(systemClock, importProgressText);
  let [rows, batch] = [0, [] as Row[]];
  try {
    for await (const record of file.rows) {
      batch.push(target.parse(record));
      rows++;
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
      const part = partRead(file, rows, file.bytesTaken());
      line.show({ phase: 'reading', part, rows, rejected: 0, resumedAt: 0, placed: 0 });
    }
    if (batch.length > 0) yield batch;
  } finally {
    line.end();
    file.close();
  }
}

async function withRecords(
  path: string,
  columns: readonly string[],
  work: (file: OpenedFile) => Promise<void>,
): Promise<void> {
  const file = await open(path, columns);
  try {
    await work(file);
  } finally {
    file.close();
  }
}

/** Opens the file; CSV by the delimiter of its heading. Throws CommandFailure. */
async function open(path: string, columns: readonly string[]): Promise<OpenedFile> {
  try {
    const file = await openRecords(path);
    const { heading } = file;
    if (heading === undefined) return file;
    const delimiter = likelyDelimiter(heading.text, heading.delimiter, columns);
    if (delimiter === null) return requireColumns(file, columns);
    file.close();
    return requireColumns(await openRecords(path, { delimiter }), columns);
  } catch (error) {
    // There is no map in which to say so.
    if (error instanceof FileFault)
      throw new CommandFailure(error.message.replace(/: say "file".*$/, ': save it as UTF-8, with commas.'));
    throw error;
  }
}

function requireColumns(file: OpenedFile, columns: readonly string[]): OpenedFile {
  const fault = unknownColumn(Object.fromEntries(file.columns.map((name) => [name, ''])), columns);
  if (fault === undefined) return file;
  file.close();
  throw new CommandFailure(`The heading ${fault}.`);
}
