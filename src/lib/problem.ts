// Problems: every error code of the API with its HTTP status, and the error class.

import { redact } from './log.ts';

/** Code -> HTTP status and short title. The page /docs/errors has one entry for each. */
export const PROBLEMS = {
  MISSING_API_KEY: [401, 'Credentials required'],
  INVALID_API_KEY: [401, 'Invalid API key'],
  EXPIRED_API_KEY: [401, 'Subscription ended'],
  INVALID_TOKEN: [401, 'Invalid access token'],
  EXPIRED_TOKEN: [401, 'Expired access token'],
  TIER_RESTRICTED: [403, 'Higher tier required'],
  INSUFFICIENT_SCOPE: [403, 'Scope not granted'],
  ORIGIN_NOT_ALLOWED: [403, 'Origin not allowed'],
  INVALID_REQUEST: [400, 'Malformed request'],
  INVALID_PARAMETER: [400, 'Invalid parameter'],
  INVALID_CURSOR: [400, 'Invalid cursor'],
  INVALID_GEOMETRY: [400, 'Invalid geometry'],
  INVALID_BODY: [400, 'Invalid body'],
  INVALID_SIGNATURE: [400, 'Invalid signature'],
  NOT_FOUND: [404, 'No such resource'],
  LISTING_NOT_FOUND: [404, 'No such listing'],
  PROPERTY_NOT_FOUND: [404, 'No such property'],
  AREA_NOT_FOUND: [404, 'No such area'],
  WATCHER_NOT_FOUND: [404, 'No such watcher'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  NOT_ACCEPTABLE: [406, 'Representation not available'],
  REQUEST_TIMEOUT: [408, 'Request took too long'],
  CONFLICT: [409, 'Conflict with the current state'],
  CURSOR_EXPIRED: [410, 'Cursor too old'],
  PRECONDITION_FAILED: [412, 'Resource has changed'],
  PAYLOAD_TOO_LARGE: [413, 'Body too large'],
  URI_TOO_LONG: [414, 'URL too long'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Body type not supported'],
  IDEMPOTENCY_KEY_REUSED: [422, 'Idempotency key used for another request'],
  RATE_LIMITED: [429, 'Too many requests'],
  QUOTA_EXCEEDED: [429, 'Monthly quota used up'],
  TOO_MANY_STREAMS: [429, 'Too many open streams'],
  HEADERS_TOO_LARGE: [431, 'Headers too large'],
  INTERNAL_ERROR: [500, 'Internal error'],
  // The service cannot answer now: the same request may succeed later.
  SUBSCRIPTIONS_UNAVAILABLE: [503, 'Subscriptions cannot be checked'],
  WEBHOOKS_UNAVAILABLE: [503, 'Webhooks unavailable'],
  DATABASE_UNAVAILABLE: [503, 'Database unavailable'],
  OVERLOADED: [503, 'Service overloaded'],
  SEARCH_LOADING: [503, 'Search is loading'],
  MAINTENANCE: [503, 'Service is under maintenance'],
  SHUTTING_DOWN: [503, 'Service is shutting down'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One invalid parameter (query, path or header name) or member of a body (JSON pointer). */
export interface FieldError {
  readonly parameter?: string;
  readonly pointer?: string;
  readonly detail: string;
  readonly suggestion?: string;
}

interface ProblemOptions {
  readonly errors?: readonly FieldError[];
  /** Response headers, such as Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem document. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** For the log, never for the client. */
  readonly cause?: unknown;
}

/** An error for two audiences: code and detail are public, `cause` is for the log alone. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    [this.status, this.title] = PROBLEMS[code];
    this.code = code;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }
}

/** First words of a detail that continues a sentence about its subject. */
const PREDICATE =
  /^(?:asks|cannot|does|goes|has|holds|is|lies|makes|means|must|names|needs|reaches|repeats|spans|takes|was)\b/;

/** A detail as a sentence about its subject, such as `The parameter limit`, and the suggestion. */
export function faultSentence(
  subject: string,
  { detail, suggestion }: Pick<FieldError, 'detail'> & { readonly suggestion?: string | undefined },
): string {
  const clause = PREDICATE.test(detail) ? `${subject} ${detail}` : `${subject} is not valid: ${detail}`;
  const sentence = /[.?!]$/.test(clause) ? clause : `${clause}.`;
  return suggestion === undefined ? sentence : `${sentence} Did you mean ${suggestion}?`;
}

/** A 400 that names one parameter and the remedy. */
export function invalidParameter(parameter: string, detail: string, suggestion?: string): Problem {
  const error = suggestion === undefined ? { parameter, detail } : { parameter, detail, suggestion };
  return new Problem('INVALID_PARAMETER', faultSentence(`The parameter ${parameter}`, error), {
    errors: [error],
  });
}

/** Whether an error says that the service cannot answer at the moment. */
export const isUnavailable = (error: unknown): boolean => error instanceof Problem && error.status === 503;

/** A 400 about one member of the body, by its JSON pointer. */
export function invalidMember(pointer: string, detail: string, suggestion?: string): Problem {
  const error: FieldError = suggestion === undefined ? { pointer, detail } : { pointer, detail, suggestion };
  return new Problem('INVALID_BODY', faultSentence(`The member ${pointer.slice(1)}`, error), {
    errors: [error],
  });
}

/** The result, or null if the service cannot answer at the moment (503); any other error is thrown. */
export async function nullIfUnavailable<Value>(result: Promise<Value>): Promise<Value | null> {
  try {
    return await result;
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
}

/** Characters of a member's name in a pointer. */
const MAX_NAME_LENGTH = 64;

/** The JSON pointer (RFC 6901) to a member of what `parent` points to; the name is shortened, and redacted if it looks like a secret. */
export function pointerTo(name: string, parent = ''): string {
  const part = redact(name).slice(0, MAX_NAME_LENGTH);
  return `${parent}/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
