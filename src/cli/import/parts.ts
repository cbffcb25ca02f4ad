// Options `--sheet` and `--member`: which sheet of a workbook, or which file of an archive, a command reads.

import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import type { FilePart, FileRules } from '../../import/formats/open-file.ts';
import { openSource } from '../../import/formats/source.ts';
import type { ImportMap } from '../../import/mapping/map.ts';
import { CommandFailure, EXIT } from '../failure.ts';

export type PartFlags = Pick<FileRules, 'sheet' | 'member'>;

export const addPartOptions = (command: Command): Command =>
  command
    .option('--sheet <name>', 'the sheet of a workbook (default: the one with the most rows)')
    .option('--member <name>', 'the file of a zip archive (default: the only one with listings)');

/** Throws CommandFailure where the file has no such parts at all, and FileFault where it cannot be opened. */
export async function refuseUselessParts(path: string, { sheet, member }: PartFlags): Promise<void> {
  if (sheet === undefined && member === undefined) return;
  const source = await openSource(path, member);
  const isWorkbook = source.kind === 'workbook';
  if (source.kind === 'workbook') source.archive.close();
  else source.close();
  if (sheet !== undefined && !isWorkbook)
    throw new CommandFailure(
      '--sheet is of Excel workbooks, and this file is none: leave it out.',
      EXIT.usage,
    );
  if (member !== undefined && (isWorkbook || source.member === null))
    throw new CommandFailure('--member is of zip archives, and this file is none: leave it out.', EXIT.usage);
}

/** The map with the part that a command names, which counts before the map's own. Another part is another import. */
export function withParts(map: ImportMap, { sheet, member }: PartFlags): ImportMap {
  if (sheet === undefined && member === undefined) return map;
  const parts = { ...(sheet !== undefined && { sheet }), ...(member !== undefined && { member }) };
  const digest = createHash('sha256').update(map.digest).update(JSON.stringify(parts)).digest();
  return { ...map, file: { ...map.file, ...parts }, digest };
}

/** What was read of a workbook or an archive, as a line of a report. */
export function partText(part: FilePart | null): string[] {
  if (part === null) return [];
  if (part.kind === 'member') return [`File of the archive: ${part.name}`];
  const others = part.others.length === 0 ? '' : ` (not read: ${part.others.slice(0, 10).join(', ')})`;
  return [`Sheet: ${part.name}${others}`];
}
