// Requests to the upstream server, all of which pass here: failures by name, statuses, and JSON that may be anything.

import { type Clock, pause } from '../../../lib/clock.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../lib/outbound.ts';
import { OutboundFailure } from '../../../lib/outbound-failure.ts';
import { parseExactJson } from '../../../lib/parse.ts';
import { LiveError, type LiveFailure, sourceTimeout } from '../../source.ts';
import { isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import { sampleOf } from './sample.ts';

/** Milliseconds. The caller's deadline is in its signal; this bounds what no caller waits for any more. */
const LAST_RESORT = 60_000;
const MAX_RETRY_AFTER = 3_600_000;
const MAX_ERROR_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = /^\ufeff/;

const FAILURES: Readonly<Record<number, LiveFailure>> = {
  401: 'upstream_unauthorized',
  403: 'upstream_unauthorized',
  404: 'not_found_upstream',
  410: 'not_found_upstream',
  429: 'upstream_rate_limited',
  503: 'upstream_unavailable',
};

/** What a request is for: pages, one listing that somebody waits for, photos, or a list of all keys. */
export type RequestKind = 'bulk' | 'live' | 'media' | 'key-sweep';

/** What budgets of requests need to know. */
export interface RequestHooks {
  /** Resolves when the request may be sent; throws the LiveError of one that may not. */
  readonly permit?: (kind: RequestKind, signal: AbortSignal) => Promise<void>;
  /** Called with each answer, whatever its status. `bytes`: of the body, after decompression. */
  readonly observed?: (
    kind: RequestKind,
    answer: {
      readonly status: number;
      readonly bytes: number;
      readonly headers: OutboundAnswer['headers'];
      /** Whether the address for tokens answered, and not the API. */
      readonly isToken: boolean;
    },
  ) => void;
  /** Called with what a request without an answer failed with, and the milliseconds that it took. */
  readonly failed?: (kind: RequestKind, error: unknown, milliseconds: number) => void;
  /** Called with the bytes of each photo, which need not come from this server. */
  readonly fetched?: (bytes: number) => void;
}

export interface UpstreamRequest extends Omit<OutboundRequest, 'deadlineMs'> {
  readonly kind: RequestKind;
  readonly signal: AbortSignal;
  /** Whether it is for a token; default false. */
  readonly isToken?: boolean;
}

interface RequestsOptions extends RequestHooks {
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Milliseconds from one request to the next, but for those of live reads; default none. */
  readonly spacing?: number;
}

/** All requests to one source: permitted, spaced, and none before the time that a Retry-After names. */
export class Requests {
  readonly #options: RequestsOptions;
  /** Monotonic milliseconds. */
  #nextAt = Number.NEGATIVE_INFINITY;
  #blockedUntil = Number.NEGATIVE_INFINITY;
  #blockedBy: LiveFailure = 'upstream_rate_limited';

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Sends one request and reads the whole response, whatever its status. Throws LiveError. */
  async send({ kind, isToken = false, ...request }: UpstreamRequest): Promise<OutboundAnswer> {
    const { outbound, clock, permit, observed, failed } = this.#options;
    this.#requireOpen();
    await this.#space(kind, request.signal);
    // Last, so that the budget counts it when it is sent: another process may send too.
    await permit?.(kind, request.signal);
    const startedAt = clock.monotonic();
    const answer = await sendRequest(outbound, request).catch((error: unknown) => {
      failed?.(kind, error, clock.monotonic() - startedAt);
      throw error;
    });
    const { status, body, headers } = answer;
    observed?.(kind, { status, bytes: body.length, headers, isToken });
    this.#noteRefusal(answer);
    return answer;
  }

  #requireOpen(): void {
    const wait = this.#blockedUntil - this.#options.clock.monotonic();
    if (wait <= 0) return;
    const seconds = Math.ceil(wait / 1_000);
    throw new LiveError(this.#blockedBy, `The source wants no request for ${seconds} s.`, {
      retryAfter: wait,
    });
  }

  async #space(kind: RequestKind, signal: AbortSignal): Promise<void> {
    const { clock, spacing = 0 } = this.#options;
    const now = clock.monotonic();
    const at = kind === 'live' ? now : Math.max(now, this.#nextAt);
    this.#nextAt = Math.max(at, this.#nextAt) + spacing;
    if (at > now) await pause(clock, at - now, signal);
  }

  #noteRefusal({ status, headers }: OutboundAnswer): void {
    if (status !== 429 && status !== 503) return;
    const { clock } = this.#options;
    const wait = parseRetryAfter(headers['retry-after'], clock.now());
    if (wait === null || clock.monotonic() + wait <= this.#blockedUntil) return;
    this.#blockedUntil = clock.monotonic() + wait;
    this.#blockedBy = status === 503 ? 'upstream_unavailable' : 'upstream_rate_limited';
  }
}

async function sendRequest(
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

/** A status that is no success, with the code that the server's own error has; null without one. */
export class RefusedRequest extends LiveError {
  readonly upstreamCode: string | null;

  constructor(code: LiveFailure, upstreamCode: string | null, status: number, retryAfter: number | null) {
    super(code, `The source answered ${status}${upstreamCode === null ? '' : ` (${upstreamCode})`}.`, {
      status,
      retryAfter,
    });
    this.upstreamCode = upstreamCode;
  }
}

/** Throws the LiveError of a status that is no success. Unnamed ones, redirects too, are `fetch_failed`. `now`: wall clock. */
export function requireSuccess({ status, headers, body }: OutboundAnswer, now: number): void {
  if (status >= 200 && status < 300) return;
  const retryAfter = parseRetryAfter(headers['retry-after'], now);
  throw new RefusedRequest(FAILURES[status] ?? 'fetch_failed', errorCodeIn(body), status, retryAfter);
}

/** The code of an error, which servers write as a text or a number, and gateways not at all. */
function errorCodeIn(body: Buffer): string | null {
  if (body.length > MAX_ERROR_BYTES) return null;
  try {
    const { error }: { error?: unknown } = JSON.parse(body.toString('utf8'));
    const code = isRecord(error) ? error.code : null;
    return typeof code === 'number' || (typeof code === 'string' && /^[\w.-]{1,40}$/.test(code))
      ? String(code)
      : null;
  } catch {
    return null;
  }
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
  if (!isRecord(body))
    throw new LiveError('parse_failed', 'The source answered without a record.', { sample: sampleOf(body) });
  if (isRecord(body.error))
    throw new LiveError('parse_failed', 'The source answered 200 with an error inside.', {
      sample: sampleOf(body),
    });
  return body;
}

/** The list in a collection's body. Throws LiveError. */
export function listIn(body: UpstreamRecord): readonly unknown[] {
  if (Array.isArray(body.value)) return body.value;
  throw new LiveError('parse_failed', 'The source answered without a list of records.', {
    sample: sampleOf(body),
  });
}
