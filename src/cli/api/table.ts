// Tables that fit a terminal: columns shrink, and the least important ones are left out.

import { emphasis } from '../output.ts';
import { safeLine } from './safe-text.ts';

export interface Column<Row> {
  readonly heading: string;
  readonly text: (row: Row) => string;
  /** Numbers stand to the right. */
  readonly isNumber?: boolean;
  /** Cells of text may be cut to so many columns. */
  readonly min?: number;
  /** Of columns that find no room, the highest is left out first; without a rank never. */
  readonly rank?: number;
}

const GAP = '  ';

/** Lines for one page of rows after the other, in the columns that the first page was given. */
export interface Table<Row> {
  lines(rows: readonly Row[]): string[];
}

/** @param width columns of the terminal */
export function createTable<Row>(columns: readonly Column<Row>[], width: number): Table<Row> {
  let layout: readonly (Column<Row> & { readonly size: number })[] | null = null;
  return {
    lines(rows) {
      const isFirst = layout === null;
      layout ??= fit(columns, rows, width);
      const line = (cell: (column: Column<Row>) => string) =>
        (layout ?? [])
          .map((column) => padded(cell(column), column))
          .join(GAP)
          .trimEnd();
      const body = rows.map((row) => line(({ text }) => safeLine(text(row))));
      return isFirst
        ? [
            emphasis(
              'quiet',
              line(({ heading }) => heading),
            ),
            ...body,
          ]
        : body;
    },
  };
}

function fit<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number) {
  const filled = columns.filter(
    ({ text, rank }) => rank === undefined || rows.some((row) => !EMPTY.includes(text(row))),
  );
  let sized = filled.map((column) => {
    const cells = rows.map((row) => columnsOf(safeLine(column.text(row))));
    return { ...column, size: Math.max(columnsOf(column.heading), ...cells) };
  });
  const total = (part: typeof sized) => part.reduce((sum, { size }) => sum + size + GAP.length, -GAP.length);
  const least = (part: typeof sized) =>
    total(part) - part.reduce((sum, { size, min = size }) => sum + Math.max(0, size - min), 0);
  while (least(sized) > width) {
    const last = sized.reduce((worst, column) => ((column.rank ?? 0) > (worst?.rank ?? 0) ? column : worst));
    if (last.rank === undefined) break;
    sized = sized.filter((column) => column !== last);
  }
  let excess = total(sized) - width;
  return sized.map((column) => {
    if (column.min === undefined || excess <= 0) return column;
    const size = Math.max(column.min, column.size - excess);
    excess -= column.size - size;
    return { ...column, size };
  });
}

/** What stands where nothing is known. */
export const EMPTY = ['', '–'];

function padded(
  text: string,
  { size, min, isNumber }: { readonly size: number; readonly min?: number; readonly isNumber?: boolean },
): string {
  // An id that is longer than those of the first page is no id any more when it is cut.
  const shown = min !== undefined && columnsOf(text) > size ? cut(text, size) : text;
  const space = ' '.repeat(Math.max(0, size - columnsOf(shown)));
  return isNumber ? space + shown : shown + space;
}

const SEGMENTS = new Intl.Segmenter('en');
/** Wide characters of East Asia and pictures take two columns. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** Columns of a terminal that a text takes. */
export function columnsOf(text: string): number {
  // Most texts are plain.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of SEGMENTS.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

function cut(text: string, size: number): string {
  let shown = '';
  let left = size - 1;
  for (const { segment } of SEGMENTS.segment(text)) {
    left -= columnsOf(segment);
    if (left < 0) break;
    shown += segment;
  }
  return `${shown.trimEnd()}…`;
}
