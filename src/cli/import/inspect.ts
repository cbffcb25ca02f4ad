// Command `freehold import inspect`: explains a file, and writes a map for it.

import type { Command } from 'commander';
import { withSpooled } from '../../import/spool.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { interruption } from '../interruption.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { emphasis, print, printJson } from '../output.ts';
import { type Input, inspectWithProgress, keepMap, mapFileOf, showInspection } from './import-map.ts';
import { addPartOptions, type PartFlags, refuseUselessParts } from './parts.ts';

interface InspectFlags extends PartFlags {
  readonly map?: string;
  readonly overwrite?: true;
  readonly json?: true;
}

export function addInspect(group: Command): void {
  const command = group.command('inspect <file>');
  addPartOptions(command)
    .summary('explain a file of listings, and propose its map')
    .description(
      'Reads all of a file of listings and says what each column is taken for, how sure that is, and what share of it can be read;\n' +
        'then what is missing, what was assumed, and what looks odd. It writes the map that it proposes beside the file.\n' +
        '`-` reads standard input.',
    )
    .option('--map <file>', 'where the map goes (default: beside the file, as <file>.map.json)')
    .option('--overwrite', 'replace a map that is there already')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('freehold import inspect homes.csv', 'freehold import inspect homes.csv --map homes.json'),
    )
    .action((file: string, flags: InspectFlags) =>
      withInput(file, (input, signal) => inspect(input, flags, signal)),
    );
}

/** Works with a file, or with a copy of standard input. */
export async function withInput(
  name: string,
  work: (input: Input, signal: AbortSignal) => Promise<void>,
  notice = 'Stopping.',
): Promise<void> {
  const { signal } = interruption(notice);
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
  const command = `freehold import listings ${input.name}${beside ? '' : ` --map ${mapFile}`}`;
  print(process.stdout, `Map: ${mapFile}. Change it where it is wrong, then: ${emphasis('key', command)}`);
}
