// Replies of the authorization and grants endpoints: a redirect, a page, or JSON for programs.

import { type KeyFault, keyFaultOf } from '../../access/key-form/key-page.ts';
import { negotiate } from '../../http/frame/request-head.ts';
import type { ErrorForm } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
import { Problem } from '../../lib/problem.ts';
import { type ErrorPageView, pageHeaders, pageReply, renderErrorPage } from '../../page/form-page.ts';
import {
  describable,
  ErrorPage,
  type ErrorRedirect,
  oauthDocument,
  oauthError,
  oauthErrors,
  type ReturnAddress,
} from '../protocol/errors.ts';

const JSON_TYPE = 'application/json';
const NO_STORE = { 'cache-control': 'no-store' };

/** What the endpoints return; JSON only if Accept names it. */
export const OFFERED = ['text/html', JSON_TYPE] as const;

export function wantsJson(mediaType: string): boolean {
  return mediaType === JSON_TYPE;
}

/** Parameters of an authorization response. */
export type Outcome =
  | { readonly code: string }
  | { readonly error: string; readonly error_description?: string };

/** The redirect to the client, with the parameters added to those of the redirect URI. */
export function redirectTo({ redirectUri, state }: ReturnAddress, outcome: Outcome, issuer: string): string {
  const added = { ...outcome, ...(state !== null && { state }), iss: issuer };
  const query = Object.entries(added).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const joint = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
  return `${redirectUri}${joint}${query.join('&')}`;
}

/** 303: the browser follows with GET and without a body, whatever it sent here. */
export function redirectReply(to: ReturnAddress, outcome: Outcome, issuer: string): Reply {
  return { status: 303, headers: { location: redirectTo(to, outcome, issuer), ...NO_STORE } };
}

/** The same for a program that sends the decision itself and follows no redirect. */
export function outcomeReply(to: ReturnAddress, outcome: Outcome, issuer: string): Reply {
  const json = { redirect_to: redirectTo(to, outcome, issuer), ...outcome, state: to.state, iss: issuer };
  return { headers: NO_STORE, json };
}

interface Caller {
  readonly mediaType: string;
  readonly requestId: string;
}

/** Replies to an error as JSON, by a redirect, or on a page. */
export function errorReply(
  error: ErrorPage | ErrorRedirect,
  { mediaType, requestId }: Caller,
  issuer: string,
): Reply {
  const description = describable(error.message);
  const isPage = error instanceof ErrorPage;
  const status = isPage ? error.status : 400;
  const retryAfter = isPage && error.retryAfter !== null ? { 'retry-after': String(error.retryAfter) } : {};
  if (wantsJson(mediaType)) {
    const json = { error: error.error, error_description: description };
    return { status, headers: { ...NO_STORE, ...retryAfter }, json };
  }
  if (!isPage) return redirectReply(error.to, { error: error.error, error_description: description }, issuer);
  const page = renderError({ title: error.title, detail: error.message, requestId });
  return withHeaders(pageReply(status, page), retryAfter);
}

/** Replies to a key that was not accepted: by `keyPage`, or as JSON. Throws any other error again. */
export async function keyErrorReply(
  error: unknown,
  { mediaType }: Caller,
  keyPage: (fault: KeyFault) => Reply | Promise<Reply>,
): Promise<Reply> {
  const fault = keyFaultOf(error);
  if (fault === null || !(error instanceof Problem)) throw error;
  if (wantsJson(mediaType)) throw error.status === 401 ? keyProblem(error) : error;
  const retryAfter = error.headers['retry-after'];
  return withHeaders(await keyPage(fault), retryAfter === undefined ? {} : { 'retry-after': retryAfter });
}

/** A rejected key as an OAuth error; `problem` is the code that the rest of the API uses. */
export function keyProblem({ code, headers, message }: Problem): Problem {
  return oauthError('access_denied', message, { code, headers, members: { problem: code } });
}

function withHeaders(reply: Reply, headers: Readonly<Record<string, string>>): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** Errors outside the handlers: those of the frame, and unexpected ones. */
export const authorizeErrors: ErrorForm = {
  write({ problem, requestId, request, headers }) {
    const { status, json } = oauthDocument(problem);
    if (negotiate(request.accept, OFFERED) === JSON_TYPE) return { headers, status, json };
    const detail = `${problem.message} Go back to the app and start again.`;
    const text =
      status >= 500 ? renderUnavailable(requestId) : renderError({ title: problem.title, detail, requestId });
    return { status, text, headers: { ...headers, ...pageHeaders() } };
  },
  answers: oauthErrors().answers,
  content: { 'text/html': { type: 'string' }, ...oauthErrors().content },
};

/** An error page. It links nowhere: the redirect URI may be an attacker's. */
export function renderError(view: Omit<ErrorPageView, 'path' | 'closing'>): string {
  return renderErrorPage({
    ...view,
    // All pages of the authorization server are at this depth.
    path: '/oauth/authorize',
    closing: 'Nothing has changed, and no access was given. You can close this page.',
  });
}

export function renderUnavailable(requestId?: string): string {
  return renderError({
    title: 'Not possible at the moment',
    detail:
      'The service cannot do this at the moment. Wait a minute, go back in your browser, and try again. If that ' +
      'fails, start again from the app.',
    ...(requestId !== undefined && { requestId }),
  });
}
