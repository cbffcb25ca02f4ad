// File of rejected records: each in the format of its file, with the reason, to be corrected and imported again.

import { type FileHandle, open, rm } from 'node:fs/promises';
import { readBeginning, statIfExists } from '../../lib/files.ts';
import { FileFault, isObject, type RejectedForm } from './record.ts';

/** Bytes of an existing file that are searched for rejected records. */
const SEARCHED_BYTES = 64 * 1024;

/** Nothing is created before the first record is rejected, and from then on the file is whole after every write. */
export class RejectedFile {
  readonly path: string;
  readonly #form: RejectedForm;
  #handle: FileHandle | null = null;
  #bytes = 0;

  private constructor(path: string, form: RejectedForm) {
    this.path = path;
    this.#form = form;
  }

  /** `bytes`: written by an earlier run; what follows them is dropped. */
  static async open(path: string, form: RejectedForm, bytes: number): Promise<RejectedFile> {
    const file = new RejectedFile(path, form);
    if (bytes === 0) await rm(path, { force: true }).catch((error: unknown) => unwritable(path, error));
    else await file.#continue(bytes);
    return file;
  }

  /** Bytes on disk without the tail, which moves: for the checkpoint. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Records in the text of the file's form. */
  async write(records: readonly string[]): Promise<void> {
    if (records.length === 0) return;
    const { head, between } = this.#form;
    try {
      this.#handle ??= await open(this.path, 'w');
      const text = (this.#bytes === 0 ? head : between) + records.join(between);
      this.#bytes = await this.#writeAt(this.#handle, this.#bytes, text);
    } catch (error) {
      unwritable(this.path, error);
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  /** Writes the text and the tail after it; returns the position of the tail. */
  async #writeAt(handle: FileHandle, place: number, text: string): Promise<number> {
    const [own, tail] = [Buffer.from(text), Buffer.from(this.#form.tail)];
    await handle.write(Buffer.concat([own, tail]), 0, own.length + tail.length, place);
    // The checkpoint that follows must not be ahead of the disk.
    await handle.datasync();
    return place + own.length;
  }

  async #continue(bytes: number): Promise<void> {
    const handle = await open(this.path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null; // Removed meanwhile: a new file is created.
      return unwritable(this.path, error);
    });
    if (handle === null) return;
    const { size } = await handle.stat();
    const known = Math.min(size, bytes);
    await handle.truncate(known);
    this.#bytes = await this.#writeAt(handle, known, '');
    this.#handle = handle;
  }
}

/**
 * Refuses to write rejected records over something else: the file they come from, or one that holds none. An earlier file of
 * them is written again. Throws FileFault.
 */
export async function refuseOtherFile(path: string, input: string): Promise<void> {
  const [there, from] = await Promise.all([statIfExists(path), statIfExists(input)]);
  if (there === undefined) return;
  const elsewhere = 'name another file with --rejected';
  if (there.dev === from?.dev && there.ino === from.ino)
    throw new FileFault(
      `${path} is the file to be imported: rejected rows would overwrite it; ${elsewhere}.`,
    );
  if (!there.isFile()) throw new FileFault(`${path} is not a regular file: ${elsewhere}.`);
  const beginning = await readBeginning(path, SEARCHED_BYTES).catch((error: unknown) =>
    unwritable(path, error),
  );
  if (there.size === 0 || isRejectedFile(beginning.toString('utf8'))) return;
  throw new FileFault(
    `${path} is there already and does not hold rejected rows, which would overwrite it: ${elsewhere}, or move it away.`,
  );
}

function unwritable(path: string, error: unknown): never {
  throw new FileFault(
    `Rejected rows cannot be written to ${path}: ${(error as Error).message}. Name another file with --rejected.`,
  );
}

/** Columns that rejected records have besides their own: their row, and the reason. */
export const REJECTED_COLUMNS = ['rejected_row', 'rejected_reason'] as const;

export const LINES: RejectedForm = { extension: 'ndjson', head: '', between: '', tail: '' };

export const ARRAY: RejectedForm = { extension: 'json', head: '[\n', between: ',\n', tail: '\n]\n' };

/** `members`: those of the collection besides its features. */
export function collectionForm(members: Readonly<Record<string, unknown>>): RejectedForm {
  const { type: _type, features: _features, ...rest } = members;
  const beginning = JSON.stringify({ type: 'FeatureCollection', ...rest }).slice(0, -1);
  return { extension: 'geojson', head: `${beginning},"features":[\n`, between: ',\n', tail: '\n]}\n' };
}

/** `marked`: begins with a byte-order mark, as the map names another encoding than UTF-8. */
export function csvForm(headings: readonly string[], delimiter: string, marked: boolean): RejectedForm {
  const names = headings.filter((name) => !isRejectedColumn(name));
  const heading = csvLine([...names, ...REJECTED_COLUMNS], delimiter);
  return { extension: 'csv', head: (marked ? '\ufeff' : '') + heading, between: '', tail: '' };
}

/** A row of CSV as wide as its heading; of a broken row that is wider the last field holds what is too much. */
export function csvRecord(
  headings: readonly string[],
  fields: readonly string[],
  delimiter: string,
  rejection: Rejection,
): string {
  const last = headings.length - 1;
  const own = headings.flatMap((name, at) => {
    if (isRejectedColumn(name)) return [];
    return [at === last ? fields.slice(at).join(delimiter) : (fields[at] ?? '')];
  });
  return csvLine([...own, String(rejection.place), rejection.reason], delimiter);
}

export interface Rejection {
  readonly place: number;
  readonly reason: string;
}

/** A value of JSON with the rejection in it: in the properties of a feature, else among its own members. */
export function jsonRecord(value: unknown, { place, reason }: Rejection): string {
  const rejection = { rejected_row: place, rejected_reason: reason };
  if (!isObject(value)) return JSON.stringify({ ...rejection, rejected_value: value });
  if (value.type !== 'Feature') return JSON.stringify({ ...rejection, ...value, ...rejection });
  const { type, id, properties, ...rest } = value;
  const own = isObject(properties) ? properties : {};
  return JSON.stringify({
    type,
    ...(id !== undefined && { id }),
    properties: { ...rejection, ...own, ...rejection },
    ...rest,
  });
}

/** Whether a file that begins so holds rejected records, of whatever form. */
export function isRejectedFile(beginning: string): boolean {
  const [heading = ''] = beginning.split(/[\r\n]/, 1);
  return (
    /(?:^|[^\w])rejected_row[^\w]rejected_reason$/.test(heading) || beginning.includes('"rejected_row":')
  );
}

const isRejectedColumn = (name: string): boolean => (REJECTED_COLUMNS as readonly string[]).includes(name);

function csvLine(fields: readonly string[], delimiter: string): string {
  const needsQuotes = (field: string): boolean =>
    /["\r\n]/.test(field) || field.includes(delimiter) || field.trim() !== field;
  const quoted = fields.map((field) => (needsQuotes(field) ? `"${field.replaceAll('"', '""')}"` : field));
  return `${quoted.join(delimiter)}\n`;
}
