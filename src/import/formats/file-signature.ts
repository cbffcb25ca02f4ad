// Signatures of files: the encoding that a byte-order mark names, and forms that are no text.

import { FileFault } from './record.ts';

/** Bytes that are looked at. */
export const SIGNATURE_BYTES = 4_096;

const MARKS = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** The encoding that a byte-order mark at the beginning names; null without one. */
export function markedEncoding(beginning: Buffer): string | null {
  return MARKS.find(([, mark]) => beginning.subarray(0, mark.length).equals(Buffer.from(mark)))?.[0] ?? null;
}

const WORKBOOK = 'save the sheet that you mean as "CSV UTF-8", and import that file';
const UNPACK = 'unpack it, and import the file that is in it';
const CONVERT = 'export it as CSV or GeoJSON, and import that file (ogr2ogr and DuckDB do so)';

/** What begins with these bytes, read as Latin-1, at this place; the first that fits counts. */
const FORMS = [
  { begins: 'PK\x03\x04', holds: /xl\/|\[Content_Types\]\.xml/, is: 'an Excel workbook', remedy: WORKBOOK },
  {
    begins: 'PK\x03\x04',
    holds: /opendocument\.spreadsheet/,
    is: 'an OpenDocument workbook',
    remedy: WORKBOOK,
  },
  { begins: 'PK\x03\x04', is: 'a zip archive', remedy: UNPACK },
  { begins: '\xd0\xcf\x11\xe0', is: 'an Excel workbook of the old form', remedy: WORKBOOK },
  { begins: 'BZh', is: 'packed by bzip2', remedy: UNPACK },
  { begins: '\xfd7zXZ', is: 'packed by xz', remedy: UNPACK },
  { begins: '\x28\xb5\x2f\xfd', is: 'packed by zstd', remedy: UNPACK },
  { begins: '7z\xbc\xaf', is: 'a 7-Zip archive', remedy: UNPACK },
  { begins: 'ustar', at: 257, is: 'a tar archive', remedy: UNPACK },
  { begins: 'PAR1', is: 'a Parquet file', remedy: CONVERT },
  { begins: 'SQLite format 3', is: 'a SQLite database (a GeoPackage is one)', remedy: CONVERT },
  { begins: '\x00\x00\x27\x0a', is: 'an ESRI shapefile', remedy: CONVERT },
  { begins: '%PDF', is: 'a PDF', remedy: 'it holds pages, not records: ask for the data as CSV' },
] as const satisfies readonly { begins: string; at?: number; holds?: RegExp; is: string; remedy: string }[];

/** Throws FileFault for a file that is known to be no text, naming what it is and what to do. */
export function requireText(beginning: Buffer, path: string): void {
  const text = beginning.toString('latin1');
  const form = FORMS.find(
    (each) =>
      text.startsWith(each.begins, 'at' in each ? each.at : 0) &&
      (!('holds' in each) || each.holds.test(text)),
  );
  if (form !== undefined) throw new FileFault(`${path} is ${form.is}: ${form.remedy}.`);
  if (markedEncoding(beginning) === null && text.includes('\0'))
    throw new FileFault(`${path} is no text, or UTF-16 without a byte-order mark: save it as UTF-8.`);
}
