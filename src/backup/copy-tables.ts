// Copies of tables into an archive, over several connections at once.

import type { Transaction } from '../postgres/client/database.ts';
import { MAX_MEMBER_BYTES, PART_BYTES } from './archive/format.ts';
import { countLines } from './archive/verify-archive.ts';
import type { ArchiveWriter } from './archive/write-archive.ts';
import { BackupFailure } from './backup-failure.ts';
import { type CatalogueTable, copyStatement } from './catalogue-store.ts';

export interface CopyProgress {
  readonly rows: number;
  /** Of all tables by their size, 0 to 1. */
  readonly part: number;
}

/** Tables that are still to be copied, and how much has been. */
export class TableQueue {
  readonly #tables: CatalogueTable[];
  readonly #total: number;
  readonly #onProgress: (progress: CopyProgress) => void;
  /** Rows that were copied of each table under way. */
  readonly #running = new Map<CatalogueTable, number>();
  #finishedBytes = 0;
  #rows = 0;

  /** @param tables in the order in which they are to be copied: the largest first, so that the last ones are short */
  constructor(tables: readonly CatalogueTable[], onProgress: (progress: CopyProgress) => void) {
    this.#tables = [...tables];
    this.#total = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#onProgress = onProgress;
  }

  next(): CatalogueTable | undefined {
    return this.#tables.shift();
  }

  add(table: CatalogueTable, rows: number): void {
    this.#rows += rows;
    this.#running.set(table, (this.#running.get(table) ?? 0) + rows);
    this.#report();
  }

  finish(table: CatalogueTable): void {
    this.#running.delete(table);
    this.#finishedBytes += table.bytes;
    this.#report();
  }

  #report(): void {
    const running = [...this.#running].map(([{ bytes, estimatedRows }, rows]) =>
      estimatedRows > 0 ? bytes * Math.min(1, rows / estimatedRows) : 0,
    );
    const done = running.reduce((sum, bytes) => sum + bytes, this.#finishedBytes);
    this.#onProgress({ rows: this.#rows, part: this.#total === 0 ? 1 : done / this.#total });
  }
}

/** Copies one table after another over a connection until none is left. */
export async function copyTables(
  tx: Transaction,
  queue: TableQueue,
  addPart: ArchiveWriter['addPart'],
): Promise<void> {
  for (let table = queue.next(); table !== undefined; table = queue.next()) {
    await copyTable(tx, table, queue, addPart);
    queue.finish(table);
  }
}

/** In parts of some megabytes of whole rows. Throws BackupFailure for a row that no archive can hold. */
async function copyTable(
  tx: Transaction,
  table: CatalogueTable,
  queue: TableQueue,
  addPart: ArchiveWriter['addPart'],
): Promise<void> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let rows = 0;
  const endPart = async (): Promise<void> => {
    if (bytes > MAX_MEMBER_BYTES)
      throw new BackupFailure(
        `A row of the table ${table.name} has ${Math.round(bytes / 1e6)} MB as text, and a backup holds ${Math.round(MAX_MEMBER_BYTES / 1e6)} MB of one. ` +
          'Shorten what is stored in it, then run the command again.',
      );
    const [part, count] = [chunks, rows];
    [chunks, bytes, rows] = [[], 0, 0];
    await addPart(table.name, count, part);
    queue.add(table, count);
  };
  await tx.copy(copyStatement(tx, table), (some) => {
    chunks.push(some);
    bytes += some.length;
    rows += countLines(some);
    return bytes >= PART_BYTES ? endPart() : undefined;
  });
  if (rows > 0) await endPart();
}
