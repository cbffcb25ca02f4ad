// Handlers of the authorization endpoint: show the consent page, and carry out the decision.

import { type KeyFault, keyPageReply } from '../../access/key-form/key-page.ts';
import {
  type Parameters,
  signParameters,
  verifyParameters,
} from '../../access/key-form/signed-parameters.ts';
import type { Principal, Tiers } from '../../access/tiers/tiers.ts';
import type { RequestContext } from '../../http/frame/route.ts';
import { groupPairs, parsePairs } from '../../http/input/query.ts';
import type { Reply } from '../../http/output/reply.ts';
import { type ClientContext, identifyClient } from '../clients/find-client.ts';
import { isLoopback } from '../clients/redirect-uri.ts';
import { type ConsentContext, type Decision, decide } from '../consents/consent.ts';
import { renderConsent } from '../pages/consent-page.ts';
import { errorReply, keyErrorReply, outcomeReply, redirectReply, wantsJson } from '../pages/replies.ts';
import { ErrorPage, ErrorRedirect, requireSameOrigin } from '../protocol/errors.ts';
import { type AuthorizationRequest, PARAMETERS, parseAuthorizationRequest } from './authorization-request.ts';

export interface AuthorizeContext extends ConsentContext, ClientContext {
  readonly tiers: Tiers;
}

/** The fields of a decision, not yet validated. */
export type DecisionFields = {
  readonly transaction?: string;
  readonly decision?: Decision['decision'];
  readonly api_key?: string;
} & { readonly [name in (typeof PARAMETERS)[number]]?: string | readonly string[] };

type Call = Pick<
  RequestContext<Principal>,
  'url' | 'address' | 'signal' | 'mediaType' | 'requestId' | 'headers'
>;

/** GET: the consent page. */
export function showConsent(context: AuthorizeContext, call: Call): Promise<Reply> {
  return replyToErrors(context, call, async () => {
    const parameters = parseQuery(call.url);
    const request = await parseRequest(context, call, parameters);
    return renderPage(context, request, parameters);
  });
}

/** POST: carries out the decision. */
export function decideConsent(context: AuthorizeContext, call: Call, fields: DecisionFields): Promise<Reply> {
  const { publicUrl } = context;
  return replyToErrors(context, call, async () => {
    requireSameOrigin(call.headers, publicUrl);
    const { parameters, expired } = await parseDecision(context, fields);
    // The client may have changed since the page was shown, so the request is validated again.
    const request = await parseRequest(context, call, parameters);
    const showPage = (fault: KeyFault) => renderPage(context, request, parameters, fault);
    const { decision = 'key', api_key: apiKey = '' } = fields;
    if (expired && decision !== 'deny') {
      if (wantsJson(call.mediaType))
        throw new ErrorPage('invalid_request', 'This page has expired', 'The transaction has expired.');
      const page = await showPage('stale');
      return decision === 'key' ? page : { ...page, status: 400 };
    }
    try {
      const code = await decide(context, request, { decision, apiKey, address: call.address });
      const outcome = code === null ? { error: 'access_denied' } : { code };
      return (wantsJson(call.mediaType) ? outcomeReply : redirectReply)(request, outcome, publicUrl);
    } catch (error) {
      return keyErrorReply(error, call, showPage);
    }
  });
}

async function replyToErrors(
  { publicUrl }: AuthorizeContext,
  call: Call,
  handle: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof ErrorRedirect || error instanceof ErrorPage)
      return errorReply(error, call, publicUrl);
    throw error;
  }
}

function parseRequest(context: AuthorizeContext, caller: Call, parameters: Parameters) {
  const findClient = (id: string) => identifyClient(context, id, caller);
  return parseAuthorizationRequest(parameters, { findClient, publicUrl: context.publicUrl });
}

/** The consent page; with a fault, in the status of the fault. */
async function renderPage(
  { publicUrl, tiers, sharedKeys, clock }: AuthorizeContext,
  { client, redirectUri, scopes, resources }: AuthorizationRequest,
  parameters: Parameters,
  fault: KeyFault | null = null,
): Promise<Reply> {
  const { transaction: key } = await sharedKeys();
  const signed = new Map(PARAMETERS.flatMap((name) => toEntry(name, parameters.get(name) ?? [])));
  const transaction = signParameters(key, signed, clock.now());
  const localOnly = client.kind === 'unregistered' || client.redirectUris.every(isLoopback);
  const view = { publicUrl, tiers, client, redirectUri, scopes, resources, transaction, localOnly, fault };
  return keyPageReply(renderConsent(view), fault, publicUrl);
}

/** The query of a URL. Throws ErrorPage if it cannot be read. */
function parseQuery(url: string): Parameters {
  const mark = url.indexOf('?');
  const pairs = parsePairs(mark < 0 ? '' : url.slice(mark + 1));
  if (pairs === null) throw unreadable();
  return groupPairs(pairs);
}

/** The parameters of a decision: from the signed transaction, or else from the fields themselves. */
async function parseDecision(
  { sharedKeys, clock }: AuthorizeContext,
  fields: DecisionFields,
): Promise<{ readonly parameters: Parameters; readonly expired: boolean }> {
  const { transaction = '' } = fields;
  if (transaction === '') return { parameters: parseFields(fields), expired: false };
  const { transaction: key } = await sharedKeys();
  const verified = verifyParameters(key, transaction, clock.now());
  if (verified !== null) return verified;
  const detail = 'The page was not issued by this service, or was changed. Start again from the app.';
  throw new ErrorPage('invalid_request', 'This page cannot be used', detail);
}

function parseFields(fields: DecisionFields): Parameters {
  const entries = PARAMETERS.flatMap((name) => toEntry(name, [fields[name] ?? []].flat()));
  if (entries.some(([, values]) => values.some((value) => !value.isWellFormed()))) throw unreadable();
  return new Map(entries);
}

function toEntry(name: string, values: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  return values.length === 0 ? [] : [[name, values]];
}

function unreadable(): ErrorPage {
  const detail =
    'The app that sent you here made a mistake: its request is not valid UTF-8, or much too long.';
  return new ErrorPage('invalid_request', 'This request cannot be read', detail);
}
