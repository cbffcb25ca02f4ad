// Routes of connected apps: which apps have access with a key, and how that ends; a page, or JSON for programs.

import { Type } from 'typebox';
import type { Plan, Principal, Scope } from '../../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
import { Problem } from '../../lib/problem.ts';
import { pageReply } from '../pages/document.ts';
import { KEY_FAULT_STATUS, type KeyFault } from '../pages/elements.ts';
import { renderGrants } from '../pages/grants-page.ts';
import {
  authorizeErrors,
  keyFaultOf,
  keyProblem,
  OFFERED,
  refusalForPrograms,
  refusalReply,
  wantsJson,
  withHeaders,
} from '../pages/replies.ts';
import type { Audit, OAuthMetrics } from '../protocol/audit.ts';
import { ErrorPage } from '../protocol/errors.ts';
import { requireSameOrigin, signParameters, verifyParameters } from '../protocol/forms.ts';
import type { ConsentContext } from './consent.ts';
import { type GrantRow, listGrantsOf } from './grant-store.ts';
import { type Revocation, revokeGrantOf } from './revocation-store.ts';

export interface GrantsOptions extends GrantsContext {
  readonly publicUrl: string;
}

const BODY_BYTES = 16_384;

const GrantsForm = Type.Object({
  api_key: Type.Optional(Type.String({ description: 'The key whose grants to list.' })),
  proof: Type.Optional(Type.String({ description: 'From the page, instead of the key.' })),
  end: Type.Optional(Type.String({ description: 'The id of a grant to end.' })),
});

const Grants = Type.Object(
  {
    grants: Type.Array(
      Type.Object({
        id: Type.String(),
        client_id: Type.String(),
        client_name: Type.Union([Type.String(), Type.Null()]),
        scope: Type.String(),
        tier: Type.String(),
        created_at: Type.String({ format: 'date-time' }),
        last_used_at: Type.String({ format: 'date-time', description: 'Exact to the day.' }),
      }),
    ),
    ended: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether the grant named by `end` was ended; null if none was named.',
    }),
  },
  { $id: 'OAuthGrants', description: 'The apps that have access with a key.' },
);

interface Fields {
  readonly api_key?: string;
  readonly proof?: string;
  readonly end?: string;
}

type GrantsCall = Pick<RequestContext<Principal>, 'headers' | 'address' | 'mediaType' | 'requestId'>;

const common = {
  path: '/oauth/grants',
  tag: 'OAuth',
  access: { credentials: 'none', counts: 'nothing' },
  ...{ ownQuery: true, anyAccept: true, errors: authorizeErrors },
} as const;

/** GET and POST /oauth/grants. Like consent, not open to scripts of other pages. */
export function grantsRoutes(options: GrantsOptions): readonly Route<Principal>[] {
  const define = route<Principal>();
  return [
    define({
      ...common,
      method: 'GET',
      page: true,
      operation: 'showGrants',
      summary: 'Show the page of connected apps',
      accepts: ['text/html'],
      answer: { description: 'A page that asks for a key.', contentType: 'text/html' },
      handle: () => renderKeyPage(options, null),
    }),
    define({
      ...common,
      method: 'POST',
      operation: 'listGrants',
      summary: 'List the grants of a key, or end one',
      description: 'Returns a page, or JSON if Accept asks for it.',
      body: GrantsForm,
      consumes: ['application/x-www-form-urlencoded', 'application/json'],
      bodyBytes: BODY_BYTES,
      accepts: OFFERED,
      answer: { description: 'The remaining grants.', contentType: 'application/json', schema: Grants },
      alsoAnswers: {
        401: 'The key is not valid, or the page has expired.',
        403: 'Another site sent the form.',
        429: 'Too many wrong keys.',
      },
      handle: (call) => answer(options, call, call.body),
    }),
  ];
}

async function answer(options: GrantsOptions, call: GrantsCall, fields: Fields): Promise<Reply> {
  const asJson = wantsJson(call.mediaType);
  try {
    requireSameOrigin(call.headers, options.publicUrl);
    const subscription = await subscriptionOf(options, call, fields);
    if (subscription === null) return stale(options, asJson);
    const ended = fields.end === undefined ? null : await endOwnGrant(options, subscription, fields.end);
    const grants = await listOwnGrants(options, subscription);
    if (asJson) return { headers: NO_STORE, json: { grants: grants.map(toJson), ended } };
    const proof = await proveSubscription(options, subscription);
    return pageReply(200, renderGrants({ step: 'list', grants, proof, notice: noticeOf(ended) }));
  } catch (error) {
    return replyToError(options, call, asJson, error);
  }
}

/** Null where a proof is no longer good. Throws what CheckKey throws, and MISSING_API_KEY. */
async function subscriptionOf(options: GrantsOptions, { address }: GrantsCall, fields: Fields) {
  const { api_key: key = '', proof } = fields;
  if (key.trim() === '' && proof !== undefined) return provenSubscription(options, proof);
  if (key.trim() === '') throw new Problem('MISSING_API_KEY', 'The field api_key is missing.');
  return (await options.checkKey(key, address)).subscription;
}

