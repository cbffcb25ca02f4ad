// Inspection of a file: read once for a proposal of its map, and once more to check that proposal by every row.

import { basename } from 'node:path';
import type { ListingDraft } from '../../listings/draft.ts';
import { encodingFault } from '../formats/encoding.ts';
import { type FilePart, type FileRules, type OpenedFile, openRecords } from '../formats/open-file.ts';
import { FileFault } from '../formats/record.ts';
import { sniffFile } from '../formats/sniff.ts';
import { type ImportProgress, partRead } from '../mapped-file.ts';
import { checkedMap, checkFile, type FileCheck, type KeyProof, sampledMapper } from './check-file.ts';
import { type FileSummary, FileSummaryBuilder } from './file-summary.ts';
import type { ColumnProposal, Proposal, WrittenMap } from './proposal.ts';
import { propose } from './propose.ts';

export interface Inspection {
  readonly rows: number;
  readonly map: WrittenMap;
  readonly columns: readonly ColumnProposal[];
  readonly notes: readonly string[];
  readonly key: KeyProof;
  readonly check: FileCheck;
  /** The first rows that can be written, as they would be. */
  readonly preview: readonly ListingDraft[];
}

export interface InspectOptions {
  readonly file: string;
  /** The file's name for people, where it lies under another one. */
  readonly name?: string;
  /** The sheet of a workbook, or the file of an archive, that is meant. */
  readonly parts?: Pick<FileRules, 'sheet' | 'member'>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

const ROWS_PER_PROGRESS = 2_000;
const PREVIEWED = 5;
/** Homes that share their places with others, from which on places are not those of homes. */
const SHARED_PLACES = 0.4;

/** Throws FileFault. */
export async function inspectFile(options: InspectOptions): Promise<Inspection> {
  const { file, name = file, signal } = options;
  const sniffed = await sniffFile(file, options.parts);
  const { summary, rules, part } = await summarize(options, nameOf(name), sniffed);
  if (summary.rows === 0)
    throw new FileFault(`${name} has no rows that can be read: an inspection needs a heading and rows.`);
  const proposal = withPart(propose(summary), part, options.parts);
  const isPlain = Object.keys(rules).length === 0;
  const written: WrittenMap = isPlain ? proposal.map : { ...proposal.map, file: { ...rules } };
  const opened = await openRecords(file, rules);
  try {
    const onRow = progressOf(opened, 'reading', options);
    const check = await checkFile(opened, { written, summary, keys: proposal.keys, onRow, signal });
    return conclude(proposal, inOrder(written), check, summary);
  } finally {
    opened.close();
  }
}

/** `file` stands behind `source`, as in the documentation. */
const inOrder = ({ kind, source, file, ...rest }: WrittenMap): WrittenMap => ({
  kind,
  source,
  ...(file !== undefined && { file }),
  ...rest,
});

/** A file that is plain ASCII at its beginning may be in another encoding further on. */
async function summarize(
  options: InspectOptions,
  name: string,
  rules: FileRules,
): Promise<{ readonly summary: FileSummary; readonly rules: FileRules; readonly part: FilePart | null }> {
  const opened = await openRecords(options.file, rules);
  try {
    const builder = new FileSummaryBuilder(name, opened.columns);
    const onRow = progressOf(opened, 'surveying', options);
    let [rows, misread] = [0, 0];
    const fault = encodingFault('utf-8');
    for await (const record of opened.rows) {
      if (options.signal?.aborted) break;
      onRow(++rows);
      if (record.broken === fault) misread++;
      builder.add(record);
    }
    const another: FileRules = { ...rules, encoding: 'windows-1252' };
    // A few lines are slips; many are the encoding of the file.
    if (rules.encoding === undefined && misread > 0 && misread * 20 > rows)
      return await summarize(options, name, another);
    const { part } = opened;
    // Of several sheets, the next import reads the same one, whichever has the most rows then.
    const sheet = part?.kind === 'sheet' && part.others.length > 0 ? { sheet: part.name } : {};
    return { summary: builder.summary(), rules: { ...rules, ...sheet }, part };
  } finally {
    opened.close();
  }
}

/** With a note of the part that is read, where nobody named it. */
function withPart(proposal: Proposal, part: FilePart | null, named: InspectOptions['parts'] = {}): Proposal {
  if (part === null || named.sheet !== undefined || named.member !== undefined) return proposal;
  const { kind, name, others } = part;
  if (kind === 'member') return { ...proposal, notes: [`${name} of the archive is read`, ...proposal.notes] };
  if (others.length === 0) return proposal;
  const shown = `${others.slice(0, 10).join(', ')}${others.length > 10 ? ' …' : ''}`;
  const note = `Sheet ${name} is read, which has the most rows, and not ${shown} (--sheet names another one)`;
  return { ...proposal, notes: [note, ...proposal.notes] };
}

function progressOf(
  opened: OpenedFile,
  phase: 'surveying' | 'reading',
  { onProgress }: InspectOptions,
): (rows: number) => void {
  return (rows) => {
    if (rows % ROWS_PER_PROGRESS > 0) return;
    const part = partRead(opened, rows, opened.bytesTaken());
    onProgress?.({ phase, part, rows, rejected: 0, resumedAt: 0, placed: 0 });
  };
}

/** What the check decides: the key, places that are none, and how exact places are. */
function conclude(
  proposal: Proposal,
  written: WrittenMap,
  check: FileCheck,
  summary: FileSummary,
): Inspection {
  const notes = [...proposal.notes];
  const questions = [...(written.questions ?? [])];
  const fields = { ...written.fields };
  const key = bestKey(check.keys);
  fields.listingKey =
    key.columns.length === 1
      ? [{ column: key.columns[0] ?? '' }]
      : [{ columns: [...key.columns], join: '-' }];
  const [named] = check.keys;
  if (key.repeats + key.empty > 0)
    questions.push({
      field: 'listingKey',
      question: `No column, and no set of them, names every row once: ${key.repeats} rows repeat the key of an earlier one, and in ${key.empty} it is empty; those rows are rejected`,
      assumed: key.columns.join(', '),
    });
  const isOfParcel =
    named !== undefined &&
    named.columns.length === 1 &&
    key.columns.length > 1 &&
    key.columns[0] === named.columns[0];
  if (isOfParcel && named.repeats > 0 && fields.parcelNumber === undefined) {
    fields.parcelNumber = [{ column: named.columns[0] ?? '' }];
    notes.push(
      `${named.columns[0]} repeats in ${named.repeats} rows: it names the home, and the key is ${key.columns.join(' and ')}`,
    );
  }
  markCenters(fields, check, notes);
  if (
    check.samePlaces > SHARED_PLACES * check.located &&
    check.located > 20 &&
    fields['address.streetName'] === undefined &&
    fields['address.full'] === undefined
  ) {
    fields['location.precision'] = [{ constant: 'approximate' }];
    notes.push('Many homes share one place, and no column has their streets: their places are approximate');
  }
  const map: WrittenMap = { ...written, fields, ...(questions.length > 0 && { questions }) };
  return {
    rows: check.rows,
    map,
    columns: withKey(proposal.columns, key, check),
    notes,
    key,
    check,
    preview: previewOf(map, summary),
  };
}

function bestKey(keys: readonly KeyProof[]): KeyProof {
  const faults = ({ repeats, empty }: KeyProof): number => repeats + empty;
  const [first, ...rest] = keys;
  const none: KeyProof = { columns: [], repeats: 0, empty: 0 };
  return rest.reduce((best, each) => (faults(each) < faults(best) ? each : best), first ?? none);
}

function markCenters(fields: WrittenMap['fields'], { centers }: FileCheck, notes: string[]): void {
  const [lat, lng] = [fields['location.lat']?.[0], fields['location.lng']?.[0]];
  if (centers.rows === 0 || lat?.column === undefined || lng?.column === undefined) return;
  if (centers.lat.length === 0 || lat.column === lng.column) return;
  fields['location.lat'] = [{ ...lat, nulls: [...centers.lat] }];
  fields['location.lng'] = [{ ...lng, nulls: [...centers.lng] }];
  notes.push(`${centers.rows} rows are at the middle of a country, which is no place of a home: left empty`);
}

/** The columns with the key that was found unique, and the share that every row gives. */
function withKey(columns: readonly ColumnProposal[], key: KeyProof, { rows }: FileCheck): ColumnProposal[] {
  return columns.map((column) => {
    const others = column.fields.filter((field) => field !== 'listingKey');
    if (!key.columns.includes(column.column)) return { ...column, fields: others };
    const proved = rows === 0 ? 0 : 1 - (key.repeats + key.empty) / rows;
    const isOnly = others.length === 0;
    return {
      ...column,
      fields: ['listingKey', ...others],
      confidence: isOnly ? Math.max(column.confidence, proved === 1 ? 0.95 : 0.5) : column.confidence,
      share: isOnly ? proved : column.share,
    };
  });
}

function previewOf(map: WrittenMap, summary: FileSummary): ListingDraft[] {
  const mapper = sampledMapper(checkedMap(map), summary);
  return summary.first
    .flatMap((fields, at) => {
      const mapped = mapper({
        row: at,
        place: at,
        fields,
        broken: null,
        geometry: null,
        rejectedText: () => '',
      });
      return 'draft' in mapped ? [mapped.draft] : [];
    })
    .slice(0, PREVIEWED);
}

/** `exports/King County sales.csv.gz` is `King County sales`. */
const nameOf = (path: string): string =>
  basename(path).replace(/(?:\.(?:csv|tsv|txt|json|ndjson|jsonl|geojson|xlsx|xlsm|zip|gz))+$/i, '');
