// Owns the checks that a request passes before anything of it is used: is it one request, said once?

import type { IncomingMessage } from 'node:http';
import { Problem } from '../lib/problem.ts';

const LONGEST_URL = 8192;

/** Refuses what different readers could understand differently. Throws INVALID_REQUEST or URI_TOO_LONG. */
export function refuseMalformed(request: IncomingMessage): void {
  const url = request.url ?? '';
  if (url.length > LONGEST_URL) {
    throw new Problem('URI_TOO_LONG', `The address is longer than ${LONGEST_URL} characters.`);
  }
  if (url.includes('#')) {
    throw new Problem('INVALID_REQUEST', 'The address has a fragment; write # as %23 in a value.');
  }
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    throw new Problem('INVALID_REQUEST', 'The header Host is missing.');
  }
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new Problem('INVALID_REQUEST', 'Of Expect only 100-continue is understood.');
  }
  if (countHeader(request.rawHeaders, 'authorization') > 1) {
    throw new Problem('INVALID_REQUEST', 'Authorization was sent more than once; send it once.');
  }
  if (countHeader(request.rawHeaders, 'host') > 1) {
    throw new Problem('INVALID_REQUEST', 'Host was sent more than once; send it once.');
  }
}

/** How often a header was sent: Node itself keeps only the first of some. `name` in lower case. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at];
    if (sent?.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}

/** Refuses a body where the route reads none. Throws INVALID_BODY. */
export function refuseBody(request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && (length === undefined || length === '0')) return;
  throw new Problem('INVALID_BODY', 'This endpoint takes no body.', { headers: { connection: 'close' } });
}

/** Refuses a body in a coding or charset that nobody here undoes. Throws UNSUPPORTED_MEDIA_TYPE. */
export function refuseCoding(request: IncomingMessage): void {
  const { 'content-encoding': coding = 'identity', 'content-type': type = '' } = request.headers;
  const headers = { connection: 'close', 'accept-encoding': 'identity' };
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
