// Check of a proposal by the whole file: what it reads, which key is unique, what repeats, and which places are none.

import type { ListingDraft } from '../../listings/draft.ts';
import { type FileReport, ReportBuilder } from '../file-report.ts';
import type { OpenedFile } from '../formats/open-file.ts';
import type { RecordFields } from '../formats/record.ts';
import { textOf } from '../mapping/items.ts';
import { type ImportMap, parseMap } from '../mapping/map.ts';
import { sentenceOf, surveyNumbers } from '../mapping/row.ts';
import { centerOf, type Place } from '../places.ts';
import { Reservoir } from '../reservoir.ts';
import { listingMapper, type Mapper } from '../target.ts';
import { DigestSet } from './digest-set.ts';
import type { FileSummary } from './file-summary.ts';
import type { WrittenMap } from './proposal.ts';

/** Coordinates that geocoders and portals give for a country when they know no more. */
const CENTERS: readonly (readonly [lat: number, lng: number])[] = [
  [39.8163, -98.5576],
  [39.8283, -98.5795],
  [37.0902, -95.7129],
  [39.5, -98.35],
  [38, -97],
  [54.7023545, -3.2765753],
  [55.378051, -3.435973],
  [51.165691, 10.451526],
  [46.227638, 2.213749],
  [40.463667, -3.74922],
  [56.130366, -106.346771],
];
const MAX_CENTER_TEXTS = 20;

export interface KeyProof {
  readonly columns: readonly string[];
  /** Rows whose key an earlier row has. */
  readonly repeats: number;
  /** Rows in which a column of it is empty. */
  readonly empty: number;
}

export interface FileCheck {
  readonly rows: number;
  readonly rejected: number;
  /** The first few reasons, each with the place of its row. */
  readonly reasons: readonly { readonly row: number; readonly reason: string }[];
  readonly places: OpenedFile['places'];
  readonly report: FileReport;
  /** How often something unreadable was passed over, by field. */
  readonly passed: Readonly<Record<string, number>>;
  readonly keys: readonly KeyProof[];
  /** Rows that are the same as an earlier one in all columns but those of the key. */
  readonly sameRows: number;
  readonly located: number;
  /** Rows at a place that an earlier row has. */
  readonly samePlaces: number;
  /** Texts of latitudes and longitudes that are the middle of a country. */
  readonly centers: {
    readonly lat: readonly string[];
    readonly lng: readonly string[];
    readonly rows: number;
  };
  /** Places of homes, at random. */
  readonly sampledPlaces: readonly Place[];
}

const MAX_REASONS = 5;
const SAMPLED_PLACES = 1_000;

/** The map as an import would read it. Throws MapError. */
export const checkedMap = (map: WrittenMap): ImportMap => parseMap('map.json', JSON.stringify(map));

/** The mapper of a file that is not surveyed: its numbers and places are those of the sample. */
export function sampledMapper(map: ImportMap, summary: FileSummary): Mapper<ListingDraft> {
  const survey = surveyNumbers(map);
  for (const row of summary.sample) survey.add(row);
  for (const { name, representatives } of summary.columns)
    for (const { text } of representatives) survey.add({ [name]: text });
  const read = listingMapper(map, { numbers: survey.columns, center: null });
  const places = new Reservoir<Place>(summary.sample.length);
  for (const [at, fields] of summary.sample.entries()) {
    const mapped = read({ row: at, place: at, fields, broken: null, geometry: null, rejectedText: () => '' });
    const location = 'draft' in mapped ? mapped.draft.location : null;
    if (location !== null) places.add(location);
  }
  return listingMapper(map, { numbers: survey.columns, center: centerOf(places) });
}

interface CheckOptions {
  readonly written: WrittenMap;
  readonly summary: FileSummary;
  readonly keys: readonly (readonly string[])[];
  readonly onRow: (rows: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Reads all rows of an opened file. */
export async function checkFile(
  file: OpenedFile,
  { written, summary, keys, onRow, signal }: CheckOptions,
): Promise<FileCheck> {
  const map = checkedMap(written);
  const mapper = sampledMapper(map, summary);
  const proofs = keys.map((columns) => ({ columns, set: new DigestSet(), empty: 0 }));
  const [wholeRows, placesSeen] = [new DigestSet(), new DigestSet()];
  const others = summary.columns.map(({ name }) => name).filter((name) => !keys[0]?.includes(name));
  const counts = { rows: 0, rejected: 0, located: 0, centers: 0 };
  const centers = { lat: new Set<string>(), lng: new Set<string>() };
  const reasons: { row: number; reason: string }[] = [];
  const passed: Record<string, number> = {};
  const report = new ReportBuilder(map);
  const sampledPlaces = new Reservoir<Place>(SAMPLED_PLACES);
  try {
    for await (const record of file.rows) {
      if (signal?.aborted) break;
      counts.rows++;
      onRow(counts.rows);
      const { fields } = record;
      for (const proof of proofs) {
        const key = keyOf(fields, proof.columns);
        if (key === null) proof.empty++;
        else await proof.set.add(key);
      }
      if (record.broken === null)
        await wholeRows.add(others.map((name) => textOf(fields[name]) ?? '').join('\0'));
      const mapped = mapper(record);
      if (!('draft' in mapped)) {
        counts.rejected++;
        const reason = sentenceOf(mapped);
        if (reasons.length < MAX_REASONS) reasons.push({ row: record.place, reason });
        report.add({ record, reason, faults: mapped });
        continue;
      }
      const { draft, values, doubt } = mapped;
      report.add({ record, reason: null, draft, values, doubt, passed: mapped.passed });
      for (const field of mapped.passed) passed[field] = (passed[field] ?? 0) + 1;
      if (draft.location === null) continue;
      counts.located++;
      const { lat, lng } = draft.location;
      if (CENTERS.some(([y, x]) => Math.abs(y - lat) < 0.001 && Math.abs(x - lng) < 0.001)) {
        counts.centers++;
        noteCenter(centers, map, fields);
      }
      sampledPlaces.add({ lat, lng });
      await placesSeen.add(`${lat},${lng}`);
    }
    const proved = await Promise.all(
      proofs.map(async ({ columns, set, empty }) => ({ columns, empty, repeats: await set.repeats() })),
    );
    return {
      rows: counts.rows,
      rejected: counts.rejected,
      reasons,
      places: file.places,
      report: report.report(),
      passed,
      keys: proved,
      sameRows: others.length === 0 ? 0 : await wholeRows.repeats(),
      located: counts.located,
      samePlaces: await placesSeen.repeats(),
      centers: { lat: [...centers.lat], lng: [...centers.lng], rows: counts.centers },
      sampledPlaces: sampledPlaces.items,
    };
  } finally {
    for (const set of [...proofs.map((proof) => proof.set), wholeRows, placesSeen]) await set.close();
  }
}

/** Null where one of its columns is empty: then it names nothing. */
function keyOf(fields: RecordFields, columns: readonly string[]): string | null {
  const texts = columns.map((name) => textOf(fields[name]) ?? '');
  return texts.every((text) => text !== '') ? texts.join('\0') : null;
}

function noteCenter(
  centers: { readonly lat: Set<string>; readonly lng: Set<string> },
  map: ImportMap,
  fields: RecordFields,
): void {
  for (const name of ['lat', 'lng'] as const) {
    const rule = map.fields[`location.${name}`]?.[0];
    const text = rule?.column === undefined ? null : textOf(fields[rule.column]);
    if (text !== null && centers[name].size < MAX_CENTER_TEXTS) centers[name].add(text);
  }
}
