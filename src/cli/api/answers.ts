// Answers on standard output: tables on a terminal, JSON lines in a pipe, and texts as they come.

import { once } from 'node:events';
import { textOf, valuesOf } from '../../../packages/client/src/streams.ts';
import type { Transport } from '../../../packages/client/src/transport.ts';
import { systemClock } from '../../lib/clock.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { count, emphasis, print, terminalWidth } from '../output.ts';
import { progressLine } from '../progress-line.ts';
import { type Call, nextLink, type Page, type PageRange, readJson, readPages, send } from './call.ts';
import { columnsFor, detailsOf, type Row } from './columns.ts';
import { safeJson, safeLine, safeLines } from './safe-text.ts';
import { createTable } from './table.ts';

export type Form = 'table' | 'json' | 'lines';

/** Where no terminal says how wide it is. */
const DEFAULT_WIDTH = 120;

const isTerminal = (): boolean => process.stdout.isTTY === true;

export const defaultForm = (): Form => (isTerminal() ? 'table' : 'lines');

/** A note to the person at the terminal, beside the output. */
const note = (line: string): void => {
  if (process.stderr.isTTY) print(process.stderr, emphasis('quiet', line, process.stderr));
};

/** Waits where the reader is slower. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

const printLine = (value: unknown): Promise<void> => write(`${safeJson(JSON.stringify(value))}\n`);

/** Members that hold the rows of a list, and of figures of the market; the first that has any counts. */
const LISTS = ['data', 'clusters'] as const;
const MARKET_LISTS = ['points', 'areas', 'bands', 'buckets', 'groups'] as const;

/** Null: the answer is no list. */
function listOf(page: Page): readonly Row[] | null {
  const list = LISTS.map((name) => page[name]).find(Array.isArray);
  const isMarket = String(page.object).startsWith('market_');
  const figures = (isMarket ? MARKET_LISTS : [])
    .map((name) => page[name])
    .find((value) => Array.isArray(value) && value.length > 0);
  return ((list ?? figures) as readonly Row[] | undefined) ?? null;
}

export interface Showing {
  readonly form: Form;
  /** The caller chose the members of the rows. */
  readonly isChosen: boolean;
}

/** One answer: whole as JSON, or its rows. */
export async function showAnswer(transport: Transport, call: Call, showing: Showing): Promise<void> {
  const page = await readJson(transport, call);
  warnOfNames(page);
  if (showing.form === 'json') return write(`${safeJson(JSON.stringify(page, null, 2))}\n`);
  const rows = listOf(page);
  if (rows === null) return showObject(page, showing.form);
  await rowWriter(showing)(rows);
}

async function showObject(object: Row, form: Form): Promise<void> {
  if (form === 'lines') return printLine(object);
  const rows = detailsOf(object);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  for (const [name, value] of rows)
    await write(`${emphasis('key', safeLine(name).padEnd(width))}  ${safeLine(value)}\n`);
}

/** Pages of a list, with what is left of it. */
export async function showPages(
  transport: Transport,
  call: Call,
  range: PageRange,
  showing: Showing,
): Promise<void> {
  const writeRows = rowWriter(showing);
  const progress = rowProgress(showing.form === 'table');
  let shown = 0;
  for await (const page of readPages(transport, call, range, (each) => listOf(each) ?? [])) {
    warnOfNames(page);
    const rows = listOf(page);
    if (rows === null) return showObject(page, showing.form);
    await writeRows(rows);
    shown += rows.length;
    const total = page.total?.value ?? null;
    progress.show(shown, range.max === null ? total : Math.min(range.max, total ?? range.max));
    if (!range.all && page.page?.hasMore === true && (range.max === null || shown < range.max))
      note(
        `${count(shown)} of ${total === null ? 'more' : count(total)}; --all shows every one, --limit so many`,
      );
  }
  progress.end(shown);
}

function rowWriter({ form, isChosen }: Showing): (rows: readonly Row[]) => Promise<void> {
  if (form !== 'table')
    return async (rows) => {
      for (const row of rows) await printLine(row);
    };
  const width = terminalWidth(process.stdout) ?? DEFAULT_WIDTH;
  let table: ReturnType<typeof createTable<Row>> | null = null;
  const credited = new Set<string>();
  return async (rows) => {
    if (rows.length === 0 && table === null) return note('There is none.');
    table ??= createTable(columnsFor(rows, isChosen), width);
    await write(`${table.lines(rows).join('\n')}\n`);
    // Sources ask that their line stands with their listings.
    for (const row of rows) {
      const listing = (row.attribution === undefined ? row.listing : row) as Row | undefined | null;
      const line = listing?.attribution;
      if (typeof line === 'string' && !credited.has(line)) credited.add(line);
    }
    for (const line of credited) await write(`${emphasis('quiet', safeLine(line))}\n`);
    credited.clear();
  };
}

