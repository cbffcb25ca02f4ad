// Log: JSON lines on standard output, with everything that looks like a secret redacted.

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
  /** Default: standard output. */
  readonly stream?: DestinationStream;
}

const NAMES =
  'authorization|cookie|set-cookie|(?:client_?|webhook_?)?secret|password|code_?verifier|api_?key|key';
const TOKENS = '(?:access_?|refresh_?|id_?)?token';

/** A cheap test of every line; only those that match are searched for secrets. */
const SUSPICIOUS =
  /service-|bearer|whsec_|polar_|[sr]k_|[ar]t_|ac_|src_|@|authorization|cookie|secret|password|verifier|key|token|code=/i;

/**
 * API keys, tokens and codes of this service, what follows Bearer, signing secrets, credentials of payment services and in URLs,
 * and the values of members and query parameters that are named like secrets.
 */
const SECRET = new RegExp(
  [
    'service-[0-9a-z][0-9a-z-]{7,}',
    '(?<=\\bbearer(?: |%20|\\+))[\\w.~+/-]+=*',
    '\\bwhsec_[\\w+/=-]+',
    '\\bpolar_[a-z]{2,4}_\\w{8,}',
    '\\b[sr]k_(?:live|test)_\\w+',
    '\\b(?:at|rt|ac|src)_[\\w-]{20,}',
    '(?<=://[^\\s/@:"]{0,128}:)[^\\s/@"]+(?=@)',
    `(?<="(?:${NAMES}|${TOKENS})":")(?:[^"\\\\]|\\\\.)+`,
    `(?<=[?&;](?:${NAMES}|${TOKENS}|code)=)[^&;\\s"\\\\]+`,
  ].join('|'),
  'gi',
);

/** API keys, tokens and codes of this service, and nothing else: unlike `SECRET`, no guess. */
const CREDENTIAL =
  /service-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![0-9a-z])(?:at|rt|ac|src)_[\w-]{43}/i;

/** Whether a text that is stored as it is holds a credential of this service. */
export const hasCredential = (text: string): boolean => CREDENTIAL.test(text);

/** Redacts everything that looks like a secret. */
export function redact(text: string): string {
  return SUSPICIOUS.test(text) ? text.replace(SECRET, '[redacted]') : text;
}

/** Lines are buffered briefly: a system call for each would cost more than the request. */
const BUFFERED_OUTPUT = { fd: 1, sync: false, minLength: 4_096, periodicFlush: 100 };

/** Creates a log. Writing never blocks; buffered lines are flushed when the process exits. */
export function createLog({ level = 'info', stream }: LogOptions = {}): Log {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: withoutBytes, error: withoutBytes, cause: withoutBytes },
    hooks: { streamWrite: redact },
  };
  return pino(options, stream ?? destination(BUFFERED_OUTPUT));
}

/** An error for the log, without bytes: a parser's error contains the whole refused request. */
function withoutBytes(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const members = Object.entries(stdSerializers.err(error));
  return Object.fromEntries(members.filter(([, value]) => !ArrayBuffer.isView(value)));
}

/** Names of parameters that are logged; longer text in their place may be a secret. */
const LOGGED_NAME = /^[\w.[\]-]{0,24}$/;
/** Escapes of unreserved characters (RFC 3986, section 2.3) and of %. */
const NEEDLESS_ESCAPE = /%(?:2[5de]|3\d|[46][1-9a-f]|[57][0-9a]|5f|7e)/gi;
/** How often a URL is decoded: nobody encodes more often by mistake. */
const MAX_DECODINGS = 5;

/**
 * A URL for the log: of its query only the names of parameters, and without needless escapes, which would hide secrets from
 * redaction.
 */
export function withoutQueryValues(address: string): string {
  const url = withoutEscapes(address);
  const mark = url.indexOf('?');
  if (mark < 0) return url;
  const names = url
    .slice(mark + 1)
    .split('&')
    .map((pair) => pair.split('=', 1)[0] ?? '');
  return `${url.slice(0, mark)}?${names.map((name) => (LOGGED_NAME.test(name) ? name : '[other]')).join('&')}`;
}

function withoutEscapes(address: string): string {
  let text = address;
  for (let round = 0; round < MAX_DECODINGS; round++) {
    const read = text.replace(NEEDLESS_ESCAPE, decodeURIComponent);
    if (read === text) return text;
    text = read;
  }
  const first = text.search(NEEDLESS_ESCAPE);
  return first < 0 ? text : `${text.slice(0, first)}[encoded]`;
}
