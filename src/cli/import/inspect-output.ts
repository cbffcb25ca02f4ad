// Output of an inspection: the table of columns, what is missing, open questions, quality, and rows as they would be written.

import type { FileCheck, KeyProof } from '../../import/inspect/check-file.ts';
import type { Inspection } from '../../import/inspect/inspect-file.ts';
import type { ColumnProposal, Question } from '../../import/inspect/proposal.ts';
import { reportLines } from '../../import/report-text.ts';
import type { ListingDraft } from '../../listings/draft.ts';
import { count, emphasis, terminalWidth } from '../output.ts';

/** Columns of a line where there is no terminal. */
const PLAIN_WIDTH = 140;
const MAX_NAME = 28;
const MAX_FIELDS = 34;
const SURE = 0.85;
const LIKELY = 0.6;

export interface InspectionText {
  readonly name: string;
  readonly inspection: Inspection;
  /** Of the places that were compared with areas: how many are outside; null where there is nothing to compare with. */
  readonly outside: { readonly compared: number; readonly outside: number } | null;
}

export function inspectionText({ name, inspection, outside }: InspectionText): string {
  const { rows, columns, notes, key, check, map } = inspection;
  return [
    emphasis('key', `${name}: ${count(rows)} rows, ${count(columns.length)} columns`),
    '',
    ...columnTable(columns),
    '',
    keyText(key, rows),
    ...section('Noticed:', notes),
    ...section('Missing to be useful:', missingFields(inspection)),
    ...questionLines(map.questions ?? []),
    ...section('Quality:', qualityLines(check, outside)),
  ].join('\n');
}

function columnTable(columns: readonly ColumnProposal[]): string[] {
  const width = terminalWidth(process.stdout) ?? PLAIN_WIDTH;
  const rows = columns.map((column) => ({
    name: cut(column.column === '' ? '(no name)' : column.column, MAX_NAME),
    field: cut(column.fields.join(', ') || '–', MAX_FIELDS),
    sure: column.fields.length === 0 ? '' : sureText(column.confidence),
    reads: column.share === null ? '' : percent(column.share),
    empty: column.empty === 0 ? '' : percent(column.empty),
    samples: column.samples,
  }));
  const widthOf = (name: 'name' | 'field', heading: string): number =>
    Math.max(heading.length, ...rows.map((row) => row[name].length));
  const [names, fields] = [widthOf('name', 'Column'), widthOf('field', 'Field')];
  const left = Math.max(20, width - names - fields - 30);
  const line = (cells: readonly [string, string, string, string, string, string]): string =>
    `${cells[0].padEnd(names)}  ${cells[1].padEnd(fields)}  ${cells[2].padEnd(6)}  ${cells[3].padStart(5)}  ${cells[4].padStart(5)}  ${cells[5]}`.trimEnd();
  return [
    emphasis('quiet', line(['Column', 'Field', 'Sure', 'Reads', 'Empty', 'Samples'])),
    ...rows.map((row) => {
      const text = line([
        row.name,
        row.field,
        row.sure,
        row.reads,
        row.empty,
        samplesText(row.samples, left),
      ]);
      if (row.sure === '') return emphasis('quiet', text);
      return row.sure === 'guess' ? emphasis('warning', text) : text;
    }),
  ];
}

const sureText = (confidence: number): string =>
  confidence >= SURE ? 'sure' : confidence >= LIKELY ? 'likely' : 'guess';

/** All of it only where all of it is. */
function percent(share: number): string {
  const rounded = Math.round(share * 100);
  if (share < 1 && rounded === 100) return '>99 %';
  return share > 0 && rounded === 0 ? '<1 %' : `${rounded} %`;
}

const plain = (text: string): string => text.replace(/[\p{C}\s]+/gu, ' ');

function cut(text: string, width: number): string {
  const shown = plain(text);
  return shown.length > width ? `${shown.slice(0, Math.max(1, width - 1))}…` : shown;
}

function samplesText(samples: readonly string[], width: number): string {
  const each = Math.max(8, Math.floor((width - 3 * (samples.length - 1)) / Math.max(1, samples.length)));
  return samples.map((sample) => cut(sample, each)).join(' | ');
}

function keyText({ columns, repeats, empty }: KeyProof, rows: number): string {
  const names = columns.join(' and ');
  if (repeats + empty === 0)
    return `Key: ${names} ${columns.length > 1 ? 'together name' : 'names'} each of the ${count(rows)} rows once.`;
  return emphasis(
    'warning',
    `Key: ${names}, but ${count(repeats)} rows repeat it and ${count(empty)} lack it.`,
  );
}

