// Log: JSON lines on standard output, from which whatever looks like a secret is redacted.

import {
  type DestinationStream,
  destination,
  type Logger,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from 'pino';

export type Log = Logger;

interface LogOptions {
  readonly level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Where lines go; default standard output. */
  readonly stream?: DestinationStream;
}

const NAMES =
  'authorization|cookie|set-cookie|(?:client_?|webhook_?)?secret|password|code_?verifier|api_?key|key';
const TOKENS = '(?:access_?|refresh_?|id_?)?token';

/** Cheap to ask of every line; only a line that might hold a secret is gone through in full. */
const SUSPICIOUS =
  /service-|bearer|whsec_|[ar]t_|ac_|@|authorization|cookie|secret|password|verifier|key|token|code=/i;

/**
 * What is cut: API keys, tokens and codes issued here, what follows Bearer, signing secrets, credentials in addresses, and
 * the values of members and of query parameters that are named like secrets.
 */
const SECRET = new RegExp(
  [
    'service-[0-9a-z][0-9a-z-]{7,}',
    '(?<=\\bbearer(?: |%20|\\+))[\\w.~+/-]+=*',
    '\\bwhsec_[\\w+/=-]+',
    '\\b(?:at|rt|ac)_[\\w-]{20,}',
    '(?<=://[^\\s/@:"]{0,128}:)[^\\s/@"]+(?=@)',
    `(?<="(?:${NAMES}|${TOKENS})":")(?:[^"\\\\]|\\\\.)+`,
    `(?<=[?&;](?:${NAMES}|${TOKENS}|code)=)[^&;\\s"\\\\]+`,
  ].join('|'),
  'gi',
);

/** Cuts whatever looks like a secret out of a text. */
export function redact(text: string): string {
  return SUSPICIOUS.test(text) ? text.replace(SECRET, '[redacted]') : text;
}

/** Lines are gathered for a moment, since a system call for each would cost more than the request it tells of. */
const GATHERED = { fd: 1, sync: false, minLength: 4_096, periodicFlush: 100 };

/** Opens a log. Writing never blocks the service; what is gathered is flushed when the process exits. */
export function createLog({ level = 'info', stream }: LogOptions = {}): Log {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: withoutBytes, error: withoutBytes, cause: withoutBytes },
    hooks: { streamWrite: redact },
  };
  return pino(options, stream ?? destination(GATHERED));
}

/** An error for the log, without the bytes it carries: a parser's error holds the whole request that it refused. */
function withoutBytes(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const members = Object.entries(stdSerializers.err(error));
  return Object.fromEntries(members.filter(([, value]) => !ArrayBuffer.isView(value)));
}

/** What a parameter may be called; a longer text in its place may be anything, also a secret. */
const NAME = /^[\w.[\]-]{0,24}$/;
/** Escapes of letters, digits, - . _ and ~, which mean the same as the characters (RFC 3986, section 2.3), and of %. */
const NEEDLESS_ESCAPE = /%(?:2[5de]|3\d|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi;
/** Times that an address is read once more: what was encoded more often is nobody's mistake. */
const MOST_ENCODED = 5;

/**
 * An address as it may be logged: of its query only the names of parameters, and no needless escapes, behind which a
 * secret would not be recognised, however often it was encoded.
 */
export function withoutQueryValues(address: string): string {
  const url = withoutEscapes(address);
  const mark = url.indexOf('?');
  if (mark < 0) return url;
  const names = url
    .slice(mark + 1)
    .split('&')
    .map((pair) => pair.split('=', 1)[0] ?? '');
  return `${url.slice(0, mark)}?${names.map((name) => (NAME.test(name) ? name : '[other]')).join('&')}`;
}

function withoutEscapes(address: string): string {
  let text = address;
  for (let round = 0; round < MOST_ENCODED; round++) {
    const read = text.replace(NEEDLESS_ESCAPE, decodeURIComponent);
    if (read === text) return text;
    text = read;
  }
  const first = text.search(NEEDLESS_ESCAPE);
  return first < 0 ? text : `${text.slice(0, first)}[encoded]`;
}
