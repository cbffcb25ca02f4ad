// Owns what a record of a file is, before any map is laid over it.

/** A record's values by column. Of a GeoJSON feature also `@id`, and `@lat` and `@lng` of a point. */
export type RecordFields = Readonly<Record<string, unknown>>;

export interface SourceRecord {
  /** Counted from 1; the heading is not counted. */
  readonly row: number;
  readonly fields: RecordFields;
  /** The record as its file holds it, for the file of rejected rows. */
  readonly original: readonly string[];
  /** What is wrong with the record as a whole; then its fields say nothing. */
  readonly broken: string | null;
  readonly geometry: unknown;
}

export interface Records {
  /** What a record can hold, as far as the file's beginning tells. */
  readonly columns: readonly string[];
  /** The headings of `original`. */
  readonly headings: readonly string[];
  /** How many records there are; null until all have been read. */
  readonly total: number | null;
  /** False when later records may have further columns. */
  readonly complete: boolean;
  readonly rows: AsyncIterable<SourceRecord>;
}

/** A file that cannot be read as what it should be: the message names the place and the remedy. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
}
