// Records of a file before any map is applied.

/** A record's values by column. Of a GeoJSON feature also `@id`, and `@lat` and `@lng` of a point. */
export type RecordFields = Readonly<Record<string, unknown>>;

export interface SourceRecord {
  /** Counted from 1; the heading is not counted. */
  readonly row: number;
  /** Where people find it, in the unit of the file's `places`. */
  readonly place: number;
  readonly fields: RecordFields;
  /** The record as its file holds it, with a reason, for the file of rejected records. */
  rejectedText(reason: string): string;
  /** What is wrong with the record as a whole; then its fields are empty. */
  readonly broken: string | null;
  readonly geometry: unknown;
}

export interface Records {
  /** Columns, as far as the file's beginning shows. */
  readonly columns: readonly string[];
  /** What a record's place is: the line of the file on which it begins, the row of its sheet, or its number in a document that is read whole. */
  readonly places: 'line' | 'row' | 'feature' | 'record';
  readonly rejectedForm: RejectedForm;
  /** How many records there are; null until all have been read. */
  readonly total: number | null;
  /** False when later records may have further columns. */
  readonly complete: boolean;
  /** The heading of CSV as it is written, and what parts its columns. */
  readonly heading?: { readonly text: string; readonly delimiter: string };
  readonly rows: AsyncIterable<SourceRecord>;
}

/** A file that cannot be read as what it should be: the message names the place and the remedy. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
}

export const FORMATS = ['csv', 'geojson', 'ndjson', 'json'] as const;

export type Format = (typeof FORMATS)[number];

/** A whole file is `head`, the records with `between` between them, and `tail`. */
export interface RejectedForm {
  readonly extension: string;
  readonly head: string;
  readonly between: string;
  readonly tail: string;
}

/** True for what a JSON object parses to. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
