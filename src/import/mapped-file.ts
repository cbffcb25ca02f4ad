// File with its map: columns checked, digest, and repeated keys.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '../lib/nearest.ts';
import { delimiterText, likelyDelimiter } from './formats/csv.ts';
import { type OpenedFile, openRecords } from './formats/open-file.ts';
import { refuseOtherFile } from './formats/rejected.ts';
import { columnsOf, type ImportMap, MapError } from './mapping/map.ts';
import type { Mapped } from './target.ts';

export interface MappedFile {
  readonly file: string;
  readonly map: ImportMap;
  /** For messages. */
  readonly mapFile: string;
  /** Where rejected rows are written; absent: beside the file. */
  readonly rejectedFile?: string;
}

/**
 * Opens the file and sees to it that it has the columns which the map reads, and that rejected rows will overwrite nothing
 * else. Throws MapError or FileFault.
 */
export async function withFile<T>(
  { file, map, mapFile, rejectedFile }: MappedFile,
  work: (opened: OpenedFile, rejectedPath: string) => Promise<T>,
): Promise<T> {
  const opened = await openRecords(file, map.file);
  try {
    const missing = columnsOf(map).filter((column) => !opened.columns.includes(column));
    // Members that few objects have may be missing from the beginning of a file of JSON lines.
    if (missing.length > 0 && opened.complete)
      throw new MapError(mapFile, columnFaults(opened, map, missing));
    const rejectedPath = resolve(rejectedFile ?? `${file}.rejected.${opened.rejectedForm.extension}`);
    await refuseOtherFile(rejectedPath, file);
    return await work(opened, rejectedPath);
  } finally {
    opened.close();
  }
}

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

/** A key that stands twice would make each import overwrite one row with the other. */
export function repeatedKey({ key }: Pick<Mapped<unknown>, 'key'>): string {
  return `${key} stands in an earlier row too: build the key from more columns, such as id and date`;
}

/** SHA-256 of a file. */
export async function digestOfFile(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer);
  return hash.digest();
}

/** Keys seen so far, as 48 bits of a digest each: a file of millions of rows fits in memory. */
export class SeenKeys {
  readonly #seen = new Set<number>();

  /** Whether the key is new. */
  add(key: string): boolean {
    const digest = createHash('md5').update(key).digest();
    const size = this.#seen.size;
    return this.#seen.add(digest.readUIntBE(0, 6)).size > size;
  }
}
