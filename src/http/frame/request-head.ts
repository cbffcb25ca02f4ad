// Head of a request: ambiguous and repeated headers, the form of the body, and the media type that the client prefers.

import type { IncomingMessage } from 'node:http';
import { Problem } from '../../lib/problem.ts';
import type { BodyType } from './route.ts';

const MAX_URL_LENGTH = 8192;

/** Rejects requests that two parsers could read differently. Throws INVALID_REQUEST or URI_TOO_LONG. */
export function checkRequest(request: IncomingMessage): void {
  const url = request.url ?? '';
  if (url.length > MAX_URL_LENGTH) {
    throw new Problem('URI_TOO_LONG', `The URL is longer than ${MAX_URL_LENGTH} characters.`);
  }
  if (url.includes('#')) {
    throw new Problem('INVALID_REQUEST', 'The URL has a fragment; write # as %23 in a value.');
  }
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    throw new Problem('INVALID_REQUEST', 'The header Host is missing.');
  }
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new Problem('INVALID_REQUEST', 'The header Expect supports only 100-continue.');
  }
  const repeated = repeatedHeader(request.rawHeaders);
  if (repeated !== null) {
    throw new Problem('INVALID_REQUEST', `${repeated} was sent more than once; send it once.`);
  }
}

/** Authorization or Host if sent more than once (Node itself keeps only the first); else null. */
function repeatedHeader(rawHeaders: readonly string[]): string | null {
  let authorizations = 0;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // Comparing lengths first is cheap and rules out most headers.
    if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1;
    else if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (authorizations > 1) return 'Authorization';
  return hosts > 1 ? 'Host' : null;
}

/** Rejects a body if the route takes none. Throws INVALID_BODY. */
export function refuseBody(request: IncomingMessage): void {
  if (!hasBody(request)) return;
  throw new Problem('INVALID_BODY', 'This endpoint takes no body.', { headers: { connection: 'close' } });
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || (length !== undefined && length !== '0');
}

/** Bytes of a body that is read of a caller who has reached a limit. */
const SHORT_BODY = 16_384;

/** Whether the head says that the body is short. */
export function hasShortBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding === undefined && Number(length ?? 0) <= SHORT_BODY;
}

function refuseType(type: string, types: readonly BodyType[]): void {
  const essence = type.split(';', 1)[0]?.trim().toLowerCase();
  if (types.some((known) => known === essence)) return;
  const detail = `The body must be sent as Content-Type: ${types.join(' or ')}.`;
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', detail, {
    headers: { connection: 'close', 'accept-post': types.join(', ') },
  });
}

/** Rejects a body of another type, coding or charset. Throws UNSUPPORTED_MEDIA_TYPE. */
export function requireBodyType(
  request: IncomingMessage,
  types: readonly BodyType[] = ['application/json'],
): void {
  const { 'content-encoding': coding = 'identity', 'content-type': type = '' } = request.headers;
  const headers = { connection: 'close', 'accept-encoding': 'identity' };
  if (hasBody(request)) refuseType(type, types);
  if (coding.toLowerCase() !== 'identity') {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent without Content-Encoding.', {
      headers,
    });
  }
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') {
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent in UTF-8.', { headers });
  }
}

const MAX_RANGES = 32;

/** The best of `offered` under an Accept header, the first of equals; null if none is acceptable. */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | null {
  const first = offered[0] ?? null;
  if (accept === undefined || accept.trim() === '' || accept === '*/*' || accept === first) return first;
  const ranges = accept.split(',', MAX_RANGES).map(parseRange);
  let best: string | null = null;
  let highest = 0;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > highest) [best, highest] = [type, quality];
  }
  return best;
}

/** Whether an Accept header accepts a type. */
export const takes = (accept: string | undefined, type: string): boolean =>
  negotiate(accept, [type]) !== null;

/** Whether an Accept header accepts one of the types by name, not by a wildcard. */
export function isNamed(accept: string | undefined, types: readonly string[]): boolean {
  const ranges = accept?.split(',', MAX_RANGES).map(parseRange) ?? [];
  return ranges.some(({ type, quality }) => quality > 0 && types.includes(type));
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return { type, quality: 1 };
  const digits = weight.slice(weight.indexOf('=') + 1).trim();
  // An invalid weight (RFC 9110, 12.4.2) disables the range.
  return { type, quality: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(digits) ? Number(digits) : 0 };
}

/** The most specific matching range decides, so that `text/csv;q=0` beside a wildcard excludes CSV. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const wanted of [type, family, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === wanted);
    if (range !== undefined) return range.quality;
  }
  return 0;
}

/** A method that the URL does not have. `allow`: those that it has. */
export const otherMethod = (allow: string) =>
  new Problem('METHOD_NOT_ALLOWED', `This URL supports ${allow} only.`, { headers: { allow } });

/** HEAD of a page whose data alone has it. */
export function headOfVariantOnly(): Problem {
  const detail = 'This URL supports HEAD only with Accept: application/json.';
  return new Problem('METHOD_NOT_ALLOWED', detail, { headers: { allow: 'GET, OPTIONS' } });
}

/** What the log has of a request whose connection closed before its end. */
export function incomplete(): Problem {
  return new Problem('INVALID_REQUEST', 'The connection closed before the request was complete.');
}
