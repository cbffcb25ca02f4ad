// Requests to the upstream server: failures by name, statuses, and JSON that may be anything.

import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../lib/outbound.ts';
import { OutboundFailure } from '../../../lib/outbound-failure.ts';
import { parseExactJson } from '../../../lib/parse.ts';
import { LiveError, type LiveFailure, sourceTimeout } from '../../source.ts';
import { isRecord, type UpstreamRecord } from '../mapping/decode.ts';

/** Milliseconds. The caller's deadline is in its signal; this bounds what no caller waits for any more. */
const LAST_RESORT = 60_000;
const MAX_RETRY_AFTER = 3_600_000;
const BYTE_ORDER_MARK = /^\ufeff/;

const FAILURES: Readonly<Record<number, LiveFailure>> = {
  401: 'upstream_unauthorized',
  403: 'upstream_unauthorized',
  404: 'not_found_upstream',
  410: 'not_found_upstream',
  429: 'upstream_rate_limited',
  503: 'upstream_unavailable',
};

/** Sends one request and reads the whole response, whatever its status. Throws LiveError. */
export async function sendRequest(
  outbound: Outbound,
  request: Omit<OutboundRequest, 'deadlineMs'>,
): Promise<OutboundAnswer> {
  try {
    return await outbound.send({ ...request, deadlineMs: LAST_RESORT });
  } catch (cause) {
    const kind = cause instanceof OutboundFailure ? cause.kind : null;
    if (kind === 'timeout' || kind === 'aborted') throw sourceTimeout({ cause });
    if (kind === 'too_large')
      throw new LiveError('parse_failed', 'The source answered with more than it may.', { cause });
    if (kind === 'malformed')
      throw new LiveError('parse_failed', 'The source answered with something that cannot be read.', {
        cause,
      });
    throw new LiveError('fetch_failed', 'The source could not be reached, or broke off.', { cause });
  }
}

/** Throws the LiveError of a status that is no success. Unnamed ones, redirects too, are `fetch_failed`. `now`: wall clock. */
export function requireSuccess({ status, headers }: OutboundAnswer, now: number): void {
  if (status >= 200 && status < 300) return;
  const code = FAILURES[status] ?? 'fetch_failed';
  throw new LiveError(code, `The source answered ${status}.`, {
    status,
    retryAfter: parseRetryAfter(headers['retry-after'], now),
  });
}

/** Milliseconds of a Retry-After in either form, an hour at most. Null without one. */
function parseRetryAfter(value: string | string[] | undefined, now: number): number | null {
  if (typeof value !== 'string') return null;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), MAX_RETRY_AFTER);
}

/** The object in a successful response's body. Some servers say 200 and mean an error. Throws LiveError. */
export function parseBody(response: OutboundAnswer, now: number): UpstreamRecord {
  requireSuccess(response, now);
  let body: unknown;
  try {
    // Keys of 64 bits keep their digits, as texts.
    body = parseExactJson(response.body.toString('utf8').replace(BYTE_ORDER_MARK, ''));
  } catch (cause) {
    throw new LiveError('parse_failed', 'The source answered with something other than JSON.', { cause });
  }
  if (!isRecord(body)) throw new LiveError('parse_failed', 'The source answered without a record.');
  if (isRecord(body.error))
    throw new LiveError('parse_failed', 'The source answered 200 with an error inside.');
  return body;
}

/** The list in a collection's body. Throws LiveError. */
export function listIn({ value }: UpstreamRecord): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new LiveError('parse_failed', 'The source answered without a list of records.');
}
