// Owns the rehearsal of an import: everything but the writing, and without a database.

import { SeenKeys } from './digests.ts';
import type { ImportMap } from './map.ts';
import { type MappedFile, repeatedKey, withFile } from './mapped-file.ts';
import type { RejectedRow } from './rejected.ts';
import { sentenceOf } from './row.ts';

import { areaTarget, listingTarget, type Target } from './target.ts';

export interface Rehearsal {
  readonly rows: number;
  readonly usable: number;
  readonly rejected: number;
  /** The first few. */
  readonly reasons: readonly Pick<RejectedRow, 'row' | 'reason'>[];
  /** The first usable row as it would be written; null when there is none. */
  readonly first: unknown;
  readonly passed: Readonly<Record<string, number>>;
}

const REASONS = 10;

/** Reads the whole file by the map. Throws MapError or FileFault. */
export function rehearseImport(options: MappedFile & { readonly signal?: AbortSignal }): Promise<Rehearsal> {
  const target = targetOf(options.map);
  return withFile(options, async (opened) => {
    const seen = new SeenKeys();
    const reasons: Pick<RejectedRow, 'row' | 'reason'>[] = [];
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
        if (reasons.length < REASONS) reasons.push({ row: rows, reason });
      } else if ('key' in mapped) {
        first ??= mapped.draft;
        for (const field of mapped.passed) passed[field] = (passed[field] ?? 0) + 1;
      }
    }
    return { rows, usable: rows - rejected, rejected, reasons, first, passed };
  });
}

function targetOf(map: ImportMap): Pick<Target<unknown>, 'map'> {
  return map.kind === 'listings' ? listingTarget(map, undefined) : areaTarget(map, undefined);
}
