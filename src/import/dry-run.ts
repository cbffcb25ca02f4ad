// Dry run of an import: everything but the writing, and without a database.

import { type FileReport, ReportBuilder } from './file-report.ts';
import type { OpenedFile } from './formats/open-file.ts';
import type { Records } from './formats/record.ts';
import { type ImportProgress, type MappedFile, partRead, withFile } from './mapped-file.ts';
import type { Field } from './mapping/fields.ts';
import { fieldsOf, type ImportMap } from './mapping/map.ts';
import { surveyFile } from './survey.ts';
import { areaMapper, listingMapper, type Mapper, mapRecords } from './target.ts';

export interface DryRun {
  readonly rows: number;
  readonly usable: number;
  readonly rejected: number;
  /** The first few, each with the place of its row. */
  readonly reasons: readonly { readonly row: number; readonly reason: string }[];
  readonly places: Records['places'];
  /** The part of the file that was read; null: all of it. */
  readonly part: OpenedFile['part'];
  /** The first usable row as it would be written; null when there is none. */
  readonly first: unknown;
  readonly passed: Readonly<Record<string, number>>;
  /** Fields whose times are read as UTC where they state no zone, because the map has no time zone. */
  readonly readAsUtc: readonly string[];
  readonly report: FileReport;
}

export interface DryRunOptions extends MappedFile {
  /** Aborted: the dry run ends with the current row. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

const MAX_REASONS = 10;
const ROWS_PER_PROGRESS = 500;

/** Reads the whole file by the map. Throws MapError or FileFault. */
export function dryRunImport(options: DryRunOptions): Promise<DryRun> {
  const { map, signal, onProgress } = options;
  return withFile(options, async (file) => {
    const reasons: { row: number; reason: string }[] = [];
    const passed: Record<string, number> = {};
    const report = new ReportBuilder(map);
    const mapper = await mapperOf(options, file);
    let [rows, rejected] = [0, 0];
    let first: unknown = null;
    for await (const mapped of mapRecords<unknown>(file.rows, mapper)) {
      if (signal?.aborted) break;
      const { record, reason } = mapped;
      rows = record.row;
      report.add(mapped);
      if (reason === null) {
        first ??= mapped.draft;
        for (const field of mapped.passed) passed[field] = (passed[field] ?? 0) + 1;
      } else if (++rejected <= MAX_REASONS) reasons.push({ row: record.place, reason });
      if (rows % ROWS_PER_PROGRESS > 0) continue;
      const part = partRead(file, rows, file.bytesTaken());
      onProgress?.({ phase: 'reading', part, rows, rejected, resumedAt: 0, placed: 0 });
    }
    const { places, part: filePart } = file;
    const readAsUtc = fieldsReadAsUtc(map);
    const counts = { rows, usable: rows - rejected, rejected };
    return { ...counts, reasons, places, part: filePart, first, passed, readAsUtc, report: report.report() };
  });
}

async function mapperOf(options: DryRunOptions, file: OpenedFile): Promise<Mapper<unknown>> {
  const { map } = options;
  return map.kind === 'listings' ? listingMapper(map, await surveyFile(options, file)) : areaMapper(map);
}

/** Seconds since 1970 need no zone, and a date without a time is one of its place. */
function fieldsReadAsUtc({ kind, timeZone, fields }: ImportMap): string[] {
  if (timeZone !== undefined) return [];
  return Object.entries(fieldsOf(kind)).flatMap(([name, field]) => {
    const isTime = field.kind === 'time' || field.kind === 'timeOrDate';
    const needsZone = fields[name]?.some(
      ({ column, format = '' }) =>
        column !== undefined && !format.startsWith('unix') && holdsTime(field, format),
    );
    return isTime && needsZone ? [name] : [];
  });
}

/** A pattern without hours gives days; without a pattern it may be either. */
const holdsTime = ({ kind }: Field, format: string): boolean =>
  kind === 'time' || format === '' || /[Hh]/.test(format);
