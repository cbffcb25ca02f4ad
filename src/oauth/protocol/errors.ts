// OAuth errors: as JSON with `error` and `error_description`, as a page, or as a redirect to the client.

import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { isOwnForm, isSameOrigin } from '../../access/key-form/key-form.ts';
import type { ErrorForm } from '../../http/frame/route.ts';
import { Problem, type ProblemCode } from '../../lib/problem.ts';

const ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'invalid_client_metadata',
  'invalid_redirect_uri',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'interaction_required',
  'request_not_supported',
  'request_uri_not_supported',
  'access_denied',
  'temporarily_unavailable',
  'server_error',
] as const;
export type OAuthErrorCode = (typeof ERRORS)[number];

/** The service's own code for an error, which decides its status; default INVALID_REQUEST (400). */
const CODES: { readonly [error in OAuthErrorCode]?: ProblemCode } = {
  invalid_client: 'INVALID_TOKEN',
  access_denied: 'INVALID_API_KEY',
  temporarily_unavailable: 'SUBSCRIPTIONS_UNAVAILABLE',
  server_error: 'INTERNAL_ERROR',
};

/** An error of a JSON endpoint. `code` gives it another status; `members` are added to the document. */
export function oauthError(
  error: OAuthErrorCode,
  description: string,
  options: {
    readonly code?: ProblemCode;
    readonly headers?: Readonly<Record<string, string>>;
    readonly members?: Readonly<Record<string, unknown>>;
    readonly cause?: unknown;
  } = {},
): Problem {
  const { code = CODES[error] ?? 'INVALID_REQUEST', members, ...rest } = options;
  return new Problem(code, description, { ...rest, members: { error, ...members } });
}

const OAuthErrorSchema = Type.Object(
  {
    error: Type.Enum([...ERRORS], { description: 'OAuth error code, for programs.' }),
    error_description: Type.String({ description: 'Explanation for people, with the remedy.' }),
  },
  { $id: 'OAuthError', description: 'An error of an OAuth endpoint (RFC 6749, section 5.2).' },
);

/** Status and JSON document of a problem at an OAuth endpoint. `malformed`: the error for a body that cannot be read. */
export function oauthDocument(
  problem: Problem,
  malformed: OAuthErrorCode = 'invalid_request',
): { readonly status: number; readonly json: Readonly<Record<string, unknown>> } {
  const { error = errorOf(problem, malformed), ...members } = problem.members;
  const json = { error, error_description: describable(problem.message), ...members };
  // The RFCs know only one status for a body that cannot be read.
  return { status: problem.status === 415 ? 400 : problem.status, json };
}

/** Errors of a JSON endpoint. `malformed`: the error for a body that cannot be read. */
export function oauthErrors(malformed: OAuthErrorCode = 'invalid_request'): ErrorForm {
  return {
    write: ({ problem, headers }) => ({ headers, ...oauthDocument(problem, malformed) }),
    answers: {
      400: 'The request is invalid; `error` says why.',
      413: 'The body is too large.',
      500: 'Something went wrong in the service.',
      503: 'A dependency does not answer at the moment; try again later.',
    },
    content: { 'application/json': OAuthErrorSchema },
  };
}

/** The OAuth error for a problem of the HTTP frame. */
function errorOf({ status }: Problem, malformed: OAuthErrorCode): OAuthErrorCode {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  if (status >= 500) return 'server_error';
  if (status === 401) return 'invalid_client';
  return [400, 413, 415].includes(status) ? malformed : 'invalid_request';
}

/** The text in the characters allowed in a description (OAuth 2.1, section 3.2.4): ASCII without quotes and backslash. */
export function describable(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^ !#-[\]-~]/g, '?');
}

/** The client or its redirect URI is not valid, so the person sees a page instead of being redirected. */
export class ErrorPage extends Error {
  override readonly name = 'ErrorPage';
  readonly error: OAuthErrorCode;
  readonly title: string;
  readonly status: 400 | 403 | 429 | 503;
  /** Seconds; null where waiting does not help. */
  readonly retryAfter: number | null;

  constructor(
    error: OAuthErrorCode,
    title: string,
    detail: string,
    options: {
      readonly status?: 403 | 429 | 503;
      readonly retryAfter?: number | null;
      readonly cause?: unknown;
    } = {},
  ) {
    const { status = 400, retryAfter = null, ...rest } = options;
    super(detail, rest);
    this.error = error;
    this.title = title;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Throws ErrorPage if the browser says that another site sent the form. */
export function requireSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): void {
  if (!isSameOrigin(headers, publicUrl)) throw foreignForm();
}

/** The same for the form of a page that a cookie opens: the browser has to say where it comes from. */
export function requireOwnForm(headers: IncomingHttpHeaders, publicUrl: string): void {
  if (!isOwnForm(headers, publicUrl)) throw foreignForm();
}

function foreignForm(): ErrorPage {
  const detail =
    'Another site sent this form. Start again from the app, and decide on the page of this service.';
  return new ErrorPage('invalid_request', 'Not decided here', detail, { status: 403 });
}

/** Where the authorization response goes, once client and redirect URI are valid. */
export interface ReturnAddress {
  readonly redirectUri: string;
  /** As sent; null: none, or one that cannot be returned. */
  readonly state: string | null;
}

/** The authorization request is invalid; a redirect reports it to the client. */
export class ErrorRedirect extends Error {
  override readonly name = 'ErrorRedirect';
  readonly error: OAuthErrorCode;
  readonly to: ReturnAddress;

  constructor(error: OAuthErrorCode, description: string, to: ReturnAddress) {
    super(description);
    this.error = error;
    this.to = to;
  }
}
