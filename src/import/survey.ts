// Survey of a file before it is imported: how its numbers are written, and where its homes are.

import type { OpenedFile } from './formats/open-file.ts';
import type { SourceRecord } from './formats/record.ts';
import { type ImportProgress, type MappedFile, openMapped, partRead } from './mapped-file.ts';
import { compileFields, surveyNumbers } from './mapping/row.ts';
import type { NumberColumns } from './mapping/rule.ts';
import { type Center, centerOf, type Place } from './places.ts';
import { Reservoir } from './reservoir.ts';

export interface Survey {
  readonly numbers: NumberColumns;
  /** Where the homes of the file are; null where too few have a place. */
  readonly center: Center | null;
}

export interface SurveyOptions extends MappedFile {
  /** Aborted: the survey ends with the current row. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

const ROWS_PER_PROGRESS = 5_000;
const SAMPLED_PLACES = 10_000;

/** Reads the whole file. Documents are in memory; other files are opened once more. Throws FileFault. */
export async function surveyFile(options: SurveyOptions, opened: OpenedFile): Promise<Survey> {
  const { file, map } = options;
  const numbers = surveyNumbers(map);
  const readPlace = compileFields(map, ['location.lat', 'location.lng']);
  const places = new Reservoir<Place>(SAMPLED_PLACES);
  const add = ({ fields, broken }: SourceRecord): void => {
    if (broken !== null) return;
    numbers.add(fields);
    const [lat, lng] = readPlace(fields);
    if (typeof lat === 'number' && typeof lng === 'number' && (lat !== 0 || lng !== 0))
      places.add({ lat, lng });
  };
  if (opened.total !== null) for await (const record of opened.rows) add(record);
  else {
    const again = await openMapped(file, map);
    try {
      await surveyRows(again, options, add);
    } finally {
      again.close();
    }
  }
  return { numbers: numbers.columns, center: centerOf(places) };
}

async function surveyRows(
  file: OpenedFile,
  { signal, onProgress }: SurveyOptions,
  add: (record: SourceRecord) => void,
): Promise<void> {
  for await (const record of file.rows) {
    if (signal?.aborted) return;
    add(record);
    if (record.row % ROWS_PER_PROGRESS > 0) continue;
    const part = partRead(file, record.row, file.bytesTaken());
    onProgress?.({ phase: 'surveying', part, rows: record.row, rejected: 0, resumedAt: 0, placed: 0 });
  }
}
