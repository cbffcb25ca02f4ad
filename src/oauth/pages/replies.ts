// Replies of the authorization and grants endpoints: a redirect, a page, or JSON for programs.

import type { Tiers } from '../../access/tiers/tiers.ts';
import type { ErrorForm } from '../../http/frame/route.ts';
import { negotiate } from '../../http/input/accept.ts';
import type { Reply } from '../../http/output/reply.ts';
import { Problem } from '../../lib/problem.ts';
import { html } from '../../page/html.ts';
import type { Client } from '../clients/client.ts';
import { isLoopback } from '../clients/redirect-uri.ts';
import {
  describable,
  ErrorPage,
  type ErrorRedirect,
  oauthDocument,
  oauthError,
  oauthErrors,
  type ReturnAddress,
} from '../protocol/errors.ts';
import { type ConsentView, renderConsent } from './consent-page.ts';
import { PAGE_HEADERS, pageReply, renderDocument } from './document.ts';
import { KEY_FAULT_STATUS, type KeyFault } from './elements.ts';

const JSON_TYPE = 'application/json';
/** What the endpoint can answer with; JSON only for whoever asks for it by name. */
export const OFFERED = ['text/html', JSON_TYPE] as const;

export function wantsJson(mediaType: string): boolean {
  return mediaType === JSON_TYPE;
}

/** What the client is handed: a code, or the word that it was denied. */
export type Outcome =
  | { readonly code: string }
  | { readonly error: string; readonly error_description?: string };

/** The redirect to the client. The parameters come after those that the redirect has of its own. */
export function redirectTo({ redirectUri, state }: ReturnAddress, outcome: Outcome, issuer: string): string {
  const added = { ...outcome, ...(state !== null && { state }), iss: issuer };
  const query = Object.entries(added).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const joint = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?';
  return `${redirectUri}${joint}${query.join('&')}`;
}

/** 303: whatever the browser sent here, it asks there with GET and without a body. */
export function redirectReply(to: ReturnAddress, outcome: Outcome, issuer: string): Reply {
  const location = redirectTo(to, outcome, issuer);
  return { status: 303, headers: { location, 'cache-control': 'no-store' } };
}

/** The same for a program that sent the decision itself and follows no redirect. */
export function outcomeReply(to: ReturnAddress, outcome: Outcome, issuer: string): Reply {
  const json = { redirect_to: redirectTo(to, outcome, issuer), ...outcome, state: to.state, iss: issuer };
  return { headers: { 'cache-control': 'no-store' }, json };
}

/** A fault that the client is told of. */
export function faultReply({ error, message, to }: ErrorRedirect, issuer: string): Reply {
  return redirectReply(to, { error, error_description: describable(message) }, issuer);
}

/** A refusal that nobody but the person at the browser is told of. */
export function refusalReply({ title, message, status, retryAfter }: ErrorPage, requestId: string): Reply {
  const page = pageReply(status, renderRefusal({ title, detail: message, requestId }));
  return retryAfter === null ? page : withHeaders(page, { 'retry-after': String(retryAfter) });
}

/** What a client asks a person for. */
export interface ConsentRequest extends Pick<ConsentView, 'redirectUri' | 'scopes' | 'resources'> {
  readonly client: Client;
}

export interface ConsentContext {
  readonly publicUrl: string;
  readonly tiers: Tiers;
  readonly transaction: string;
}

/** The page on which a person decides; with a fault, in the status of that. */
export function consentReply(
  { client, redirectUri, scopes, resources }: ConsentRequest,
  context: ConsentContext,
  fault: KeyFault | null = null,
): Reply {
  const localOnly = client.kind === 'unregistered' || client.redirectUris.every(isLoopback);
  const view = { ...context, client, redirectUri, localOnly, scopes, resources, fault };
  const status = fault === null ? 200 : KEY_FAULT_STATUS[fault];
  const page = pageReply(status, renderConsent(view));
  if (status !== 401) return page;
  const metadata = `${context.publicUrl}/.well-known/oauth-protected-resource`;
  return withHeaders(page, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
}

export function withHeaders(reply: Reply, headers: Readonly<Record<string, string>>): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** What the page says beside the key field about a problem with the key; null for any other problem. */
export function keyFaultOf(error: unknown): KeyFault | null {
  return error instanceof Problem ? (KEY_FAULTS[error.code] ?? null) : null;
}

const KEY_FAULTS: Readonly<Record<string, KeyFault>> = {
  MISSING_API_KEY: 'missing',
  INVALID_API_KEY: 'invalid',
  EXPIRED_API_KEY: 'expired',
  RATE_LIMITED: 'throttled',
  OVERLOADED: 'unavailable',
  SUBSCRIPTIONS_UNAVAILABLE: 'unavailable',
};

/** What was refused, as a program is told of it. */
export function refusalForPrograms(refusal: ErrorPage | ErrorRedirect): Reply {
  const { error, message } = refusal;
  const [status, retryAfter] =
    refusal instanceof ErrorPage ? [refusal.status, refusal.retryAfter] : [400, null];
  return {
    status,
    headers: {
      'cache-control': 'no-store',
      ...(retryAfter !== null && { 'retry-after': String(retryAfter) }),
    },
    json: { error, error_description: describable(message) },
  };
}

/** A key that is not good, as a program is told of it: `problem` is the code that the rest of the API uses. */
export function keyProblem({ code, headers, message }: Problem): Problem {
  return oauthError('access_denied', message, { code, headers, members: { problem: code } });
}

/** Errors of the endpoint that its handlers did not foresee, and those of the frame: a page, or JSON. */
export const authorizeErrors: ErrorForm = {
  write({ problem, requestId, request, headers }) {
    if (negotiate(request.accept, OFFERED) === JSON_TYPE) return { headers, ...oauthDocument(problem) };
    const { status } = oauthDocument(problem);
    const detail = `${problem.message} Go back to the app and start again.`;
    const text =
      status >= 500
        ? renderUnavailable(requestId)
        : renderRefusal({ title: problem.title, detail, requestId });
    return { status, text, headers: { ...headers, ...PAGE_HEADERS } };
  },
  answers: oauthErrors().answers,
  content: { 'text/html': { type: 'string' }, ...oauthErrors().content },
};

export interface RefusalView {
  /** What is wrong, as a heading: `This app is not known here`. */
  readonly title: string;
  /** Sentences: what happened, and what to do next. Escaped; addresses in it stay text. */
  readonly detail: string;
  /** X-Request-Id, to be quoted to the operator. */
  readonly requestId?: string;
}

/** A request that cannot be answered by a redirect, because nobody knows whether the redirect is good. */
export function renderRefusal({ title, detail, requestId }: RefusalView): string {
  return renderDocument({
    title,
    content: html`<h1>${title}</h1><p class="lead">${detail}</p>
<p>Nothing has changed, and no access was given. You can close this page.</p>
${requestId === undefined ? null : html`<p class="hint">If you ask for help, quote <code>${requestId}</code>.</p>`}`,
  });
}

/** The service cannot decide at the moment. */
export function renderUnavailable(requestId?: string): string {
  return renderRefusal({
    title: 'Not possible at the moment',
    detail:
      'The service cannot do this at the moment. Wait a minute, go back in your browser, and try again. If that ' +
      'fails, start again from the app.',
    ...(requestId !== undefined && { requestId }),
  });
}