const section = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', emphasis('key', heading), ...lines.map((line) => `  ${line}`)];

/** Without these a home can be imported, but hardly be found. */
function missingFields({ map }: Inspection): string[] {
  const { fields } = map;
  const lacks = (...names: readonly string[]): boolean => names.every((name) => fields[name] === undefined);
  return [
    ...(lacks('listPrice', 'closePrice') ? ['no price: homes are in no search by price'] : []),
    ...(lacks('location.lat') ? ['no coordinates: homes are on no map'] : []),
    ...(lacks('location.lat', 'address.city', 'address.postalCode', 'address.full')
      ? ['no place: homes are in no area']
      : []),
    ...(lacks('bedrooms', 'rooms') ? ['no bedrooms'] : []),
    ...(lacks('livingArea') ? ['no living area'] : []),
    ...(lacks('onMarketDate', 'listedAt', 'closedAt') ? ['no dates: there are no days on market'] : []),
    ...(lacks('photos') ? ['no photos'] : []),
  ];
}

/** Open questions with what is assumed; they stop nothing. */
export function questionLines(questions: readonly Question[]): string[] {
  return section(
    'Open questions (nothing waits for an answer; change the map where it is wrong):',
    questions.map(({ field, question, assumed }) => `${field}: ${question}. Assumed: ${assumed}`),
  );
}

const MUCH_EMPTY = 0.5;

function qualityLines(check: FileCheck, outside: InspectionText['outside']): string[] {
  const { report, rejected, rows, sameRows, passed, reasons, places } = check;
  const fields = Object.entries(report.fields);
  const odd = Object.fromEntries(fields.filter(([, summary]) => summary.outside !== undefined));
  const empty = fields.filter(([, { filled, empty: none }]) => none > MUCH_EMPTY * (filled + none));
  const lines = reportLines({ ...report, fields: odd }, places).map((line) =>
    line.replace(/^Fields:$/, 'Unusual values:'),
  );
  return [
    `${count(rows - rejected)} of ${count(rows)} rows can be imported`,
    ...reasons.map(({ row, reason }) => `  ${places} ${row}: ${reason}`),
    ...(rejected > reasons.length ? [`  and ${count(rejected - reasons.length)} more`] : []),
    ...(sameRows > 0 ? [`${count(sameRows)} rows are the same as an earlier one, but for their key`] : []),
    ...(empty.length > 0
      ? [
          `mostly empty: ${empty.map(([name, { filled, empty: none }]) => `${name} (${percent(none / (filled + none))})`).join(', ')}`,
        ]
      : []),
    ...Object.entries(passed).map(
      ([field, times]) =>
        `${field}: ${times === 1 ? '1 value cannot be read and is' : `${count(times)} values cannot be read and are`} left empty`,
    ),
    ...(outside === null
      ? []
      : [`of ${count(outside.compared)} places, ${count(outside.outside)} are outside of every area`]),
    ...lines,
  ];
}

/** The first rows as they would be written: a field a line, a listing a column. */
export function previewText(drafts: readonly ListingDraft[]): string {
  const flat = drafts.map((draft) => new Map(flatten(draft)));
  const names = [...new Set(flat.flatMap((each) => [...each.keys()]))];
  const width = terminalWidth(process.stdout) ?? PLAIN_WIDTH;
  const longest = Math.max(0, ...names.map((name) => name.length));
  const each = Math.max(10, Math.floor((width - longest) / Math.max(1, drafts.length)) - 2);
  const lines = names.map((name) => {
    const cells = flat.map((values) => cut(values.get(name) ?? '', each).padEnd(each));
    return `${emphasis('quiet', name.padEnd(longest))}  ${cells.join('  ')}`.trimEnd();
  });
  const heading =
    drafts.length === 1
      ? 'The first row as it would be written:'
      : `The first ${drafts.length} rows as they would be written:`;
  return [emphasis('key', heading), ...lines].join('\n');
}

/** Members that say something: neither empty, nor the same for every listing of a file. */
function flatten(draft: object, before = ''): [string, string][] {
  return Object.entries(draft).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined || ['display', 'sourceName', 'permissions'].includes(name))
      return [];
    if (Array.isArray(value))
      return value.length === 0 ? [] : [[before + name, value.map(itemText).join(', ')]];
    if (typeof value === 'object') return flatten(value, `${before}${name}.`);
    return [[before + name, String(value)]];
  });
}

function itemText(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const { url, startsAt, type } = item as { url?: string; startsAt?: string; type?: string };
  return url ?? startsAt ?? type ?? JSON.stringify(item);
}
