// Run of an import: rows to drafts, drafts to batches, each batch in one transaction with its checkpoint.

import type { PlaceCounts } from '../ingest/approximate-places.ts';
import { createCatalogue } from '../ingest/listing-writer.ts';
import { lockImport } from '../ingest/removal/source-lock-store.ts';
import type { Database } from '../postgres/client/database.ts';
import { isBeingRemoved } from '../sources/registry/registry-store.ts';
import {
  beginImport,
  type Counts,
  findCheckpoint,
  finishImport,
  type ImportIdentity,
  moveCheckpoint,
} from './checkpoint-store.ts';
import { type FileReport, ReportBuilder } from './file-report.ts';
import type { OpenedFile } from './formats/open-file.ts';
import type { Records } from './formats/record.ts';
import { RejectedFile } from './formats/rejected.ts';
import { ImportRefused } from './import-refused.ts';
import { digestOfFile, type ImportProgress, type MappedFile, partRead, withFile } from './mapped-file.ts';
import { MissingListings, type MissingOptions, type MissingResult } from './missing.ts';
import { noteImported } from './note-source.ts';
import { surveyFile } from './survey.ts';
import { areaTarget, listingTarget, type MappedRecord, mapRecords, type Target } from './target.ts';

export interface ImportOptions extends MappedFile {
  /** Starts over though an earlier run was interrupted. */
  readonly restart?: boolean;
  /** What becomes of listings that the file no longer has; absent: nothing. */
  readonly missing?: MissingOptions;
  /** Aborted: the current batch is finished, then the run stops. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportResult extends Counts {
  readonly report: FileReport;
  /** What the report counts places of rows in. */
  readonly places: Records['places'];
  /** The part of the file that was read; null: all of it. */
  readonly part: OpenedFile['part'];
  /** How the listings that this run wrote came to their places; null for areas. */
  readonly located: PlaceCounts | null;
  /** Where this run began; above 0 it continued an earlier one. */
  readonly resumedAt: number;
  readonly interrupted: boolean;
  /** Null when no row was rejected. */
  readonly rejectedFile: string | null;
  /** How often something unreadable was passed over, by field. */
  readonly passed: Readonly<Record<string, number>>;
  /** Null where the import ends nothing, or has not come so far. */
  readonly missing: MissingResult | null;
}

/**
 * Imports a file, or continues an interrupted run of the same file and map. Rejected rows do not stop it.
 * Throws MapError, FileFault or ImportRefused with the remedy in the message.
 */
export async function runImport(database: Database, options: ImportOptions): Promise<ImportResult> {
  const { map } = options;
  const identity = { kind: map.kind, source: map.source.id };
  const lost = new AbortController();
  const guard = database.dedicated({ onClose: () => lost.abort() });
  try {
    const isLocked = await lockImport(guard.sql, map.kind, map.source.id);
    if (await database.read((sql) => isBeingRemoved(sql, map.source.id))) {
      const command = `freehold sources remove ${map.source.id}`;
      throw new ImportRefused(
        `The source ${map.source.id} is being removed: \`${command}\` ends that, then import again.`,
      );
    }
    if (!isLocked) {
      throw new ImportRefused(
        `Another import of ${map.kind} from ${map.source.id} is under way: wait for it to end.`,
      );
    }
    await noteImported(database, map);
    return await withFile(options, (file, rejectedPath) => {
      const missing =
        options.missing === undefined
          ? null
          : new MissingListings({
              database,
              catalogue: createCatalogue(database),
              map,
              options: options.missing,
            });
      const context = { database, identity, options, file, rejectedPath, missing, lost: lost.signal };
      return map.kind === 'listings'
        ? surveyFile(options, file).then((survey) =>
            new Run(context, listingTarget(map, database, survey)).toEnd(),
          )
        : new Run(context, areaTarget(map, database)).toEnd();
    });
  } finally {
    await guard.end(1);
  }
}

