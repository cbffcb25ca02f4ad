// Dry run of an import: everything but the writing, and without a database.

import type { OpenedFile } from './formats/open-file.ts';
import type { Records } from './formats/record.ts';
import { type MappedFile, repeatedKey, SeenKeys, withFile } from './mapped-file.ts';
import type { Field } from './mapping/fields.ts';
import { fieldsOf, type ImportMap } from './mapping/map.ts';
import { sentenceOf } from './mapping/row.ts';
import { areaTarget, listingTarget, type Target } from './target.ts';

export interface Rehearsal {
  readonly rows: number;
  readonly usable: number;
  readonly rejected: number;
  /** The first few, each with the place of its row. */
  readonly reasons: readonly Reason[];
  readonly places: Records['places'];
  /** The first usable row as it would be written; null when there is none. */
  readonly first: unknown;
  readonly passed: Readonly<Record<string, number>>;
  /** Fields that hold times and whose times, where they name no zone, are read as UTC because the map names none. */
  readonly readAsUtc: readonly string[];
}

/** How far a rehearsal is; `part` is between 0 and 1. */
export interface RehearsalProgress {
  readonly rows: number;
  readonly rejected: number;
  readonly part: number;
}

export interface RehearsalOptions extends MappedFile {
  /** Aborted: the rehearsal ends with the row under way. */
  readonly signal?: AbortSignal;
  readonly tell?: (progress: RehearsalProgress) => void;
}

interface Reason {
  readonly row: number;
  readonly reason: string;
}

const REASONS = 10;
/** Rows between two words of how far it is. */
const TOLD_EVERY = 500;

/** Reads the whole file by the map. Throws MapError or FileFault. */
export function rehearseImport(options: RehearsalOptions): Promise<Rehearsal> {
  const { map, tell } = options;
  const target = targetOf(map);
  return withFile(options, async (opened) => {
    const seen = new SeenKeys();
    const reasons: Reason[] = [];
    const passed: Record<string, number> = {};
    let [rows, rejected] = [0, 0];
    let first: unknown = null;
    for await (const record of opened.rows) {
      if (options.signal?.aborted) break;
      rows = record.row;
      const mapped = target.map(record);
      const reason =
        'key' in mapped ? (seen.add(mapped.key) ? null : repeatedKey(mapped)) : sentenceOf(mapped);
      if (reason !== null) {
        rejected++;
        if (reasons.length < REASONS) reasons.push({ row: record.place, reason });
      } else if ('key' in mapped) {
        first ??= mapped.draft;
        for (const field of mapped.passed) passed[field] = (passed[field] ?? 0) + 1;
      }
      if (rows % TOLD_EVERY === 0) tell?.({ rows, rejected, part: partOf(opened, rows) });
    }
    const readAsUtc = fieldsReadAsUtc(map);
    return {
      rows,
      usable: rows - rejected,
      rejected,
      reasons,
      places: opened.places,
      first,
      passed,
      readAsUtc,
    };
  });
}

const partOf = ({ total, size, bytesTaken }: OpenedFile, rows: number): number =>
  Math.min(1, total === null ? bytesTaken() / size : rows / total);

/** Seconds since 1970 need no zone, and a mere day is one by the clocks of its place. */
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

/** A pattern without hours gives days; what is of no pattern may be either. */
const holdsTime = ({ kind }: Field, format: string): boolean =>
  kind === 'time' || format === '' || format.includes('H');

function targetOf(map: ImportMap): Pick<Target<unknown>, 'map'> {
  return map.kind === 'listings' ? listingTarget(map, undefined) : areaTarget(map, undefined);
}
