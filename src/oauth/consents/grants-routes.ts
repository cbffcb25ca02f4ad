// Routes of connected apps: lists the apps that have access with a key, and ends that access; a page, or JSON for programs.

import { Type } from 'typebox';
import type { Principal, Scope } from '../../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
import { Problem } from '../../lib/problem.ts';
import { pageReply } from '../pages/document.ts';
import type { KeyFault } from '../pages/elements.ts';
import { type GrantView, renderGrantList, renderGrantsKeyPage } from '../pages/grants-page.ts';
import {
  authorizeErrors,
  errorReply,
  keyErrorReply,
  keyPageReply,
  keyProblem,
  OFFERED,
  wantsJson,
} from '../pages/replies.ts';
import { announceRevocation } from '../protocol/context.ts';
import { ErrorPage } from '../protocol/errors.ts';
import { requireSameOrigin, signParameters, verifyParameters } from '../protocol/forms.ts';
import type { ConsentContext } from './consent.ts';
import { type GrantRow, listGrantsOf, revokeGrantOf } from './grant-store.ts';

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

type Call = Pick<RequestContext<Principal>, 'headers' | 'address' | 'mediaType' | 'requestId'>;

const common = {
  path: '/oauth/grants',
  tag: 'OAuth',
  access: { credentials: 'none', counts: 'nothing' },
  ...{ ownQuery: true, anyAccept: true, errors: authorizeErrors },
} as const;

/** GET and POST /oauth/grants. Like consent, not open to scripts of other pages. */
export function grantsRoutes(context: ConsentContext): readonly Route<Principal>[] {
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
      handle: () => keyPage(context, null),
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
      handle: (call) =>
        handleGrants(context, call, call.body).catch((error: unknown) => {
          if (error instanceof ErrorPage) return errorReply(error, call, context.publicUrl);
          return keyErrorReply(error, call, (fault) => keyPage(context, fault));
        }),
    }),
  ];
}

function keyPage({ publicUrl }: ConsentContext, fault: KeyFault | null): Reply {
  return keyPageReply(renderGrantsKeyPage(fault), fault, publicUrl);
}

interface Fields {
  readonly api_key?: string;
  readonly proof?: string;
  readonly end?: string;
}

async function handleGrants(context: ConsentContext, call: Call, fields: Fields): Promise<Reply> {
  const { database, clock, publicUrl } = context;
  requireSameOrigin(call.headers, publicUrl);
  const subscription = await resolveSubscription(context, call, fields);
  if (subscription === null) {
    if (!wantsJson(call.mediaType)) return keyPage(context, 'stale');
    throw keyProblem(new Problem('INVALID_API_KEY', 'The proof is invalid or has expired. Send the key.'));
  }
  const ended = fields.end === undefined ? null : await endGrant(context, subscription, fields.end);
  const now = new Date(clock.now());
  const grants = await database.read((sql) => listGrantsOf(sql, subscription, now));
  if (wantsJson(call.mediaType))
    return { headers: { 'cache-control': 'no-store' }, json: { grants: grants.map(toJson), ended } };
  const proof = await signProof(context, subscription);
  const notice = ended ? 'Access has been ended.' : 'This access had already ended.';
  const page = renderGrantList(grants.map(toView), proof, ended === null ? null : notice);
  return pageReply(200, page);
}

/** Null for a proof that is invalid or has expired. Throws what CheckKey throws, and MISSING_API_KEY. */
async function resolveSubscription(
  context: ConsentContext,
  { address }: Call,
  { api_key: key = '', proof }: Fields,
): Promise<string | null> {
  if (key.trim() === '' && proof !== undefined) return verifyProof(context, proof);
  if (key.trim() === '') throw new Problem('MISSING_API_KEY', 'The field api_key is missing.');
  return (await context.checkKey(key, address)).subscription;
}

const SUBSCRIPTION = 'subscription';

/** Replaces the key on this page for ten minutes, so that it need not be entered again, or stored. */
async function signProof({ sharedKeys, clock }: ConsentContext, subscription: string): Promise<string> {
  const { grants } = await sharedKeys();
  return signParameters(grants, new Map([[SUBSCRIPTION, [subscription]]]), clock.now());
}

/** The subscription of a proof; null if it is invalid or has expired. */
async function verifyProof({ sharedKeys, clock }: ConsentContext, proof: string): Promise<string | null> {
  const { grants } = await sharedKeys();
  const verified = verifyParameters(grants, proof, clock.now());
  return verified === null || verified.expired ? null : (verified.parameters.get(SUBSCRIPTION)?.[0] ?? null);
}

/** Ends one grant of this subscription; false if it has no such active grant. */
async function endGrant(context: ConsentContext, subscription: string, id: string): Promise<boolean> {
  if (!/^\d{1,15}$/.test(id)) return false;
  const grant = Number(id);
  const now = new Date(context.clock.now());
  const ended = await context.database.write((sql) => revokeGrantOf(sql, subscription, grant, now));
  if (ended) announceRevocation(context, { grant, reason: 'owner_request' });
  return ended;
}

function toView({ id, clientId, clientName, scope, tier, createdAt, renewedAt }: GrantRow): GrantView {
  return {
    ...{ id: String(id), clientId, clientName, tier },
    scopes: scope.split(' ') as Scope[],
    createdAt: Date.parse(createdAt),
    lastUsedAt: Date.parse(renewedAt),
  };
}

function toJson({ id, clientId, clientName, scope, tier, createdAt, renewedAt }: GrantRow) {
  return {
    ...{ id: String(id), client_id: clientId, client_name: clientName, scope, tier },
    created_at: new Date(createdAt).toISOString(),
    last_used_at: new Date(renewedAt).toISOString(),
  };
}