/** Names that nothing has are most often misspelt. */
function warnOfNames({ meta }: Page): void {
  for (const { parameter, value, suggestions } of meta?.suggestions ?? []) {
    const meant = suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(', ')}?`;
    print(process.stderr, safeLine(`No listing has the ${parameter} ${value}.${meant}`));
  }
}

/** Copies a text as it comes. With `all`, the parts that the header Link leads to follow, without their first line if that is one of names. */
export async function copyText(transport: Transport, call: Call, all: boolean): Promise<void> {
  const progress = rowProgress(isTerminal());
  const isCsv = call.operation.answers === 'text/csv' || call.headers.accept === 'text/csv';
  let rows = 0;
  let next: URLSearchParams | null = call.query;
  for (let part = 0; next !== null; part++) {
    const response: Response = await send(transport, { ...call, query: next });
    const total = Number(response.headers.get('x-total-count') ?? Number.NaN);
    const counter = lineCounter(isCsv);
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for await (const bytes of response.body ?? []) {
      const kept = part > 0 && isCsv ? counter.withoutFirst(bytes) : bytes;
      rows += counter.count(bytes);
      const text = decoder.decode(kept, { stream: true });
      await write(isTerminal() ? safeLines(text) : text);
      progress.show(rows, Number.isNaN(total) ? null : total);
    }
    next = all ? nextLink(response) : null;
  }
  progress.end(rows);
}

/** What became of each record of a batch. Throws CommandFailure where records were rejected. */
export async function showResults(transport: Transport, call: Call, form: Form): Promise<void> {
  const response = await send(transport, call);
  const writeRows = rowWriter({ form: form === 'json' ? 'lines' : form, isChosen: false });
  let [all, rejected] = [0, 0];
  for await (const row of valuesOf<Row>(textOf(response, transport, {}))) {
    all++;
    if (row.result === 'rejected') rejected++;
    await writeRows([row]);
  }
  if (rejected > 0)
    throw new CommandFailure(`${count(rejected)} of ${count(all)} records were rejected.`, EXIT.rejected);
}

const [QUOTE, LINE_END] = [0x22, 0x0a];

/** Lines of a text as it comes; line ends within quotes of CSV are none, and its first line is one of names. */
function lineCounter(isCsv: boolean) {
  let isQuoted = false;
  let headings = isCsv ? 1 : 0;
  let isFirst = true;
  return {
    count(bytes: Uint8Array): number {
      let lines = 0;
      for (const byte of bytes) {
        if (byte === QUOTE && isCsv) isQuoted = !isQuoted;
        if (byte === LINE_END && !isQuoted) lines++;
      }
      const skipped = Math.min(headings, lines);
      headings -= skipped;
      return lines - skipped;
    },
    /** Names of columns have no line ends in them. */
    withoutFirst(bytes: Uint8Array): Uint8Array {
      if (!isFirst) return bytes;
      const end = bytes.indexOf(LINE_END);
      isFirst = end < 0;
      return bytes.subarray(end < 0 ? bytes.length : end + 1);
    },
  };
}

/** Rows and rows a second on standard error; nothing where the rows themselves are to be seen. */
function rowProgress(isVisible: boolean) {
  const startedAt = systemClock.monotonic();
  const line = progressLine<{
    readonly part: number | null;
    readonly rows: number;
    readonly total: number | null;
  }>(
    systemClock,
    ({ rows, total }, seconds) =>
      `${count(rows)}${total === null ? '' : ` of ${count(total)}`} rows, ${count(Math.round(rows / Math.max(seconds, 0.001)))} a second`,
  );
  // A reader that has read enough ends the process.
  const clear = () => line.end();
  if (!isVisible) process.once('exit', clear);
  return {
    show(rows: number, total: number | null): void {
      if (!isVisible) line.show({ part: total === null ? null : rows / Math.max(1, total), rows, total });
    },
    end(rows: number): void {
      line.end();
      process.off('exit', clear);
      const seconds = (systemClock.monotonic() - startedAt) / 1_000;
      if (!isVisible && seconds > 2) note(`${count(rows)} rows in ${seconds.toFixed(1)} s`);
    },
  };
}
