// Text of the report of a file: fields, doubtful places, and rejections by cause.

import type { FieldSummary, PlacedValue } from './field-report.ts';
import type { FileReport } from './file-report.ts';
import type { PlaceDoubt } from './places.ts';
import type { RejectionCause } from './rejections.ts';

const DOUBTS: Readonly<Record<PlaceDoubt, string>> = {
  zero: 'at 0,0, which is no place: left empty',
  swapped: 'with latitude and longitude swapped, beside the others: kept as approximate',
  far: 'far from the others: kept as approximate',
};

/** `unit`: what rows are counted in, such as `line`. */
export function reportLines({ fields, places, causes }: FileReport, unit: string): string[] {
  const names = Object.keys(fields);
  const width = Math.max(0, ...names.map((name) => name.length));
  const doubts = Object.entries(places).map(
    ([doubt, { rows, examples }]) =>
      `  ${rowsText(rows)} ${DOUBTS[doubt as PlaceDoubt]} (${unit} ${examples.join(', ')}${rows > examples.length ? ', …' : ''})`,
  );
  return [
    ...(names.length === 0 ? [] : ['Fields:']),
    ...names.flatMap((name) => {
      const summary = fields[name];
      return summary === undefined ? [] : [`  ${name.padEnd(width)}  ${summaryText(summary, unit)}`];
    }),
    ...(doubts.length === 0 ? [] : ['Coordinates:', ...doubts]),
    ...(causes.length === 0 ? [] : ['Rejected, by cause:', ...causes.map((cause) => causeText(cause, unit))]),
  ];
}

function summaryText(summary: FieldSummary, unit: string): string {
  const { filled, empty, smallest, median, largest, outside, values, examples } = summary;
  const placed = ({ value, place }: PlacedValue): string => `${valueText(value)} (${unit} ${place})`;
  const parts = [`${count(filled)} filled, ${count(empty)} empty`];
  if (smallest && largest && median !== undefined)
    parts.push(`${placed(smallest)} to ${placed(largest)}, median ${valueText(median)}`);
  if (outside)
    parts.push(
      `${count(outside.count)} outside ${valueText(outside.min)} to ${valueText(outside.max)}: ${outside.examples.map(placed).join(', ')}`,
    );
  if (values)
    parts.push(
      Object.entries(values)
        .map(([value, times]) => `${value} ${count(times)}`)
        .join(', '),
    );
  if (examples && examples.length > 0) parts.push(examples.join(' | '));
  return parts.join('; ');
}

/** `Status "Sold": 199 rows, the first in line 3: is none of …; "values": {"Sold": "CLOSED"} would take them`. */
function causeText(
  { column, values, rows, firstPlace, reason, suggestion }: RejectionCause,
  unit: string,
): string {
  const shown = values.map((value) => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value));
  const subject = [column, shown.join(', ')].filter((part) => part !== '').join(' ');
  const remedy = suggestion === null ? '' : `; ${suggestion} would take ${rows === 1 ? 'it' : 'them'}`;
  return `  ${subject === '' ? '' : `${subject}: `}${rowsText(rows)}, the first in ${unit} ${firstPlace}: ${reason}${remedy}`;
}

const count = (value: number): string => value.toLocaleString('en-US');

const rowsText = (rows: number): string => (rows === 1 ? '1 row' : `${count(rows)} rows`);

/** Years and other small numbers without separators. */
function valueText(value: number | string): string {
  if (typeof value === 'string') return value;
  return Math.abs(value) < 10_000
    ? String(value)
    : value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