const NO_ROWS: Counts = { rows: 0, created: 0, changed: 0, unchanged: 0, rejected: 0 };

interface RunContext {
  readonly database: Database;
  readonly identity: ImportIdentity;
  readonly options: ImportOptions;
  readonly file: OpenedFile;
  readonly rejectedPath: string;
  readonly missing: MissingListings | null;
  /** Aborted when the connection that holds the lock is lost. */
  readonly lost: AbortSignal;
}

class Run<Draft> {
  readonly #context: RunContext;
  readonly #target: Target<Draft>;
  readonly #passed: Record<string, number> = {};
  readonly #report: ReportBuilder;
  #counts: Counts = NO_ROWS;
  #resumedAt = 0;
  /** Whether no import of this source was ever finished. */
  #isFirst = true;
  /** Bytes of the file up to the last row that is written. */
  #bytes = 0;

  constructor(context: RunContext, target: Target<Draft>) {
    this.#context = context;
    this.#target = target;
    this.#report = new ReportBuilder(context.options.map);
  }

  async toEnd(): Promise<ImportResult> {
    const { rejectedPath, file } = this.#context;
    const rejectedBytes = await this.#begin();
    const rejected = await RejectedFile.open(rejectedPath, file.rejectedForm, rejectedBytes);
    try {
      const isStopped = await this.#readAll(rejected);
      const missing = isStopped ? null : await this.#endMissing();
      const interrupted = isStopped || (missing !== null && isPartial(missing));
      if (!interrupted) await this.#finish(missing?.ended ?? 0);
      return {
        report: this.#report.report(),
        places: file.places,
        part: file.part,
        located: this.#target.places(),
        ...this.#counts,
        missing,
        resumedAt: this.#resumedAt,
        interrupted,
        rejectedFile: rejected.bytes === 0 ? null : rejected.path,
        passed: this.#passed,
      };
    } finally {
      await rejected.close();
    }
  }

