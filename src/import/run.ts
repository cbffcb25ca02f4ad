// Run of an import: rows to drafts, drafts to batches, each batch in one transaction with its checkpoint.

import type { Database } from '../postgres/client/database.ts';
import {
  beginImport,
  type Checkpoint,
  type Counts,
  findCheckpoint,
  finishImport,
  type ImportIdentity,
  lockImport,
  moveCheckpoint,
} from './checkpoint-store.ts';
import type { OpenedFile } from './formats/open-file.ts';
import type { SourceRecord } from './formats/record.ts';
import { RejectedFile } from './formats/rejected.ts';
import { digestOfFile, type MappedFile, repeatedKey, SeenKeys, withFile } from './mapped-file.ts';
import { sentenceOf } from './mapping/row.ts';
import { areaTarget, listingTarget, type Target } from './target.ts';

export interface ImportOptions extends MappedFile {
  /** Begins anew though an earlier run was stopped half-way. */
  readonly restart?: boolean;
  /** Aborted: the batch under way is finished, then the run stops. */
  readonly signal?: AbortSignal;
  readonly tell?: (progress: Progress) => void;
}

/** How far a run is. `part` is between 0 and 1. */
export interface Progress extends Counts {
  readonly phase: 'reading' | 'placing';
  readonly part: number;
  /** Listings looked at, while they are placed in changed areas. */
  readonly placed: number;
  /** Rows that an earlier run had read. */
  readonly resumedAt: number;
}

export interface Outcome extends Counts {
  /** Where this run began; above 0 it went on from an earlier one. */
  readonly resumedAt: number;
  readonly interrupted: boolean;
  /** Null when no row was rejected. */
  readonly rejectedFile: string | null;
  /** How often something unreadable was passed over, by field. */
  readonly passed: Readonly<Record<string, number>>;
}

/** Nothing can be imported now, for a reason that is not in the file. */
class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}

/**
 * Imports a file, or goes on with it where an earlier run of the same file and map was stopped. Rejected rows do not
 * stop it. Throws MapError, FileFault or ImportRefused with the remedy in the message.
 */
export async function runImport(database: Database, options: ImportOptions): Promise<Outcome> {
  const { map } = options;
  const identity = { kind: map.kind, source: map.source.id };
  const lost = new AbortController();
  const guard = database.dedicated({ onClose: () => lost.abort() });
  try {
    if (!(await lockImport(guard, identity))) {
      throw new ImportRefused(
        `Another import of ${map.kind} from ${map.source.id} is under way: wait for it to end.`,
      );
    }
    return await withFile(options, (opened, rejectedPath) => {
      const run = new Run(
        database,
        identity,
        { ...options, rejectedFile: rejectedPath },
        opened,
        lost.signal,
      );
      return map.kind === 'listings'
        ? run.toEnd(listingTarget(map, database))
        : run.toEnd(areaTarget(map, database));
    });
  } finally {
    await guard.end(1);
  }
}

const countsOf = ({ rows, created, changed, unchanged, rejected }: Counts): Counts => ({
  ...{ rows, created, changed, unchanged, rejected },
});

const NOTHING: Counts = { rows: 0, created: 0, changed: 0, unchanged: 0, rejected: 0 };

class Run {
  readonly #database: Database;
  readonly #identity: ImportIdentity;
  readonly #options: ImportOptions & { readonly rejectedFile: string };
  readonly #file: OpenedFile;
  readonly #lost: AbortSignal;
  readonly #seen = new SeenKeys();
  readonly #passed: Record<string, number> = {};
  #counts: Counts = NOTHING;
  #resumedAt = 0;
  /** Bytes of the file from which the rows came that have been written. */
  #bytes = 0;

  constructor(
    database: Database,
    identity: ImportIdentity,
    options: ImportOptions & { readonly rejectedFile: string },
    file: OpenedFile,
    lost: AbortSignal,
  ) {
    this.#database = database;
    this.#identity = identity;
    this.#options = options;
    this.#file = file;
    this.#lost = lost;
  }

  async toEnd<Draft>(target: Target<Draft>): Promise<Outcome> {
    const from = await this.#begin();
    this.#counts = countsOf(from);
    this.#resumedAt = from.rows;
    const rejected = await RejectedFile.open(
      this.#options.rejectedFile,
      this.#file.rejectedForm,
      from.rejectedBytes,
    );
    try {
      const interrupted = await this.#readAll(target, rejected, from.rows);
      if (!interrupted) await this.#finish(target);
      const { bytes, path } = rejected;
      return {
        ...this.#counts,
        resumedAt: from.rows,
        interrupted,
        rejectedFile: bytes === 0 ? null : path,
        passed: this.#passed,
      };
    } finally {
      await rejected.close();
    }
  }

