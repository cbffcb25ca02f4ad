// Map of an import: the one that is named, the one beside the file, or one that an inspection proposes.

import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { type Inspection, inspectFile } from '../../import/inspect/inspect-file.ts';
import { mapText } from '../../import/inspect/map-text.ts';
import type { ImportProgress } from '../../import/mapped-file.ts';
import { type ImportMap, parseMap, readMap } from '../../import/mapping/map.ts';
import type { RemoteFile, Validators } from '../../import/remote/remote-file.ts';
import { systemClock } from '../../lib/clock.ts';
import { statIfExists } from '../../lib/files.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { print } from '../output.ts';
import { progressLine } from '../progress-line.ts';
import { placesOutside } from './areas-of-places.ts';
import { importProgressText } from './import-output.ts';
import { inspectionText, previewText } from './inspect-output.ts';
import type { PartFlags } from './parts.ts';

/** What is imported. */
export interface Input {
  /** Where its content is. */
  readonly path: string;
  /** As it was named: `-` is standard input; of a URL, the name of its file. */
  readonly name: string;
  /** Where it was fetched from; absent: from nowhere. */
  readonly remote?: { readonly file: RemoteFile; readonly validators: Validators };
}

export interface MapFlags extends PartFlags {
  readonly map?: string;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

export interface ChosenMap {
  readonly map: ImportMap;
  readonly mapFile: string;
}

/** `sales.csv.map.json`; of standard input in the current folder. */
export const mapFileOf = (name: string): string => `${name === '-' ? 'stdin' : name}.map.json`;

/** The map for listings; null where the operator does not want what is proposed. Throws MapError, FileFault or CommandFailure. */
export async function chooseMap(
  input: Input,
  flags: MapFlags,
  signal: AbortSignal,
): Promise<ChosenMap | null> {
  if (flags.map !== undefined) return { map: await readMap(flags.map, 'listings'), mapFile: flags.map };
  const mapFile = mapFileOf(input.name);
  if ((await statIfExists(mapFile)) !== undefined) {
    const map = await readMap(mapFile, 'listings');
    print(process.stderr, `By the map beside the file, ${mapFile}.`);
    return { map, mapFile };
  }
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true && input.name !== '-';
  if (!isTerminal && flags.yes !== true && flags.dryRun !== true) throw noMap(input);
  const inspection = await inspectWithProgress(input, flags, signal);
  if (signal.aborted) return null;
  const text = mapText(inspection.map);
  const chosen = { map: parseMap(mapFile, text), mapFile };
  if (flags.json !== true) await showInspection(input, inspection);
  if (flags.dryRun) return chosen;
  if (flags.yes !== true && !(await confirm(inspection.rows, mapFile))) {
    print(process.stdout, 'Nothing was imported.');
    return null;
  }
  await writeFile(mapFile, text, { flag: 'wx' });
  if (flags.json !== true) print(process.stdout, `Map: ${mapFile}. The next import of this file uses it.`);
  return chosen;
}

function noMap({ name, remote }: Input): CommandFailure {
  const remedy =
    name === '-' || remote !== undefined
      ? 'add --yes to import by the map that an inspection proposes, or name one with --map'
      : `\`freehold import inspect ${name}\` proposes one, or add --yes to import by what it proposes`;
  return new CommandFailure(
    `No map says what the columns of ${name === '-' ? 'standard input' : name} mean: ${remedy}.`,
    EXIT.usage,
  );
}

export async function inspectWithProgress(
  { path, name }: Input,
  { sheet, member }: PartFlags,
  signal: AbortSignal,
): Promise<Inspection> {
  const line = progressLine(systemClock, importProgressText);
  const onProgress = (progress: ImportProgress) => line.show(progress);
  const parts = { ...(sheet !== undefined && { sheet }), ...(member !== undefined && { member }) };
  const named = name === '-' ? 'stdin' : name;
  return inspectFile({ file: path, name: named, parts, signal, onProgress }).finally(() => line.end());
}

/** The table, then the first rows. */
export async function showInspection(input: Input, inspection: Inspection): Promise<void> {
  const name = input.name === '-' ? 'Standard input' : input.name;
  const outside = await placesOutside(inspection.check.sampledPlaces);
  print(process.stdout, inspectionText({ name, inspection, outside }));
  print(process.stdout, `\n${previewText(inspection.preview)}\n`);
}

async function confirm(rows: number, mapFile: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(
      `Import ${rows.toLocaleString('en-US')} rows so, and keep the map as ${mapFile}? [Y/n] `,
    );
    return /^(?:y|yes|)$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/** Writes a proposed map where none is. Returns what became of it. */
export async function keepMap(
  mapFile: string,
  inspection: Inspection,
  overwrite: boolean,
): Promise<'written' | 'same' | 'kept'> {
  const text = mapText(inspection.map);
  const existing = await readFile(mapFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (existing === text) return 'same';
  if (existing !== null && !overwrite) return 'kept';
  await writeFile(mapFile, text);
  return 'written';
}
