// Errors of the client: one class for each thing that a program does about them.

import type { Problem } from './generated/types.gen.ts';

export type Fault = NonNullable<Problem['errors']>[number];
/** Codes of problem documents, and what the client itself finds; `OAUTH_ERROR`: the message begins with its code. */
export type ErrorCode = Problem['code'] | 'OAUTH_ERROR' | 'CONNECTION_FAILED' | 'TIMEOUT' | 'UNKNOWN';

/** Whatever goes wrong with a request. */
export class FreeholdError extends Error {
  readonly code: ErrorCode;
  /** HTTP status; null: there was no answer. */
  readonly status: number | null;
  readonly requestId: string | null;
  readonly faults: readonly Fault[];
  /** Seconds; null: the answer names no time. */
  readonly retryAfter: number | null;
  /** Where this code is documented; null: nowhere. */
  readonly docs: string | null;

  constructor(message: string, code: ErrorCode, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.faults = details.faults ?? [];
    this.retryAfter = details.retryAfter ?? null;
    this.docs = details.docs ?? null;
  }

  /** What to do about it. */
  get remedy(): string {
    if (this.retryAfter !== null) return `Try again in ${this.retryAfter} seconds.`;
    const meant = this.faults.flatMap(({ suggestion }) => (suggestion === undefined ? [] : [suggestion]));
    return meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : this.message;
  }
}

type ErrorDetails = Partial<
  Pick<FreeholdError, 'status' | 'requestId' | 'faults' | 'retryAfter' | 'docs' | 'cause'>
>;

/** The key or token is missing, wrong or at its end. */
export class AuthenticationError extends FreeholdError {}
/** The key is valid, and its plan or scopes do not include this. */
export class PermissionError extends FreeholdError {}
/** The request cannot be understood; `faults` names its parts. */
export class InvalidRequestError extends FreeholdError {}
export class NotFoundError extends FreeholdError {}
/** Something else was written meanwhile, or the key of a repeat was used for another request. */
export class ConflictError extends FreeholdError {}
/** Events after the cursor are no longer kept: begin again without one, and read what you watch once more. */
export class CursorExpiredError extends FreeholdError {}
/** A limit of the plan is reached. */
export class RateLimitError extends FreeholdError {}
/** The service cannot answer at the moment. */
export class UnavailableError extends FreeholdError {}
/** There was no answer, or it broke off. */
export class ConnectionError extends FreeholdError {}
/** There was no answer in time. */
export class TimeoutError extends ConnectionError {}

const CLASSES: Readonly<Record<number, typeof FreeholdError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: CursorExpiredError,
  412: ConflictError,
  429: RateLimitError,
};

// Written out, since bundlers shorten the names of classes.
const NAMED = {
  FreeholdError,
  AuthenticationError,
  PermissionError,
  InvalidRequestError,
  NotFoundError,
  ConflictError,
  CursorExpiredError,
  RateLimitError,
  UnavailableError,
  ConnectionError,
  TimeoutError,
};
for (const [name, kind] of Object.entries(NAMED)) kind.prototype.name = name;

type Refusal = Partial<Problem> & { readonly error?: string; readonly error_description?: string };

/** The error that an answer other than 2xx is. Reads its body. */
export async function errorOf(response: Response): Promise<FreeholdError> {
  const { status, headers } = response;
  const problem = parse(await response.text().catch(() => ''));
  const { error, error_description: reason = 'the authorization server gives no reason' } = problem;
  const kind = CLASSES[status] ?? (status >= 500 ? UnavailableError : InvalidRequestError);
  const message = error === undefined ? `The service answered ${status}` : `${error}: ${reason}`;
  const code = problem.code ?? (error === undefined ? 'UNKNOWN' : 'OAUTH_ERROR');
  return new kind(problem.detail ?? message, code, {
    status,
    requestId: problem.requestId ?? headers.get('x-request-id'),
    faults: problem.errors ?? [],
    retryAfter: secondsOf(headers.get('retry-after')),
    docs: problem.type ?? null,
  });
}

function parse(text: string): Refusal {
  try {
    return JSON.parse(text) as Refusal;
  } catch {
    return {};
  }
}

function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

/** The error for a request without an answer: its own if it is one, what the caller aborted with, else a broken connection. */
export function withoutAnswer(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (cause instanceof FreeholdError || signal?.aborted) return cause;
  if (cause instanceof Error && cause.name === 'TimeoutError')
    return new TimeoutError('The service did not answer in time', 'TIMEOUT', { cause });
  return new ConnectionError('The connection failed', 'CONNECTION_FAILED', { cause });
}
