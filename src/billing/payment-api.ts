// HTTP API of a payment service: calls within a budget, with a deadline, that give JSON or ProviderUnavailable.

import { ProviderUnavailable } from '../access/tiers/provider.ts';
import { type Clock, pause } from '../lib/clock.ts';
import { createOutbound, type OutboundAnswer } from '../lib/outbound.ts';
import { OutboundFailure } from '../lib/outbound-failure.ts';
import type { CallBudget, Urgency } from './call-budget.ts';

export interface PaymentCall {
  readonly method: 'GET' | 'POST';
  /** Begins with a slash; its parts are encoded. */
  readonly path: string;
  /** Values of a list are repeated under the same name. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** An object is sent as JSON, URLSearchParams as a form. */
  readonly body?: object | URLSearchParams;
  /** Besides those of all calls; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly urgency: Urgency;
  /** Whether it makes or changes something there; default: it only reads, whatever its method. */
  readonly isWrite?: boolean;
}

export interface PaymentAnswer {
  /** 2xx, or a 4xx that says something about what was asked for, such as 404. */
  readonly status: number;
  /** The JSON, unchecked; null for an empty body. */
  readonly body: unknown;
}

/** `limited`: 429. `denied`: 401 or 403, the credentials. `failed`: no connection, 5xx, redirects, no JSON. `late`: no answer in time. `withheld`: not sent. */
export type CallOutcome = 'answered' | 'limited' | 'denied' | 'failed' | 'late' | 'left' | 'withheld';

export interface PaymentApiOptions {
  readonly clock: Clock;
  /** Of all paths, without a slash at its end. */
  readonly apiUrl: string;
  /** Of all calls, with the credentials; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly budget: CallBudget;
  /** Whether something may be made or changed there now; default: always. */
  readonly mayWrite?: (() => boolean) | undefined;
  /** Called for every call that was sent. */
  readonly onCall?: (outcome: CallOutcome, urgency: Urgency) => void;
}

export interface PaymentApi {
  /**
   * Waits for a place of the budget and sends one call; nothing is sent twice. Throws ProviderUnavailable for everything but
   * an answer about what was asked for; its cause is a PaymentApiFailure.
   */
  call(call: PaymentCall): Promise<PaymentAnswer>;
  close(): Promise<void>;
}

/** Why a call has no answer. Names the service and the path, never a header, a query or a body. */
export class PaymentApiFailure extends Error {
  override readonly name = 'PaymentApiFailure';
  readonly outcome: Exclude<CallOutcome, 'answered'>;

  constructor(outcome: Exclude<CallOutcome, 'answered'>, message: string) {
    super(message);
    this.outcome = outcome;
  }
}

/** Milliseconds for one call; whoever waits for a key waits five seconds at most. */
const DEADLINE = 4_000;
const MAX_BYTES = 4 * 2 ** 20;
/** Milliseconds without calls after a 429 that names no time, and the longest that one may name. */
const PAUSE = 1_000;
const MAX_PAUSE = 600_000;

export function createPaymentApi(options: PaymentApiOptions): PaymentApi {
  const { clock, apiUrl, budget, onCall = () => {}, mayWrite = () => true } = options;
  const outbound = createOutbound({ clock });
  const { host } = new URL(apiUrl);
  /** Monotonic time before which the service wants no calls. */
  let pausedUntil = Number.NEGATIVE_INFINITY;

  function requireNoPause(): void {
    const left = pausedUntil - clock.monotonic();
    if (left > 0) throw failure('limited', `${host} wants no calls for another ${Math.ceil(left)} ms`);
  }

  async function send(call: PaymentCall): Promise<PaymentAnswer> {
    const { method, path, signal } = call;
    const answer = await outbound.send({
      method,
      signal,
      url: `${apiUrl}${path}${queryOf(call)}`,
      deadlineMs: DEADLINE,
      maxBytes: MAX_BYTES,
      ...contentOf(call, options.headers),
    });
    const about = `${host} answered ${answer.status} to ${method} ${path}`;
    if (answer.status === 429) {
      pausedUntil = Math.max(pausedUntil, clock.monotonic() + retryAfter(answer, clock.now()));
      throw failure('limited', about);
    }
    if (answer.status === 401 || answer.status === 403) {
      throw failure('denied', `${about}: it does not accept the credentials`);
    }
    if (!isAnswer(answer.status)) throw failure('failed', about);
    return { status: answer.status, body: parseBody(answer.body, about) };
  }

  return {
    async call(call) {
      if (call.isWrite === true && !mayWrite())
        throw failure('withheld', `Nothing is written to ${host} before this restored database is accepted`);
      requireNoPause();
      await budget.reserve(call.urgency, call.signal);
      requireNoPause();
      try {
        const answer = await send(call);
        onCall('answered', call.urgency);
        return answer;
      } catch (error) {
        const unavailable = unavailableFor(error, `${call.method} ${call.path} at ${host}`);
        onCall((unavailable.cause as PaymentApiFailure).outcome, call.urgency);
        throw unavailable;
      }
    },
    close: () => outbound.close(),
  };
}

function failure(outcome: PaymentApiFailure['outcome'], message: string): ProviderUnavailable {
  return new ProviderUnavailable(new PaymentApiFailure(outcome, message));
}

/** Errors of the connection say what they are in their kind; their text may repeat the URL. */
function unavailableFor(error: unknown, call: string): ProviderUnavailable {
  if (error instanceof ProviderUnavailable) return error;
  if (!(error instanceof OutboundFailure)) throw error;
  if (error.kind === 'aborted') return failure('left', `Nobody waits for ${call} any more`);
  if (error.kind === 'timeout') return failure('late', `${call} was not answered in time`);
  return failure('failed', `${call} failed: ${error.kind}`);
}

/** Statuses that are about what was asked for; all others are about the service, the call's form or the moment. */
function isAnswer(status: number): boolean {
  return (status >= 200 && status < 300) || [400, 402, 404, 409, 410, 422].includes(status);
}

function queryOf({ query = {} }: PaymentCall): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of value === undefined ? [] : [value].flat()) parameters.append(name, each);
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

function contentOf({ body, headers }: PaymentCall, common: Readonly<Record<string, string>>) {
  const all = { accept: 'application/json', ...common, ...headers };
  if (body === undefined) return { headers: all };
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    headers: { ...all, 'content-type': type },
    body: isForm ? body.toString() : JSON.stringify(body),
  };
}

function parseBody(bytes: Buffer, about: string): unknown {
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw failure('failed', `${about} with something that is no JSON`);
  }
}

/** Milliseconds of a Retry-After in seconds or as a date. */
function retryAfter({ headers }: OutboundAnswer, now: number): number {
  const text = String(headers['retry-after'] ?? '').trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? PAUSE : Math.min(MAX_PAUSE, Math.max(PAUSE, wait));
}

/** Tries of each page of a long list, and milliseconds before the second one; each further pause is twice as long. */
const PAGE_TRIES = 6;
const FIRST_PAUSE = 1_000;

/** Requests a page again where it cannot be had: one failure among hundreds must not cost them all. */
export async function retryPage<Page>(
  clock: Clock,
  signal: AbortSignal,
  request: () => Promise<Page>,
): Promise<Page> {
  for (let tries = 1; ; tries++) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ProviderUnavailable) || tries >= PAGE_TRIES || signal.aborted) throw error;
      await pause(clock, FIRST_PAUSE * 2 ** (tries - 1), signal);
    }
  }
}