  /** Where to begin: after the last batch of a run of the same file and map that did not finish, else at the start. */
  async #begin(): Promise<Counts & Pick<Checkpoint, 'rejectedBytes'>> {
    const { file, map, rejectedFile, restart } = this.#options;
    const fileDigest = await digestOfFile(file);
    const known = await this.#database.read((sql) => findCheckpoint(sql, this.#identity));
    const same = known?.fileDigest.equals(fileDigest) && known.mapDigest.equals(map.digest);
    if (known && same && known.finishedAt === null && !restart) {
      return known.rejectedFile === rejectedFile ? known : { ...known, rejectedBytes: 0 };
    }
    const run = { fileDigest, mapDigest: map.digest, rejectedFile };
    await this.#database.write((sql) => beginImport(sql, this.#identity, run, this.#now()));
    return { ...NOTHING, rejectedBytes: 0 };
  }

  /** True when it was stopped before the end of the file. */
  async #readAll<Draft>(target: Target<Draft>, rejected: RejectedFile, from: number): Promise<boolean> {
    let batch = new Batch<Draft>(from);
    // A batch is written while the next one is read.
    let writing: Promise<void> = Promise.resolve();
    const flush = async (): Promise<void> => {
      const full = batch;
      full.bytes = this.#file.bytesTaken();
      batch = new Batch(full.rows);
      await writing;
      writing = this.#write(target, full, rejected);
      writing.catch(() => {}); // Thrown where it is awaited next.
    };
    try {
      for await (const record of this.#file.rows) {
        const mapped = target.map(record);
        const repeated = 'key' in mapped && !this.#seen.add(mapped.key);
        if (record.row <= from) continue;
        this.#take(batch, record, mapped, repeated);
        if (batch.size < target.batch) continue;
        await flush();
        if (this.#stopped()) return true;
      }
      if (this.#stopped()) return true;
      if (batch.size > 0) await flush();
      return false;
    } finally {
      await writing;
    }
  }

  #take<Draft>(
    batch: Batch<Draft>,
    { row, rejectedText }: SourceRecord,
    mapped: ReturnType<Target<Draft>['map']>,
    repeated: boolean,
  ): void {
    batch.rows = row;
    if (!('key' in mapped)) {
      batch.rejected.push(rejectedText(sentenceOf(mapped)));
    } else if (repeated) {
      batch.rejected.push(rejectedText(repeatedKey(mapped)));
    } else {
      batch.drafts.push(mapped.draft);
      for (const field of mapped.passed) this.#passed[field] = (this.#passed[field] ?? 0) + 1;
    }
  }

  async #write<Draft>(target: Target<Draft>, batch: Batch<Draft>, rejected: RejectedFile): Promise<void> {
    const before = this.#counts;
    await rejected.write(batch.rejected);
    this.#counts = await this.#database.transaction(
      async (tx) => {
        const written = batch.drafts.length > 0 ? await target.write(tx, batch.drafts) : NOTHING;
        const after = {
          rows: batch.rows,
          created: before.created + written.created,
          changed: before.changed + written.changed,
          unchanged: before.unchanged + written.unchanged,
          rejected: before.rejected + batch.rejected.length,
        };
        const mark = { ...after, rejectedBytes: rejected.bytes, rejectedFile: rejected.path };
        if (await moveCheckpoint(tx, this.#identity, before.rows, mark, this.#now())) return after;
        throw new ImportRefused('Another import of this source has gone on meanwhile: run this one again.');
      },
      { timeout: 0 },
    );
    this.#bytes = batch.bytes;
    this.#tell();
  }

  async #finish<Draft>(target: Target<Draft>): Promise<void> {
    const { created, changed } = this.#counts;
    if (created + changed > 0 || this.#resumedAt > 0)
      await target.finish((placed, toPlace) => this.#tell(placed, toPlace));
    await this.#database.write((sql) => finishImport(sql, this.#identity, this.#now()));
  }

  #stopped(): boolean {
    if (this.#lost.aborted) {
      throw new ImportRefused(
        'The connection to the database was lost: run the import again, it goes on from here.',
      );
    }
    return this.#options.signal?.aborted ?? false;
  }

  /** `placed` of `toPlace`: listings, once all rows are read. */
  #tell(placed = 0, toPlace = 0): void {
    const { total, size } = this.#file;
    const read = total === null ? this.#bytes / size : this.#counts.rows / total;
    const part = toPlace === 0 ? read : placed / toPlace;
    const phase = toPlace === 0 ? 'reading' : 'placing';
    this.#options.tell?.({
      ...{ ...this.#counts, phase, placed, resumedAt: this.#resumedAt },
      part: Math.min(1, part),
    });
  }

  #now(): Date {
    return new Date(this.#database.clock.now());
  }
}

class Batch<Draft> {
  readonly drafts: Draft[] = [];
  /** As they will stand in their file. */
  readonly rejected: string[] = [];
  /** The last row that it holds. */
  rows: number;
  /** Bytes of the file up to that row. */
  bytes = 0;

  constructor(rows: number) {
    this.rows = rows;
  }

  get size(): number {
    return this.drafts.length + this.rejected.length;
  }
}
