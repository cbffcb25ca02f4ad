// Upstream responses: what each status means, and JSON that may be anything.

import { LiveError, type LiveFailure } from '../../source.ts';
import { isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import type { UpstreamAnswer } from './transport.ts';

const LONGEST_PAUSE = 3_600_000;

const FAILURES: Readonly<Record<number, LiveFailure>> = {
  401: 'upstream_unauthorized',
  403: 'upstream_unauthorized',
  404: 'not_found_upstream',
  410: 'not_found_upstream',
  429: 'upstream_rate_limited',
  503: 'upstream_unavailable',
};

/** Milliseconds of a Retry-After in either form, an hour at most; `now` is the wall clock. Null without one. */
function retryAfter(answer: Pick<UpstreamAnswer, 'headers'>, now: number): number | null {
  const value = answer.headers['retry-after'];
  if (typeof value !== 'string') return null;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), LONGEST_PAUSE);
}

/** The error that a status stands for; null for a success. Everything unnamed, redirects too, is `fetch_failed`. */
export function refusal(answer: UpstreamAnswer, now: number): LiveError | null {
  if (answer.status >= 200 && answer.status < 300) return null;
  const code = FAILURES[answer.status] ?? 'fetch_failed';
  return new LiveError(code, `The source answered ${answer.status}.`, {
    retryAfter: retryAfter(answer, now),
  });
}

/** The object in a successful answer's body. Some servers say 200 and mean an error. */
export function bodyOf(answer: UpstreamAnswer): UpstreamRecord {
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch (cause) {
    throw new LiveError('parse_failed', 'The source answered with something other than JSON.', { cause });
  }
  if (!isRecord(body)) throw new LiveError('parse_failed', 'The source answered without a record.');
  if (isRecord(body.error))
    throw new LiveError('parse_failed', 'The source answered 200 with an error inside.');
  return body;
}

/** The list in a collection's body. */
export function valuesOf(body: UpstreamRecord): readonly unknown[] {
  const values = body.value;
  if (!Array.isArray(values))
    throw new LiveError('parse_failed', 'The source answered without a list of records.');
  return values;
}
