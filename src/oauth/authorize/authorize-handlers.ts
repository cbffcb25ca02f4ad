// Handlers of the authorization endpoint: the consent page, and the decision that it sends.

import type { Principal, Tiers } from '../../access/tiers/tiers.ts';
import type { RequestContext } from '../../http/frame/route.ts';
import { groupPairs, parsePairs } from '../../http/input/urlencoded.ts';
import type { Reply } from '../../http/output/reply.ts';
import { Problem } from '../../lib/problem.ts';
import { type DocumentFinder, identifyClient } from '../clients/client-registry.ts';
import { type ConsentContext, type Decision, decide } from '../consents/consent.ts';
import type { KeyFault } from '../pages/elements.ts';
import {
  consentReply,
  faultReply,
  keyFaultOf,
  keyProblem,
  outcomeReply,
  redirectReply,
  refusalForPrograms,
  refusalReply,
  wantsJson,
  withHeaders,
} from '../pages/replies.ts';
import { ErrorPage, ErrorRedirect } from '../protocol/errors.ts';
import { type Parameters, requireSameOrigin, signParameters, verifyParameters } from '../protocol/forms.ts';
import { type AuthorizationRequest, PARAMETERS, parseAuthorizationRequest } from './authorization-request.ts';

export interface AuthorizeOptions extends ConsentContext {
  readonly publicUrl: string;
  readonly tiers: Tiers;
  readonly documents: DocumentFinder;
}

/** The fields of a decision, checked for their form only. */
export type DecisionFields = {
  readonly transaction?: string;
  readonly decision?: Decision['decision'];
  readonly api_key?: string;
} & { readonly [name in (typeof PARAMETERS)[number]]?: string | readonly string[] };

type AuthorizeCall = Pick<
  RequestContext<Principal>,
  'url' | 'address' | 'signal' | 'mediaType' | 'requestId' | 'headers'
>;

/** GET: the page on which to decide. */
export function showConsent(options: AuthorizeOptions, call: AuthorizeCall): Promise<Reply> {
  return replyToErrors(options, call, async () => {
    const parameters = parseQuery(call.url);
    const request = await parseRequest(options, call, parameters);
    return renderPage(options, request, parameters);
  });
}

/** POST: carries out what was decided. */
export function decideConsent(
  options: AuthorizeOptions,
  call: AuthorizeCall,
  fields: DecisionFields,
): Promise<Reply> {
  const { publicUrl } = options;
  return replyToErrors(options, call, async () => {
    requireSameOrigin(call.headers, publicUrl);
    const { parameters, expired } = await parseDecision(options, fields);
    const request = await parseRequest(options, call, parameters);
    const { decision = 'key', api_key: apiKey = '' } = fields;
    if (expired && decision !== 'deny') return renewPage(options, call, { request, parameters, decision });
    try {
      const code = await decide(options, request, { decision, apiKey, address: call.address });
      const outcome = code === null ? { error: 'access_denied' } : { code };
      return (wantsJson(call.mediaType) ? outcomeReply : redirectReply)(request, outcome, publicUrl);
    } catch (error) {
      return replyToKeyError(options, call, { request, parameters, error });
    }
  });
}

/** Runs a handler; replies to its errors as a page, a redirect or JSON, as the caller accepts. */
async function replyToErrors(
  { publicUrl }: AuthorizeOptions,
  { mediaType, requestId }: AuthorizeCall,
  handle: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    const refused = error instanceof ErrorRedirect || error instanceof ErrorPage;
    if (!refused) throw error;
    if (wantsJson(mediaType)) return refusalForPrograms(error);
    return error instanceof ErrorRedirect ? faultReply(error, publicUrl) : refusalReply(error, requestId);
  }
}

function parseRequest(options: AuthorizeOptions, { address, signal }: AuthorizeCall, parameters: Parameters) {
  const findClient = (id: string) => identifyClient(options, id, { address, signal });
  return parseAuthorizationRequest(parameters, { findClient, publicUrl: options.publicUrl });
}

async function renderPage(
  options: AuthorizeOptions,
  request: AuthorizationRequest,
  parameters: Parameters,
  fault: KeyFault | null = null,
): Promise<Reply> {
  const { publicUrl, tiers, keys, clock } = options;
  const { transaction: key } = await keys();
  const carried = new Map(PARAMETERS.flatMap((name) => toEntry(name, parameters.get(name) ?? [])));
  const transaction = signParameters(key, carried, clock.now());
  return consentReply(request, { publicUrl, tiers, transaction }, fault);
}

/** The page was open for too long: its request has been checked anew, and the person is asked again. */
async function renewPage(
  options: AuthorizeOptions,
  { mediaType }: AuthorizeCall,
  {
    request,
    parameters,
    decision,
  }: { request: AuthorizationRequest; parameters: Parameters; decision: string },
): Promise<Reply> {
  if (wantsJson(mediaType)) {
    throw new ErrorPage('invalid_request', 'This page has expired', 'The transaction has expired.');
  }
  const reply = await renderPage(options, request, parameters, 'stale');
  return decision === 'key' ? reply : { ...reply, status: 400 };
}

/** A key that is not good leads back to the page, or tells the program; anything else goes its way. */
async function replyToKeyError(
  options: AuthorizeOptions,
  { mediaType }: AuthorizeCall,
  { request, parameters, error }: { request: AuthorizationRequest; parameters: Parameters; error: unknown },
): Promise<Reply> {
  const fault = keyFaultOf(error);
  if (fault === null || !(error instanceof Problem)) throw error;
  if (wantsJson(mediaType)) throw error.status === 401 ? keyProblem(error) : error;
  const wait = error.headers['retry-after'];
  const reply = await renderPage(options, request, parameters, fault);
  return wait === undefined ? reply : withHeaders(reply, { 'retry-after': wait });
}

/** The parameters of an address. Throws AuthorizeRefusal where it cannot be read. */
function parseQuery(url: string): Parameters {
  const mark = url.indexOf('?');
  const pairs = parsePairs(mark < 0 ? '' : url.slice(mark + 1));
  if (pairs === null) throw unreadable();
  return groupPairs(pairs);
}

/** What was sent with a decision: the signed request, or else the parameters themselves. */
async function parseDecision(
  { keys, clock }: AuthorizeOptions,
  fields: DecisionFields,
): Promise<{ readonly parameters: Parameters; readonly expired: boolean }> {
  const { transaction = '' } = fields;
  if (transaction === '') return { parameters: parseFields(fields), expired: false };
  const { transaction: key } = await keys();
  const opened = verifyParameters(key, transaction, clock.now());
  if (opened === null) {
    const detail = 'The page was not issued by this service, or was changed. Start again from the app.';
    throw new ErrorPage('invalid_request', 'This page cannot be used', detail);
  }
  return { parameters: opened.parameters, expired: opened.expired };
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
