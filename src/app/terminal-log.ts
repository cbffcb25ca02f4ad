// Log format for a terminal: one short line for each entry instead of JSON.

import { Writable } from 'node:stream';

const COLOURS: Readonly<Record<string, string>> = {
  warn: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[31m',
};
const QUIET = '\u001b[2m';
/** Takes the place of a progress line that stands there unfinished. */
const CLEAR = '\r\u001b[K';
const PLAIN = '\u001b[0m';

interface Entry {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly method?: string;
  readonly url?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly tier?: string;
  readonly code?: string;
  readonly cause?: { readonly message?: string };
  readonly err?: { readonly message?: string };
}

/** Takes the log's JSON lines and writes them for people. `colours` is false where NO_COLOR is set. */
export function terminalLog(output: NodeJS.WritableStream, colours: boolean): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n'))
        if (line !== '') output.write(`${CLEAR}${terminalLine(line, colours)}\n`);
      done();
    },
  });
}

/** `12:03:04  GET /v1/search/sales?maxPrice  200  3 ms  pro` */
export function terminalLine(json: string, colours: boolean): string {
  const entry = JSON.parse(json) as Entry;
  const paint = (colour: string | undefined, text: string): string =>
    colours && colour ? `${colour}${text}${PLAIN}` : text;
  const time = paint(QUIET, entry.time.slice(11, 19));
  const reason = entry.cause?.message ?? entry.err?.message;
  const parts =
    entry.method === undefined
      ? [entry.msg, entry.code, reason]
      : [
          `${entry.method} ${entry.url ?? ''}`,
          String(entry.status ?? ''),
          `${Math.round(entry.ms ?? 0)} ms`,
          entry.tier,
          entry.code,
          reason,
        ];
  const text = parts.filter((part) => part !== undefined && part !== '').join('  ');
  return `${time}  ${paint(COLOURS[entry.level], text)}`;
}
