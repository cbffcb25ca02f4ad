// Owns what the authorization endpoint does: reads the request, has it judged, and has the decision carried out.

import type { Principal } from '../../access/tiers/principal.ts';
import type { Tiers } from '../../access/tiers/tiers.ts';
import type { Call, Reply } from '../../http/frame/route.ts';
import { groupPairs, parsePairs } from '../../http/input/urlencoded.ts';
import { Problem } from '../../lib/problem.ts';
import { type DocumentFinder, identifyClient } from '../clients/find-client.ts';
import { type ConsentParts, type Decision, decide } from '../consents/consent.ts';
import type { KeyFault } from '../pages/key-field.ts';
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
import { AuthorizeFault, AuthorizeRefusal } from '../protocol/authorization-errors.ts';
import { refuseForeignPage } from '../protocol/same-origin.ts';
import { openTransaction, type Parameters, sealTransaction } from '../protocol/transaction.ts';
import { type AuthorizationRequest, PARAMETERS, readRequest } from './authorization-request.ts';

export interface AuthorizeOptions extends ConsentParts {
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

type Asking = Pick<Call<Principal>, 'url' | 'address' | 'signal' | 'mediaType' | 'requestId' | 'headers'>;

/** GET: the page on which to decide. */
export function show(options: AuthorizeOptions, call: Asking): Promise<Reply> {
  return told(options, call, async () => {
    const asked = queryOf(call.url);
    const request = await judged(options, call, asked);
    return page(options, request, asked);
  });
}

/** POST: carries out what was decided. */
export function take(options: AuthorizeOptions, call: Asking, fields: DecisionFields): Promise<Reply> {
  const { publicUrl } = options;
  return told(options, call, async () => {
    refuseForeignPage(call.headers, publicUrl);
    const { asked, stale } = await sent(options, fields);
    const request = await judged(options, call, asked);
    const { decision = 'key', api_key: apiKey = '' } = fields;
    if (stale && decision !== 'deny') return askAgain(options, call, { request, asked, decision });
    try {
      const code = await decide(options, request, { decision, apiKey, address: call.address });
      const outcome = code === null ? { error: 'access_denied' } : { code };
      return (wantsJson(call.mediaType) ? outcomeReply : redirectReply)(request, outcome, publicUrl);
    } catch (error) {
      return keyRefused(options, call, { request, asked, error });
    }
  });
}

/** Runs a handler; what it refuses is told in the way that whoever asks understands. */
async function told(
  { publicUrl }: AuthorizeOptions,
  { mediaType, requestId }: Asking,
  handle: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    const refused = error instanceof AuthorizeFault || error instanceof AuthorizeRefusal;
    if (!refused) throw error;
    if (wantsJson(mediaType)) return refusalForPrograms(error);
    return error instanceof AuthorizeFault ? faultReply(error, publicUrl) : refusalReply(error, requestId);
  }
}

function judged(options: AuthorizeOptions, { address, signal }: Asking, asked: Parameters) {
  const findClient = (id: string) => identifyClient(options, id, { address, signal });
  return readRequest(asked, { findClient, publicUrl: options.publicUrl });
}

async function page(
  options: AuthorizeOptions,
  request: AuthorizationRequest,
  asked: Parameters,
  fault: KeyFault | null = null,
): Promise<Reply> {
  const { publicUrl, tiers, keys, clock } = options;
  const { transaction: key } = await keys();
  const kept = new Map(PARAMETERS.flatMap((name) => entryOf(name, asked.get(name) ?? [])));
  const transaction = sealTransaction(key, kept, clock.now());
  return consentReply(request, { publicUrl, tiers, transaction }, fault);
}

/** The page stood open for too long: what was asked is judged anew, and the person asked again. */
async function askAgain(
  options: AuthorizeOptions,
  { mediaType }: Asking,
  { request, asked, decision }: { request: AuthorizationRequest; asked: Parameters; decision: string },
): Promise<Reply> {
  if (wantsJson(mediaType)) {
    throw new AuthorizeRefusal('invalid_request', 'This page has expired', 'The transaction has expired.');
  }
  const again = await page(options, request, asked, 'stale');
  return decision === 'key' ? again : { ...again, status: 400 };
}

/** A key that is not good leads back to the page, or tells the program; anything else goes its way. */
async function keyRefused(
  options: AuthorizeOptions,
  { mediaType }: Asking,
  { request, asked, error }: { request: AuthorizationRequest; asked: Parameters; error: unknown },
): Promise<Reply> {
  const fault = keyFaultOf(error);
  if (fault === null || !(error instanceof Problem)) throw error;
  if (wantsJson(mediaType)) throw error.status === 401 ? keyProblem(error) : error;
  const wait = error.headers['retry-after'];
  const shown = await page(options, request, asked, fault);
  return wait === undefined ? shown : withHeaders(shown, { 'retry-after': wait });
}

/** The parameters of an address. Throws AuthorizeRefusal where it cannot be read. */
function queryOf(url: string): Parameters {
  const mark = url.indexOf('?');
  const pairs = parsePairs(mark < 0 ? '' : url.slice(mark + 1));
  if (pairs === null) throw unreadable();
  return groupPairs(pairs);
}

/** What was sent with a decision: the signed request, or else the parameters themselves. */
async function sent(
  { keys, clock }: AuthorizeOptions,
  fields: DecisionFields,
): Promise<{ readonly asked: Parameters; readonly stale: boolean }> {
  const { transaction = '' } = fields;
  if (transaction === '') return { asked: fieldsOf(fields), stale: false };
  const { transaction: key } = await keys();
  const opened = openTransaction(key, transaction, clock.now());
  if (opened === null) {
    const detail = 'The page was not issued by this service, or was changed. Start again from the app.';
    throw new AuthorizeRefusal('invalid_request', 'This page cannot be used', detail);
  }
  return { asked: opened.parameters, stale: opened.stale };
}

function fieldsOf(fields: DecisionFields): Parameters {
  const entries = PARAMETERS.flatMap((name) => entryOf(name, [fields[name] ?? []].flat()));
  if (entries.some(([, values]) => values.some((value) => !value.isWellFormed()))) throw unreadable();
  return new Map(entries);
}

function entryOf(name: string, values: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  return values.length === 0 ? [] : [[name, values]];
}

function unreadable(): AuthorizeRefusal {
  const detail =
    'The app that sent you here made a mistake: its request is not valid UTF-8, or much too long.';
  return new AuthorizeRefusal('invalid_request', 'This request cannot be read', detail);
}
