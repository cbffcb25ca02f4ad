// Command `freehold import`: imports files of listings and areas.

import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { rehearseImport } from '../import/dry-run.ts';
import { type ImportMap, MapError, readMap } from '../import/mapping/map.ts';
import { runImport } from '../import/run.ts';
import { systemClock } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { isReplicated } from '../sources/store.ts';
import { INIT_OPTION, withDatabase } from './database.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { outcomeText, progressLine, rehearsalStanding, rehearsalText, standingOf } from './import-output.ts';
import { examples } from './options.ts';
import { print, printJson } from './output.ts';

interface ImportFlags {
  readonly map: string;
  readonly rejected?: string;
  readonly restart?: true;
  readonly dryRun?: true;
  readonly init?: true;
  readonly json?: true;
}

type ImportKind = 'listings' | 'areas';

const LISTINGS_EXAMPLE = 'freehold import listings sales.csv.gz --map docs/examples/king-county-sales.json';
const AREAS_EXAMPLE = 'freehold import areas counties.geojson --map docs/examples/us-counties.json';

export function addImport(program: Command): void {
  const group = program
    .command('import')
    .summary('import listings and areas from files')
    .description(
      'Imports CSV, GeoJSON or JSON lines, gzipped or not. A map file says what the columns mean: docs/importing.md.',
    )
    .addHelpText('after', examples(LISTINGS_EXAMPLE, AREAS_EXAMPLE));
  addKind(group, 'listings', LISTINGS_EXAMPLE);
  addKind(group, 'areas', AREAS_EXAMPLE);
}

function addKind(group: Command, kind: ImportKind, example: string): void {
  group
    .command(`${kind} <file>`)
    .summary(`import ${kind}`)
    .description(
      `Imports ${kind}. You can import the same file again at any time: unchanged records are left alone.\n` +
        'After an interruption, the same command continues where it stopped.\n' +
        `Exit code ${EXIT.rejected}: done, but rows were rejected; a file contains them with the reason.`,
    )
    .requiredOption('--map <file>', 'map file: what the columns mean')
    .option(
      '--rejected <file>',
      'where rejected rows go (default: beside the file, as <file>.rejected.csv, .ndjson, .geojson or .json)',
    )
    .option('--dry-run', 'read and validate everything, write nothing; needs no database')
    .option('--restart', 'start over after an interrupted import')
    .option(...INIT_OPTION)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples(`${example} --dry-run`, example))
    .action((file: string, flags: ImportFlags) => runCommand(kind, file, flags));
}

async function runCommand(kind: ImportKind, file: string, flags: ImportFlags): Promise<void> {
  try {
    await (flags.dryRun ? rehearse(kind, file, flags) : run(kind, file, flags));
  } catch (error) {
    if (error instanceof MapError) throw new CommandFailure(error.message, EXIT.usage);
    throw error;
  }
}

async function rehearse(kind: ImportKind, file: string, flags: ImportFlags): Promise<void> {
  const map = await readMap(flags.map, kind);
  const { signal } = interruption('Stopping.');
  const line = progressLine(systemClock);
  const rehearsal = await rehearseImport({
    ...{ file, map, mapFile: flags.map, ...rejectedFlag(flags), signal },
    tell: (progress) => line.show(rehearsalStanding(progress)),
  }).finally(() => line.end());
  if (flags.json) printJson(rehearsal);
  else print(process.stdout, rehearsalText(rehearsal));
  if (signal.aborted) process.exitCode = EXIT.interrupted;
  else if (rehearsal.rejected > 0) process.exitCode = EXIT.rejected;
}

async function run(kind: ImportKind, file: string, flags: ImportFlags): Promise<void> {
  const map = await readMap(flags.map, kind);
  const { signal } = interruption('Stopping after the current batch; press Ctrl-C again to stop at once.');
  const begun = systemClock.monotonic();
  const line = progressLine(systemClock);
  const outcome = await withDatabase(
    readConfig(),
    async (database) => {
      await refuseReplicated(database, map);
      return runImport(database, {
        ...{ file, map, mapFile: flags.map, signal },
        ...rejectedFlag(flags),
        ...(flags.restart && { restart: true }),
        tell: (progress) => line.show(standingOf(progress)),
      });
    },
    flags,
  ).finally(() => line.end());
  const seconds = (systemClock.monotonic() - begun) / 1_000;
  if (flags.json) printJson({ ...outcome, seconds: Math.round(seconds * 1_000) / 1_000 });
  else print(process.stdout, outcomeText(outcome, seconds));
  if (outcome.interrupted) process.exitCode = EXIT.interrupted;
  else if (outcome.rejected > 0) process.exitCode = EXIT.rejected;
}

function rejectedFlag({ rejected }: ImportFlags): { rejectedFile?: string } {
  return rejected === undefined ? {} : { rejectedFile: rejected };
}

/** Sources that the service itself may read, whether or not it has begun to. */
const REPLICATED = ['sample', 'reso'];

/** Listings under the name of a replicated source would be changed back, or taken away, by its next change. */
async function refuseReplicated(database: Database, { kind, source }: ImportMap): Promise<void> {
  if (kind !== 'listings') return;
  const taken =
    REPLICATED.includes(source.id) || (await database.read((sql) => isReplicated(sql, source.id)));
  if (!taken) return;
  throw new CommandFailure(
    `The service itself replicates the source ${source.id} and would overwrite the import: give "source" in ` +
      'the map an "id" of its own.',
    EXIT.usage,
  );
}

/** A signal that is aborted by SIGINT, SIGTERM or SIGHUP; `notice` says on standard error what happens then. */
export function interruption(notice: string): { readonly signal: AbortSignal } {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      process.once(name, () => process.exit(130));
      if (!controller.signal.aborted) print(process.stderr, `\n${notice}`);
      controller.abort();
    });
  }
  return controller;
}
