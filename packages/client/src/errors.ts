// Errors of the client: one class for each thing that a program does about them.

import type { Problem } from './generated/types.gen.ts';

export type Fault = NonNullable<Problem['errors']>[number];
/** Codes of problem documents, and what the client itself finds; `OAUTH_ERROR`: the message begins with its code. */
export type ErrorCode = Problem['code'] | 'OAUTH_ERROR' | 'CONNECTION_FAILED' | 'TIMEOUT' | 'UNKNOWN';

export interface ErrorParts {
  readonly code: ErrorCode;
  /** HTTP status; null: there was no answer. */
  readonly status: number | null;
  readonly requestId: string | null;
  readonly faults: readonly Fault[];
  /** Seconds; null: the answer names no time. */
  readonly retryAfter: number | null;
  /** Where this code is documented; null: nowhere. */
  readonly docs: string | null;
  readonly cause?: unknown;
}

/** Whatever goes wrong with a request. */
export class FreeholdError extends Error implements ErrorParts {
  override name = this.constructor.name;
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly faults: readonly Fault[];
  readonly retryAfter: number | null;
  readonly docs: string | null;

  constructor(message: string, parts: ErrorParts) {
    super(message, { cause: parts.cause });
    this.code = parts.code;
    this.status = parts.status;
    this.requestId = parts.requestId;
    this.faults = parts.faults;
    this.retryAfter = parts.retryAfter;
    this.docs = parts.docs;
  }

  /** What to do about it. */
  get remedy(): string {
    if (this.retryAfter !== null) return `Try again in ${this.retryAfter} seconds.`;
    const meant = this.faults.flatMap(({ suggestion }) => (suggestion === undefined ? [] : [suggestion]));
    return meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : this.message;
  }
}

/** The key or token is missing, wrong or at its end. */
export class AuthenticationError extends FreeholdError {}
/** The key is valid, and its plan or scopes do not include this. */
export class PermissionError extends FreeholdError {}
/** The request cannot be understood; `faults` names its parts. */
export class InvalidRequestError extends FreeholdError {}
export class NotFoundError extends FreeholdError {}
/** Something else was written meanwhile, or the key of a repeat was used for another request. */
export class ConflictError extends FreeholdError {}
/** Events after the cursor are no longer kept: begin again without one, and read what you watch anew. */
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

function classOf(status: number): typeof FreeholdError {
  return CLASSES[status] ?? (status >= 500 ? UnavailableError : InvalidRequestError);
}

/** The error that an answer other than 2xx is. Reads its body. */
export async function errorOf(response: Response): Promise<FreeholdError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const problem = parse(text);
  const { error, error_description: description } = problem;
  const kind = classOf(status);
  const oauth =
    error === undefined ? null : `${error}: ${description ?? 'the authorization server gives no reason'}`;
  return new kind(problem.detail ?? oauth ?? `The service answered ${status}`, {
    code: problem.code ?? (oauth === null ? 'UNKNOWN' : 'OAUTH_ERROR'),
    status,
    requestId: problem.requestId ?? headers.get('x-request-id'),
    faults: problem.errors ?? [],
    retryAfter: secondsOf(headers.get('retry-after')),
    docs: problem.type ?? null,
  });
}

type Refusal = Partial<Problem> & { readonly error?: string; readonly error_description?: string };

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
export function withoutAnswer(cause: unknown, callerSignal: AbortSignal | undefined): unknown {
  if (cause instanceof FreeholdError || callerSignal?.aborted) return cause;
  const isLate = cause instanceof Error && cause.name === 'TimeoutError';
  const kind = isLate ? TimeoutError : ConnectionError;
  return new kind(isLate ? 'The service did not answer in time' : 'The connection failed', {
    code: isLate ? 'TIMEOUT' : 'CONNECTION_FAILED',
    status: null,
    requestId: null,
    faults: [],
    retryAfter: null,
    docs: null,
    cause,
  });
}
