// Command `freehold import inspect`: explains a file, and writes a map for it.

import type { Command } from 'commander';
import { isUrl, type RemoteFile } from '../../import/remote/remote-file.ts';
import type { KnownFile } from '../../import/remote/validator-store.ts';
import { withSpooled } from '../../import/spool.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { interruption } from '../interruption.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { emphasis, print, printJson } from '../output.ts';
import { type Input, inspectWithProgress, keepMap, mapFileOf, showInspection } from './import-map.ts';
import { addPartOptions, type PartFlags, refuseUselessParts } from './parts.ts';
import { addRemoteOptions, type RemoteFlags, refuseUselessHeaders, withRemote } from './remote-input.ts';

interface InspectFlags extends PartFlags, RemoteFlags {
  readonly map?: string;
  readonly overwrite?: true;
  readonly json?: true;
}

export function addInspect(group: Command): void {
  const command = group.command('inspect <file>');
  addRemoteOptions(addPartOptions(command))
    .summary('explain a file of listings, and propose its map')
    .description(
      'Reads all of a file of listings and says what each column is taken for, how sure that is, and what share of it can be read;\n' +
        'then what is missing, what was assumed, and what looks odd. It writes the map that it proposes beside the file.\n' +
        '`-` reads standard input; a URL is fetched, and its map goes into the current folder.',
    )
    .option('--map <file>', 'where the map goes (default: beside the file, as <file>.map.json)')
    .option('--overwrite', 'replace a map that is there already')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('freehold import inspect homes.csv', 'freehold import inspect homes.csv --map homes.json'),
    )
    .action((file: string, flags: InspectFlags) =>
      withInput(file, flags, (input, signal) => inspect(input, flags, signal)),
    );
}

/**
 * Works with a file, with a copy of standard input, or with what a URL has.
 * @param known what the database has of a URL; absent: it is fetched in any case
 */
export async function withInput(
  name: string,
  flags: RemoteFlags,
  work: (input: Input, signal: AbortSignal) => Promise<void>,
  notice = 'Stopping.',
  known?: (remote: RemoteFile) => Promise<KnownFile | null>,
  onUnchanged?: (remote: RemoteFile, known: KnownFile) => Promise<void>,
): Promise<void> {
  const { signal } = interruption(notice);
  refuseUselessHeaders(isUrl(name), flags);
  if (isUrl(name)) return withRemote(name, flags, signal, (input) => work(input, signal), known, onUnchanged);
  if (name !== '-') return work({ path: name, name }, signal);
  if (process.stdin.isTTY === true)
    throw new CommandFailure(
      '`-` reads standard input: send a file into it, as in `gunzip -c homes.csv.gz | freehold import inspect -`.',
      EXIT.usage,
    );
  return withSpooled(process.stdin, (path) => work({ path, name }, signal), signal);
}

async function inspect(input: Input, flags: InspectFlags, signal: AbortSignal): Promise<void> {
  const { map, overwrite, json } = flags;
  await refuseUselessParts(input.path, flags);
  const inspection = await inspectWithProgress(input, flags, signal);
  if (signal.aborted) {
    process.exitCode = EXIT.interrupted;
    return;
  }
  const mapFile = map ?? mapFileOf(input.name);
  if (json) {
    const state = await keepMap(mapFile, inspection, overwrite === true);
    printJson({ ...inspection, mapFile, mapState: state });
    return;
  }
  await showInspection(input, inspection);
  const state = await keepMap(mapFile, inspection, overwrite === true);
  if (state === 'kept') {
    print(
      process.stdout,
      emphasis(
        'warning',
        `${mapFile} is there already and says something else: it stays as it is. --overwrite replaces it.`,
      ),
    );
    return;
  }
  const beside = mapFile === mapFileOf(input.name) && input.name !== '-';
  const command = `freehold import listings ${input.remote === undefined ? input.name : "'<the URL>'"}${beside ? '' : ` --map ${mapFile}`}`;
  print(process.stdout, `Map: ${mapFile}. Change it where it is wrong, then: ${emphasis('key', command)}`);
}
