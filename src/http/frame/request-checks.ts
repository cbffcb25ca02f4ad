// Checks of a raw request: ambiguous heads, repeated headers, and the form of the body.

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
