// Output of commands: lines, JSON, aligned tables, and emphasis on a terminal.

import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

const STYLES = { error: 'red', warning: 'yellow', good: 'green', key: 'cyan', quiet: 'dim' } as const;

/** The text coloured for what it is; plain when the stream is no terminal or the user wants none (NO_COLOR). */
export function emphasis(
  kind: keyof typeof STYLES,
  text: string,
  stream: NodeJS.WritableStream = process.stdout,
): string {
  return styleText(STYLES[kind], text, { stream, validateStream: true });
}

export function print(stream: NodeJS.WritableStream, line: string): void {
  stream.write(`${line}\n`);
}

/** For programs that read: one JSON document on standard output. */
export function printJson(value: unknown): void {
  print(process.stdout, JSON.stringify(value, null, 2));
}

/** Prints rows under their headings, in columns as wide as their longest cell; without rows, the sentence `empty`. */
export function printTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): void {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const lines = rows.length === 0 ? [empty] : [emphasis('quiet', line(headings)), ...rows.map(line)];
  print(process.stdout, lines.join('\n'));
}

/** Columns of the terminal, or undefined when the stream is none. */
export function terminalWidth(stream: NodeJS.WritableStream): number | undefined {
  const { isTTY, columns } = stream as WriteStream;
  return isTTY ? columns : undefined;
}

/** A whole number with its thousands parted, as people read it. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}
