// Requests to the upstream server: failures by name, statuses, and JSON that may be anything.

import { type Outbound, OutboundFailure } from '../../../lib/outbound.ts';
import { LiveError, type LiveFailure } from '../../source.ts';
import { isRecord, type UpstreamRecord } from '../mapping/decode.ts';

export interface UpstreamRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of the answer, counted unpacked. */
  readonly largest: number;
  readonly signal: AbortSignal;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The signal carries the caller's deadline; this only bounds what no one waits for any more. */
const LAST_RESORT = 60_000;

/** Sends one request and reads the whole answer, whatever its status. Throws LiveError. */
export async function exchange(
  outbound: Outbound,
  { largest, ...outgoing }: UpstreamRequest,
): Promise<UpstreamAnswer> {
  try {
    const { status, headers, body } = await outbound.send({
      ...outgoing,
      deadlineMs: LAST_RESORT,
      maxBytes: largest,
    });
    return { status, headers, text: body.toString('utf8') };
  } catch (cause) {
    throw named(cause);
  }
}

function named(cause: unknown): LiveError {
  switch (cause instanceof OutboundFailure ? cause.kind : null) {
    case 'timeout':
    case 'aborted':
      return new LiveError('timeout', 'The source did not answer in time.', { cause });
    case 'too_large':
      return new LiveError('parse_failed', 'The source answered with more than it may.', { cause });
    case 'malformed':
      return new LiveError('parse_failed', 'The source answered with something that cannot be read.', {
        cause,
      });
    default:
      return new LiveError('fetch_failed', 'The source could not be reached, or broke off.', { cause });
  }
}

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