function replyToError(
  options: GrantsOptions,
  { requestId }: GrantsCall,
  asJson: boolean,
  error: unknown,
): Reply {
  if (error instanceof ErrorPage) return asJson ? refusalForPrograms(error) : refusalReply(error, requestId);
  const fault = keyFaultOf(error);
  if (fault === null || !(error instanceof Problem)) throw error;
  if (asJson) throw error.status === 401 ? keyProblem(error) : error;
  const wait = error.headers['retry-after'];
  const page = renderKeyPage(options, fault);
  return wait === undefined ? page : withHeaders(page, { 'retry-after': wait });
}

function stale(options: GrantsOptions, asJson: boolean): Reply {
  if (!asJson) return renderKeyPage(options, 'stale');
  throw keyProblem(new Problem('INVALID_API_KEY', 'The proof is invalid or has expired. Send the key.'));
}

function renderKeyPage({ publicUrl }: GrantsOptions, fault: KeyFault | null): Reply {
  const status = fault === null ? 200 : KEY_FAULT_STATUS[fault];
  const page = pageReply(status, renderGrants({ step: 'ask', fault }));
  if (status !== 401) return page;
  const metadata = `${publicUrl}/.well-known/oauth-protected-resource`;
  return withHeaders(page, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` });
}

const NO_STORE = { 'cache-control': 'no-store' };

function noticeOf(ended: boolean | null): string | null {
  if (ended === null) return null;
  return ended ? 'Access has been ended.' : 'This access had already ended.';
}

function toJson({ id, clientId, clientName, scopes, tier, since, lastUsedAt }: OwnGrant) {
  return {
    ...{ id, client_id: clientId, client_name: clientName, scope: scopes.join(' '), tier },
    created_at: new Date(since).toISOString(),
    last_used_at: new Date(lastUsedAt).toISOString(),
  };
}

export interface GrantsContext extends Pick<ConsentContext, 'database' | 'clock' | 'checkKey' | 'keys'> {
  readonly audit: Audit;
  readonly metrics: OAuthMetrics;
  readonly onRevoked: (note: Revocation) => void;
}

/** One grant, as its owner sees it. */
export interface OwnGrant {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string | null;
  readonly scopes: readonly Scope[];
  readonly tier: Plan;
  /** Wall-clock milliseconds. */
  readonly since: number;
  /** The same, true to the day. */
  readonly lastUsedAt: number;
}

const SUBSCRIPTION = 'subscription';

const GRANT_ID = /^\d{1,15}$/;

/** A text that stands for a key for ten minutes, at this page alone: the key need not be typed twice, nor be kept. */
export async function proveSubscription(
  { keys, clock }: GrantsContext,
  subscription: string,
): Promise<string> {
  const { grants } = await keys();
  return signParameters(grants, new Map([[SUBSCRIPTION, [subscription]]]), clock.now());
}

/** The subscription that a proof stands for; null where it is none, or its time is over. */
export async function provenSubscription(parts: GrantsContext, proof: string): Promise<string | null> {
  const { grants } = await parts.keys();
  const opened = verifyParameters(grants, proof, parts.clock.now());
  return opened === null || opened.expired ? null : (opened.parameters.get(SUBSCRIPTION)?.[0] ?? null);
}

/** The grants of a subscription that are of use, the newest first, a thousand at most. Throws DATABASE_UNAVAILABLE. */
export async function listOwnGrants(
  { database, clock }: GrantsContext,
  subscription: string,
): Promise<readonly OwnGrant[]> {
  const now = new Date(clock.now());
  const rows = await database.read((sql) => listGrantsOf(sql, subscription, now));
  return rows.map(toOwnGrant);
}

/** Ends one grant of this subscription; false where it has no such grant, or no longer. */
export async function endOwnGrant(parts: GrantsContext, subscription: string, id: string): Promise<boolean> {
  if (!GRANT_ID.test(id)) return false;
  const grant = Number(id);
  const now = new Date(parts.clock.now());
  const ended = await parts.database.write((sql) => revokeGrantOf(sql, subscription, grant, now));
  if (!ended) return false;
  parts.onRevoked(`grant:${grant}`);
  parts.audit('family_revoked', { grant, reason: 'owner_request' });
  parts.metrics.revoked('owner_request');
  return true;
}

function toOwnGrant({ id, clientId, clientName, scope, tier, createdAt, renewedAt }: GrantRow): OwnGrant {
  return {
    ...{ id: String(id), clientId, clientName, tier },
    scopes: scope.split(' ') as Scope[],
    since: Date.parse(createdAt),
    lastUsedAt: Date.parse(renewedAt),
  };
}
