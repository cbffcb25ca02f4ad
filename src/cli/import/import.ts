// Command `freehold import`: imports files of listings and areas.

import { type Command, Option } from 'commander';
import { createChangePartitions } from '../../changes/retention-store.ts';
import { readConfig } from '../../config.ts';
import { dryRunImport } from '../../import/dry-run.ts';
import type { ImportProgress } from '../../import/mapped-file.ts';
import { type ImportMap, readMap } from '../../import/mapping/map.ts';
import { MISSING_ACTIONS, type MissingAction } from '../../import/missing.ts';
import type { RemoteFile } from '../../import/remote/remote-file.ts';
import type { KnownFile } from '../../import/remote/validator-store.ts';
import { type ImportResult, runImport } from '../../import/run.ts';
import { systemClock } from '../../lib/clock.ts';
import { statIfExists } from '../../lib/files.ts';
import type { Database } from '../../postgres/client/database.ts';
import { hasCluster } from '../../postgres/embedded/cluster-home.ts';
import { REPLICATED } from '../../sources/abandoned.ts';
import { isReplicated } from '../../sources/store.ts';
import { INIT_OPTION, withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { examples } from '../options.ts';
import { emphasis, print, printJson } from '../output.ts';
import { progressLine } from '../progress-line.ts';
import { type ChosenMap, chooseMap, type Input, mapFileOf } from './import-map.ts';
import { dryRunText, importProgressText, resultText } from './import-output.ts';
import { addInspect, withInput } from './inspect.ts';
import { addPartOptions, type PartFlags, refuseUselessParts, withParts } from './parts.ts';
import { addRemoteOptions, findKnown, noteRemote, type RemoteFlags, showUnchanged } from './remote-input.ts';
import {
  addSchedules,
  everyArgument,
  refuseUselessSchedule,
  scheduledText,
  scheduleImport,
} from './schedules.ts';

interface ImportFlags extends PartFlags, RemoteFlags {
  readonly every?: number;
  readonly map?: string;
  readonly yes?: true;
  readonly rejected?: string;
  readonly restart?: true;
  readonly missing?: MissingAction;
  readonly accept?: true;
  readonly dryRun?: true;
  readonly init?: true;
  readonly json?: true;
}

type ImportKind = 'listings' | 'areas';

const URL_EXAMPLE = 'freehold import listings https://example.com/homes.csv --header-from FEED_TOKEN';
const INSPECT_EXAMPLE = 'freehold import inspect homes.csv';
const LISTINGS_EXAMPLE = 'freehold import listings sales.csv.gz --map docs/examples/king-county-sales.json';
const AREAS_EXAMPLE = 'freehold import areas counties.geojson --map docs/examples/us-counties.json';

export function addImport(program: Command): void {
  const group = program
    .command('import')
    .summary('import listings and areas from files')
    .description(
      'Imports CSV, GeoJSON, JSON lines or Excel workbooks, gzipped or zipped or neither. A map file says what the columns mean; for\n' +
        'listings an inspection of the file proposes it: docs/importing.md.',
    )
    .addHelpText('after', examples(INSPECT_EXAMPLE, LISTINGS_EXAMPLE, URL_EXAMPLE, AREAS_EXAMPLE));
  addInspect(group);
  addSchedules(group);
  addKind(group, 'listings', LISTINGS_EXAMPLE);
  addKind(group, 'areas', AREAS_EXAMPLE);
}

function addKind(group: Command, kind: ImportKind, example: string): void {
  const command = addRemoteOptions(addPartOptions(group.command(`${kind} <file>`)))
    .summary(`import ${kind}`)
    .description(
      `Imports ${kind} from a file, from standard input (\`-\`) or from a URL. You can import the same file again at any time: unchanged records are left alone.\n` +
        'After an interruption, the same command continues where it stopped.\n' +
        `Exit code ${EXIT.rejected}: done, but rows were rejected; a file contains them with the reason.`,
    )
    .option(
      '--rejected <file>',
      'where rejected rows go (default: beside the file, as <file>.rejected.csv, .ndjson, .geojson or .json)',
    )
    .option('--dry-run', 'read and validate everything, write nothing; needs no database')
    .option(
      '--every <time>',
      'import the URL now, and then each 30m, 1h, 1d … while a service runs, by the map as it is now',
      everyArgument,
    )
    .option('--restart', 'start over after an interrupted import')
    .option(...INIT_OPTION)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples(`${example} --dry-run`, example))
    .action((file: string, flags: ImportFlags) => importFile(kind, file, flags));
  if (kind === 'areas') {
    command.requiredOption('--map <file>', 'map file: what the columns mean');
    return;
  }
  command
    .option(
      '--map <file>',
      'map file: what the columns mean (default: <file>.map.json, else what an inspection proposes, after a question)',
    )
    .option('--yes', 'import by what an inspection proposes, without a question')
    .addOption(
      new Option(
        '--missing <action>',
        'end listings of the source that the file, which is a full one, no longer has; refused where it is\n' +
          'empty or cut short, or more than ten and more than 5 % would end',
      ).choices([...MISSING_ACTIONS]),
    )
    .option('--accept', 'end them although that was refused, after you have looked');
}

