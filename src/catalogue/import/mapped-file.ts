// Owns what a file must be for its map: that it has the columns, and that no key stands in it twice.

import { nearest } from '../../http/values.ts';
import { columnsOf, type ImportMap, MapError } from './map.ts';
import { type OpenedFile, openRecords } from './records.ts';
import type { Mapped } from './target.ts';

export interface MappedFile {
  readonly file: string;
  readonly map: ImportMap;
  /** For messages. */
  readonly mapFile: string;
}

/** Opens the file and sees to it that it has the columns which the map reads. */
export async function withFile<T>(
  { file, map, mapFile }: MappedFile,
  work: (opened: OpenedFile) => Promise<T>,
): Promise<T> {
  const opened = await openRecords(file, map.file);
  try {
    const missing = columnsOf(map).filter((column) => !opened.columns.includes(column));
    // Members that few objects have may be missing from the beginning of a file of JSON lines.
    if (missing.length > 0 && opened.complete) {
      throw new MapError(
        mapFile,
        missing.map((column) => missingColumn(column, opened.columns)),
      );
    }
    return await work(opened);
  } finally {
    opened.close();
  }
}

function missingColumn(column: string, columns: readonly string[]): string {
  const meant = nearest(column, columns);
  const hint = meant ? `did you mean ${meant}?` : `it has ${columns.slice(0, 40).join(', ')}`;
  return `the file has no column ${column}; ${hint}`;
}

/** A key that stands twice would make each import overwrite one row with the other. */
export function repeatedKey({ key }: Pick<Mapped<unknown>, 'key'>): string {
  return `${key} stands in an earlier row too: build the key from more columns, such as id and date`;
}
