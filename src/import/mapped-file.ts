// File with its map: columns checked, digest, and how far it is read.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '../lib/nearest.ts';
import { delimiterText, likelyDelimiter } from './formats/csv.ts';
import { type OpenedFile, openRecords } from './formats/open-file.ts';
import { refuseOtherFile } from './formats/rejected.ts';
import { columnsOf, type ImportMap, MapError } from './mapping/map.ts';
import { usableTest } from './mapping/row.ts';

export interface MappedFile {
  readonly file: string;
  readonly map: ImportMap;
  /** For messages. */
  readonly mapFile: string;
  /** Where rejected rows are written; absent: beside the file. */
  readonly rejectedFile?: string;
  /** What rejected rows are written beside, where the file is a copy of something else. */
  readonly original?: string;
}

/**
 * Opens the file and checks that it has the columns of the map, and that rejected rows will overwrite no other file.
 * Throws MapError or FileFault.
 */
export async function withFile<T>(
  { file, map, mapFile, rejectedFile, original = file }: MappedFile,
  work: (opened: OpenedFile, rejectedPath: string) => Promise<T>,
): Promise<T> {
  const opened = await openMapped(file, map);
  try {
    const missing = columnsOf(map).filter((column) => !opened.columns.includes(column));
    // Members that few objects have may be missing from the beginning of a file of JSON lines.
    if (missing.length > 0 && opened.complete)
      throw new MapError(mapFile, columnFaults(opened, map, missing));
    const rejectedPath = resolve(rejectedFile ?? `${original}.rejected.${opened.rejectedForm.extension}`);
    await refuseOtherFile(rejectedPath, file);
    return await work(opened, rejectedPath);
  } finally {
    opened.close();
  }
}

/** Opens the file of a map. Throws FileFault. */
export const openMapped = (file: string, map: ImportMap): Promise<OpenedFile> =>
  openRecords(file, map.file, usableTest(map));

/** One fault for each column, but one for all where another delimiter would find them. */
function columnFaults(
  { columns, heading }: OpenedFile,
  map: ImportMap,
  missing: readonly string[],
): string[] {
  const found = heading && likelyDelimiter(heading.text, heading.delimiter, columnsOf(map));
  if (heading && found)
    return [`the file has other columns than the map, as ${delimiterText(found, heading.delimiter)}`];
  return missing.map((column) => missingColumn(column, columns));
}

function missingColumn(column: string, columns: readonly string[]): string {
  if (column === '') return 'the file has no column without a name, or several of them';
  const meant = nearest(column, columns);
  const hint = meant
    ? `did you mean ${meant}?`
    : `it has ${columns.slice(0, 40).map(shownColumn).join(', ')}`;
  return `the file has no column ${column}; ${hint}`;
}

const shownColumn = (column: string): string => (column === '' ? '""' : column);

/** SHA-256 of a file. */
export async function digestOfFile(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer);
  return hash.digest();
}

/** How far an import or a dry run is. */
export interface ImportProgress {
  readonly phase: 'surveying' | 'reading' | 'placing';
  /** Of the phase, between 0 and 1. */
  readonly part: number;
  readonly rows: number;
  readonly rejected: number;
  /** Rows that an earlier run had read. */
  readonly resumedAt: number;
  /** Listings checked while they are placed in changed areas. */
  readonly placed: number;
}

/** The part of a file that is read with so many rows or bytes. */
export function partRead({ total, size }: OpenedFile, rows: number, bytes: number): number {
  return Math.min(1, total === null ? bytes / size : rows / total);
}
