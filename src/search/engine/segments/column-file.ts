// Column file: the segments as they were at a sequence of the log, so that a start need not read them from the database.

import type { Database } from '../../../postgres/client/database.ts';
import {
  CODE_COLUMNS,
  FLAGS,
  LIST_COLUMNS,
  NUMBER_COLUMNS,
  ORDER_COLUMNS,
  TEXT_COLUMNS,
} from '../columns/columns.ts';
import type { SharedDictionaries } from '../columns/dictionary.ts';
import { BLOCK_ROWS } from '../columns/segment.ts';
import { type ArrayTree, readArrays, writeArrays } from './array-file.ts';
import type { Base } from './build-base.ts';
import { findMark, hasMark, type LogMark } from './log-mark-store.ts';

/** A base as threads share it. */
export interface SharedBase extends Omit<Base, 'dictionaries'> {
  readonly dictionaries: SharedDictionaries;
}

/** Raised whenever what an array means changes, or which words a listing has. */
const VERSION = 4;

/** What a file must have been written with. */
const FORMAT = JSON.stringify([
  VERSION,
  BLOCK_ROWS,
  NUMBER_COLUMNS,
  CODE_COLUMNS,
  LIST_COLUMNS,
  TEXT_COLUMNS,
  FLAGS,
  ORDER_COLUMNS,
]);

interface Content extends SharedBase {
  readonly format: string;
  readonly mark: LogMark;
}

/** Replaces the file. Does nothing where the log has no changes yet, so that nobody could tell whether the file belongs to it. */
export async function writeColumnFile(path: string, database: Database, base: SharedBase): Promise<void> {
  const mark = await database.read((sql) => findMark(sql, base.sequence));
  if (mark === null) return;
  const content: Content = { ...base, format: FORMAT, mark };
  await writeArrays(path, content as unknown as ArrayTree);
}

/** The base of a file; null if there is none that is whole, of this format, and of this database. */
export async function readColumnFile(path: string, database: Database): Promise<SharedBase | null> {
  const content = (await readArrays(path)) as unknown as Content | null;
  if (content === null || content.format !== FORMAT) return null;
  const { format, mark, ...base } = content;
  return (await database.read((sql) => hasMark(sql, mark))) ? base : null;
}
