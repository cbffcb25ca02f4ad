// Rows of CSV: fields between delimiters and quotes, and rows whose quotes do not close.

import { type DecodedLine, decodedLine } from './encoding.ts';
import { FileFault } from './record.ts';

export interface CsvRow {
  readonly fields: readonly string[];
  /** The line on which it begins, as editors count. */
  readonly line: number;
  /** What is wrong with how it is written; null where nothing is. */
  readonly fault: string | null;
}

export interface CsvRowOptions {
  readonly delimiter: string;
  readonly encoding: string;
  /** Whether rows end with a mere carriage return. */
  readonly isOldMac: boolean;
  /** Whether these fields of one line are a row of the file, and no part of a text of several lines. */
  isRow(fields: readonly string[]): boolean;
}

/** Characters of one line. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/** Characters from a quote that opens; one that is never closed would take the rest of the file for one field. */
const MAX_ROW_LENGTH = 4 * 1024 * 1024;

/**
 * The rows of a file, empty lines left out. A quote that opens a field and closes elsewhere than at the end of one spoils its
 * line only: the lines after it are read for themselves. Within a line it is part of the text, as an inch mark is.
 */
export async function* parseRows(
  texts: AsyncIterable<string>,
  options: CsvRowOptions,
): AsyncGenerator<CsvRow> {
  const lines = new Lines(texts, options);
  for (let line = await lines.next(); line !== null; line = await lines.next()) {
    if (line.text === '') continue;
    if (line.text.includes('"')) yield await quotedRow(line, lines, options);
    else yield { fields: line.text.split(options.delimiter), line: line.number, fault: line.fault };
  }
}

async function quotedRow(first: Line, lines: Lines, options: CsvRowOptions): Promise<CsvRow> {
  const { delimiter, isRow } = options;
  const parser = new RowParser(delimiter);
  parser.read(first.text);
  const later: Line[] = [];
  let length = first.text.length;
  let last = first;
  let swallows = false;
  while (parser.isOpen && !swallows && length <= MAX_ROW_LENGTH) {
    const next = await lines.next();
    if (next === null) break;
    later.push(next);
    length += next.text.length;
    parser.read(next.text, last.end);
    last = next;
    swallows = isRow(fieldsOfLine(next.text, delimiter));
  }
  if (!parser.isOpen && !(later.length > 0 && parser.hasStray) && !swallows) {
    const fault = first.fault ?? later.find((line) => line.fault !== null)?.fault ?? null;
    return { fields: parser.fields, line: first.number, fault };
  }
  lines.putBack(later);
  return {
    fields: fieldsOfLine(first.text, delimiter),
    line: first.number,
    fault: 'a quote opens in this line and does not close where a field ends (double it, or remove it)',
  };
}

/** The fields of a line by itself; a quote that does not close is part of its text. */
function fieldsOfLine(text: string, delimiter: string): string[] {
  const parser = new RowParser(delimiter);
  parser.read(text);
  return parser.isOpen ? parser.withOpenField() : parser.fields;
}

/** Reader of one row, line by line while a quote is open. */
class RowParser {
  readonly fields: string[] = [];
  readonly #delimiter: string;
  #field = '';
  /** Whether a quote is open at the end of what is read. */
  isOpen = false;
  /** Whether text followed a quote that had closed. */
  hasStray = false;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** `before`: the end of the line before, which is part of the open field. */
  read(text: string, before = ''): void {
    let at = 0;
    if (this.isOpen) this.#field += before;
    else at = this.#open(text, 0);
    for (;;) {
      if (this.isOpen) {
        at = this.#readQuoted(text, at);
        if (this.isOpen) return;
      }
      const end = text.indexOf(this.#delimiter, at);
      this.fields.push(this.#field + text.slice(at, end === -1 ? text.length : end));
      this.#field = '';
      if (end === -1) return;
      at = this.#open(text, end + this.#delimiter.length);
    }
  }

  withOpenField(): string[] {
    return [...this.fields, `"${this.#field}`];
  }

  #open(text: string, at: number): number {
    this.isOpen = text[at] === '"';
    return this.isOpen ? at + 1 : at;
  }

  /** Reads up to the quote that closes; returns the position behind it. */
  #readQuoted(text: string, from: number): number {
    let at = from;
    for (;;) {
      const quote = text.indexOf('"', at);
      if (quote === -1) {
        this.#field += text.slice(at);
        return text.length;
      }
      this.#field += text.slice(at, quote);
      at = quote + 1;
      if (text[at] === '"') {
        this.#field += '"';
        at++;
        continue;
      }
      this.isOpen = false;
      if (at < text.length && !text.startsWith(this.#delimiter, at)) {
        this.hasStray = true;
        this.#field = `"${this.#field}"`;
      }
      return at;
    }
  }
}

interface Line extends DecodedLine {
  readonly number: number;
  /** The line break after it. */
  readonly end: string;
}

/** The lines of a file, which can be put back. */
class Lines {
  readonly #texts: AsyncIterator<string>;
  readonly #options: CsvRowOptions;
  #rest = '';
  #at = 0;
  #number = 1;
  #isEnd = false;
  #putBack: Line[] = [];

  constructor(texts: AsyncIterable<string>, options: CsvRowOptions) {
    this.#texts = texts[Symbol.asyncIterator]();
    this.#options = options;
  }

  async next(): Promise<Line | null> {
    const again = this.#putBack.pop();
    if (again !== undefined) return again;
    const breakAt = this.#options.isOldMac ? '\r' : '\n';
    let searched = this.#at;
    for (;;) {
      const end = this.#rest.indexOf(breakAt, searched);
      if (end !== -1) return this.#take(end, breakAt);
      if (this.#isEnd) return this.#rest.length === this.#at ? null : this.#take(this.#rest.length, '');
      this.#rest = this.#rest.slice(this.#at);
      this.#at = 0;
      searched = this.#rest.length;
      if (searched > MAX_LINE_LENGTH)
        throw new FileFault('The file has a line of more than 16 million characters.');
      const { done, value } = await this.#texts.next();
      if (done) this.#isEnd = true;
      else this.#rest += value;
    }
  }

  /** These lines come again, in their order. */
  putBack(lines: readonly Line[]): void {
    this.#putBack = [...this.#putBack, ...lines.toReversed()];
  }

  #take(end: number, lineBreak: string): Line {
    const hasReturn = lineBreak === '\n' && end > this.#at && this.#rest[end - 1] === '\r';
    const text = this.#rest.slice(this.#at, hasReturn ? end - 1 : end);
    const number = this.#number;
    this.#at = end + lineBreak.length;
    // Editors count a carriage return within a line as a line break too.
    this.#number += lineBreak === '' ? 0 : 1 + (lineBreak === '\n' ? text.split('\r').length - 1 : 0);
    const decoded = decodedLine(text, this.#options.encoding);
    return { ...decoded, number, end: hasReturn ? '\r\n' : lineBreak };
  }
}
