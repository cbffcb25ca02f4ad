// Owns the log: JSON lines on standard output, from which whatever looks like a secret is cut before it is written.

import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';

export type Log = Logger;

interface LogOptions {
  readonly level?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Where lines go; default standard output. */
  readonly destination?: DestinationStream;
}

const CENSORED = '[redacted]';

/** Members that hold secrets by their name, at the top of a line or one level below. */
const SECRET_MEMBERS = [
  ...['authorization', 'cookie', 'set-cookie', 'apiKey', 'api_key', 'key', 'token', 'secret', 'password'],
  ...['accessToken', 'refreshToken', 'access_token', 'refresh_token', 'code_verifier', 'clientSecret'],
].flatMap((name) => [`["${name}"]`, `*["${name}"]`]);

/**
 * Secrets inside other texts: API keys, what follows Bearer, signing secrets, credentials in addresses, and query
 * parameters that are named like secrets.
 */
const SECRET_TEXT = new RegExp(
  [
    'SERVICE-[0-9a-z][0-9a-z-]{7,}',
    '(?<=\\bbearer\\s)[\\w.~+/-]+=*',
    '\\bwhsec_[\\w+/=-]+',
    '(?<=://[^\\s/@:"]{0,128}:)[^\\s/@"]+(?=@)',
    '(?<=[?&](?:api_?key|key|(?:access_|refresh_)?token|secret|code|password)=)[^&\\s"\\\\]+',
  ].join('|'),
  'gi',
);

/** Cuts whatever looks like a secret out of a text. */
export function redact(text: string): string {
  return text.replace(SECRET_TEXT, CENSORED);
}

/** Opens a log. Lines at `info` and below may be written a moment later, in one piece with others. */
export function createLog({ level = 'info', destination }: LogOptions = {}): Log {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: stdSerializers.err, error: stdSerializers.err, cause: stdSerializers.err },
    redact: { paths: SECRET_MEMBERS, censor: CENSORED },
    hooks: { streamWrite: redact },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** The query string of an address as it may be logged: names of parameters only. */
export function withoutQueryValues(url: string): string {
  const mark = url.indexOf('?');
  if (mark < 0) return url;
  const names = url
    .slice(mark + 1)
    .split('&')
    .map((pair) => pair.split('=', 1)[0]);
  return `${url.slice(0, mark)}?${names.join('&')}`;
}
