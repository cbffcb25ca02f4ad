// Owns the rehearsal of an import: everything but the writing, and without a database.

import { SeenKeys } from './digests.ts';
import type { ImportMap } from './map.ts';
import { type MappedFile, repeatedKey, withFile } from './mapped-file.ts';
import type { Records } from './record.ts';
import { sentenceOf } from './row.ts';
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
}

interface Reason {
  readonly row: number;
  readonly reason: string;
}

const REASONS = 10;

/** Reads the whole file by the map. Throws MapError or FileFault. */
export function rehearseImport(options: MappedFile & { readonly signal?: AbortSignal }): Promise<Rehearsal> {
  const target = targetOf(options.map);
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
    }
    return { rows, usable: rows - rejected, rejected, reasons, places: opened.places, first, passed };
  });
}

function targetOf(map: ImportMap): Pick<Target<unknown>, 'map'> {
  return map.kind === 'listings' ? listingTarget(map, undefined) : areaTarget(map, undefined);
}