async function importFile(kind: ImportKind, file: string, flags: ImportFlags): Promise<void> {
  refuseUselessFlags(flags);
  await refuseUselessSchedule(file, flags);
  const notice = flags.dryRun
    ? 'Stopping.'
    : 'Stopping after the current batch; press Ctrl-C again to stop at once.';
  await withInput(
    file,
    flags,
    async (input, signal) => {
      await refuseUselessParts(input.path, flags);
      const chosen = await mapOf(kind, input, flags, signal);
      if (chosen !== null) await importMapped(input, chosen, flags, signal);
      else if (signal.aborted) process.exitCode = EXIT.interrupted;
    },
    notice,
    (remote) => knownOf(kind, remote, flags),
    async (remote, known) => {
      if (flags.every !== undefined) await scheduleUnchanged(kind, remote, flags);
      if (flags.json) printJson({ unchanged: true, importedAt: known.importedAt });
      else showUnchanged(remote, known);
    },
  );
}

/** The file is not imported again, but may have a schedule from now on. */
async function scheduleUnchanged(kind: ImportKind, remote: RemoteFile, flags: ImportFlags): Promise<void> {
  const mapFile = flags.map ?? mapFileOf(remote.name);
  const map = withParts(await readMap(mapFile, kind), flags);
  await withDatabase(readConfig(), (database) =>
    scheduleImport(database, remote, { map, mapFile }, flags, 'unchanged: nothing was fetched'),
  );
  if (flags.every !== undefined && !flags.json) print(process.stdout, scheduledText(flags.every));
}

/** What the database has of a URL; null where that does not count, or where there is no map or no database yet. */
async function knownOf(kind: ImportKind, remote: RemoteFile, flags: ImportFlags): Promise<KnownFile | null> {
  const mapFile = flags.map ?? mapFileOf(remote.name);
  if (flags.dryRun || flags.restart || (await statIfExists(mapFile)) === undefined) return null;
  const map = withParts(await readMap(mapFile, kind), flags);
  const config = readConfig();
  if (config.databaseUrl === null && !(await hasCluster(config.dataDirectory))) return null;
  return withDatabase(config, (database) => findKnown(database, remote, map, flags.missing), flags);
}

async function mapOf(
  kind: ImportKind,
  input: Input,
  flags: ImportFlags,
  signal: AbortSignal,
): Promise<ChosenMap | null> {
  if (kind === 'listings') return chooseMap(input, flags, signal);
  const mapFile = flags.map ?? '';
  return { map: await readMap(mapFile, kind), mapFile };
}