  /**
   * Begins after the last batch of an unfinished run of the same file and map, else at the start. Returns the bytes of
   * the file of rejected rows that are known to be written.
   */
  async #begin(): Promise<number> {
    const { database, identity, options, rejectedPath } = this.#context;
    const { digest: mapDigest } = options.map;
    const fileDigest = await digestOfFile(options.file);
    const known = await database.read((sql) => findCheckpoint(sql, identity));
    this.#isFirst = (known?.loadedAt ?? null) === null;
    const isSame = known?.fileDigest.equals(fileDigest) && known.mapDigest.equals(mapDigest);
    if (known && isSame && known.finishedAt === null && !options.restart) {
      const { rows, created, changed, unchanged, rejected, rejectedFile, rejectedBytes } = known;
      this.#counts = { rows, created, changed, unchanged, rejected };
      this.#resumedAt = rows;
      return rejectedFile === rejectedPath ? rejectedBytes : 0;
    }
    const run = { fileDigest, mapDigest, rejectedFile: rejectedPath };
    await database.write((sql) => beginImport(sql, identity, run, this.#now()));
    return 0;
  }

  /** Returns true when it was stopped before the end of the file. A batch is written while the next one is read. */
  async #readAll(rejected: RejectedFile): Promise<boolean> {
    const { file } = this.#context;
    let batch = emptyBatch<Draft>(this.#resumedAt);
    let writing: Promise<void> = Promise.resolve();
    const flush = async (): Promise<void> => {
      const full = { ...batch, bytes: file.bytesTaken() };
      batch = emptyBatch(full.rows);
      await writing;
      writing = this.#write(full, rejected);
      writing.catch(() => {}); // Thrown where it is awaited next.
    };
    // A survey that was stopped has not seen all of the file.
    if (this.#isStopped()) return true;
    try {
      for await (const mapped of mapRecords(file.rows, this.#target.map)) {
        this.#report.add(mapped);
        this.#context.missing?.note(mapped.record, mapped.reason !== null);
        if (mapped.record.row <= this.#resumedAt) continue;
        this.#add(batch, mapped);
        if (batch.drafts.length + batch.rejected.length < this.#target.batchSize) continue;
        await flush();
        if (this.#isStopped()) return true;
      }
      if (this.#isStopped()) return true;
      if (batch.drafts.length + batch.rejected.length > 0) await flush();
      return false;
    } finally {
      await writing;
    }
  }

  #add(batch: Batch<Draft>, mapped: MappedRecord<Draft>): void {
    const { record, reason } = mapped;
    batch.rows = record.row;
    if (reason === null) {
      batch.drafts.push(mapped.draft);
      for (const field of mapped.passed) this.#passed[field] = (this.#passed[field] ?? 0) + 1;
    } else batch.rejected.push(record.rejectedText(reason));
  }

  async #write({ drafts, rejected, rows, bytes }: Batch<Draft>, rejectedFile: RejectedFile): Promise<void> {
    const { database, identity } = this.#context;
    const before = this.#counts;
    await rejectedFile.write(rejected);
    this.#counts = await database.transaction(
      async (tx) => {
        const written = drafts.length > 0 ? await this.#target.write(tx, drafts, this.#isFirst) : NO_ROWS;
        const after = {
          rows,
          created: before.created + written.created,
          changed: before.changed + written.changed,
          unchanged: before.unchanged + written.unchanged,
          rejected: before.rejected + rejected.length,
        };
        const checkpoint = { ...after, rejectedBytes: rejectedFile.bytes, rejectedFile: rejectedFile.path };
        if (await moveCheckpoint(tx, identity, before.rows, checkpoint, this.#now())) return after;
        throw new ImportRefused('Another import of this source has gone on meanwhile: run this one again.');
      },
      { timeout: 0 },
    );
    this.#bytes = bytes;
    this.#reportProgress();
  }

  async #endMissing(): Promise<MissingResult | null> {
    const { missing } = this.#context;
    return (await missing?.end(this.#isFirst, () => this.#isStopped())) ?? null;
  }

  async #finish(ended: number): Promise<void> {
    const { database, identity } = this.#context;
    const { created, changed } = this.#counts;
    if (created + changed + ended > 0 || this.#resumedAt > 0)
      await this.#target.finish((placed, toPlace) => this.#reportProgress(placed, toPlace), this.#isFirst);
    await database.write((sql) => finishImport(sql, identity, this.#now()));
  }

  #isStopped(): boolean {
    if (this.#context.lost.aborted) {
      throw new ImportRefused(
        'The connection to the database was lost: run the import again, it goes on from here.',
      );
    }
    return this.#context.options.signal?.aborted ?? false;
  }

  /** `placed` of `toPlace`: listings, once all rows are read. */
  #reportProgress(placed = 0, toPlace = 0): void {
    const { file, options } = this.#context;
    const { rows, rejected } = this.#counts;
    const common = { rows, rejected, placed, resumedAt: this.#resumedAt };
    options.onProgress?.(
      toPlace === 0
        ? { ...common, phase: 'reading', part: partRead(file, rows, this.#bytes) }
        : { ...common, phase: 'placing', part: Math.min(1, placed / toPlace) },
    );
  }

  #now(): Date {
    return new Date(this.#context.database.clock.now());
  }
}

const isPartial = ({ refused, ended, missing }: MissingResult): boolean =>
  refused === null && ended < missing;

interface Batch<Draft> {
  readonly drafts: Draft[];
  /** In the text of their file. */
  readonly rejected: string[];
  /** The last row that it holds. */
  rows: number;
  /** Bytes of the file up to that row. */
  readonly bytes: number;
}

const emptyBatch = <Draft>(rows: number): Batch<Draft> => ({ drafts: [], rejected: [], rows, bytes: 0 });