async function importMapped(
  input: Input,
  chosen: ChosenMap,
  flags: ImportFlags,
  signal: AbortSignal,
): Promise<void> {
  const { path, name, remote } = input;
  const { mapFile } = chosen;
  const map = withParts(chosen.map, flags);
  const { dryRun, json } = flags;
  const startedAt = systemClock.monotonic();
  const line = progressLine(systemClock, importProgressText);
  const options = {
    file: path,
    ...(name === '-' && { original: 'stdin' }),
    ...(remote !== undefined && { original: name }),
    map,
    mapFile,
    signal,
    ...(flags.rejected !== undefined && { rejectedFile: flags.rejected }),
    ...(flags.restart && { restart: true }),
    ...(flags.missing && { missing: { action: flags.missing, accept: flags.accept === true } }),
    onProgress: (progress: ImportProgress) => line.show(progress),
  };
  if (dryRun) {
    const result = await dryRunImport(options).finally(() => line.end());
    if (json) printJson(result);
    else print(process.stdout, dryRunText(result));
    setExitCode({ interrupted: signal.aborted, rejected: result.rejected, missing: null });
    return;
  }
  const config = readConfig();
  const result = await withDatabase(
    config,
    async (database) => {
      await refuseReplicated(database, map);
      // The service makes them too, but may never have run on this database.
      await createChangePartitions(database, systemClock.now());
      const done = await runImport(database, {
        ...options,
        map: { media: config.media.mode, ...map },
      });
      await noteRemote(database, input, map, flags.missing, done);
      if (remote !== undefined && !done.interrupted && (done.missing?.refused ?? null) === null)
        await scheduleImport(
          database,
          remote.file,
          { map, mapFile },
          flags,
          `${done.rows} rows, imported by hand`,
        );
      return done;
    },
    flags,
  ).finally(() => line.end());
  const seconds = (systemClock.monotonic() - startedAt) / 1_000;
  if (json) printJson({ ...result, mapFile, seconds: Math.round(seconds * 1_000) / 1_000 });
  else print(process.stdout, resultText(result, seconds));
  if (flags.every !== undefined && !json && !result.interrupted && (result.missing?.refused ?? null) === null)
    print(process.stdout, scheduledText(flags.every));
  const refused = result.missing?.refused ?? null;
  if (refused !== null)
    print(process.stderr, `${emphasis('error', 'Error:', process.stderr)} ${notEnded(refused)}`);
  setExitCode(result);
}

const notEnded = (refused: string): string =>
  `The rows are imported, but nothing was ended. ${refused} Look at the listings that are missing, then run the same command with --accept.`;

/** Throws CommandFailure for flags that mean nothing together. */
function refuseUselessFlags({ missing, accept, dryRun }: ImportFlags): void {
  if (accept && missing === undefined)
    throw new CommandFailure('--accept goes with --missing: it says what to accept.', EXIT.usage);
  if (missing !== undefined && dryRun)
    throw new CommandFailure(
      '--missing compares with the database, which --dry-run does not read: leave one of them out.',
      EXIT.usage,
    );
}

function setExitCode({
  interrupted,
  missing,
  rejected,
}: Pick<ImportResult, 'interrupted' | 'missing' | 'rejected'>): void {
  if (interrupted) process.exitCode = EXIT.interrupted;
  else if (missing !== null && missing.refused !== null) process.exitCode = EXIT.failed;
  else if (rejected > 0) process.exitCode = EXIT.rejected;
}

/** Replication would overwrite listings that are imported under the name of its source. */
async function refuseReplicated(database: Database, { kind, source }: ImportMap): Promise<void> {
  if (kind !== 'listings') return;
  if (!REPLICATED.includes(source.id) && !(await database.read((sql) => isReplicated(sql, source.id))))
    return;
  throw new CommandFailure(
    `The service itself replicates the source ${source.id} and would overwrite the import: give "source" in ` +
      'the map an "id" of its own.',
    EXIT.usage,
  );
}
