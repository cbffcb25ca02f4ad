// Routes of connected apps: lists the apps that have access with a key, and ends that access; a page, or JSON for programs.

import { Type } from 'typebox';
import { createAccountForm, isToRemember, VARY, withHeaders } from '../../access/key-form/account-form.ts';
import { isOwnForm, type KeyFields, type KeyForm } from '../../access/key-form/key-form.ts';
import { type KeyFault, keyPageReply } from '../../access/key-form/key-page.ts';
import type { SharedCounting } from '../../access/limits/shared/shared-counting.ts';
import type { Principal, Scope } from '../../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { type GrantRow, listGrantsOf } from '../../oauth/consents/grant-store.ts';
import {
  authorizeErrors,
  errorReply,
  keyErrorReply,
  keyProblem,
  OFFERED,
  wantsJson,
} from '../../oauth/pages/replies.ts';
import { ErrorPage, requireOwnForm, requireSameOrigin } from '../../oauth/protocol/errors.ts';
import { knownName } from '../../oauth/protocol/explorer-client.ts';
import { pageReply } from '../../page/form-page.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type GrantView, renderGrantList, renderGrantsKeyPage } from './grants-page.ts';

const PATH = '/oauth/grants';
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

export interface GrantPageContext {
  readonly database: Database;
  readonly clock: Clock;
  /** Counts with other processes; null or absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  readonly publicUrl: string;
  readonly keyForm: KeyForm;
  /** Ends a grant of this subscription with its tokens; false if it has no such active grant. */
  endGrant(subscription: string, grant: number): Promise<boolean>;
}

type Call = Pick<RequestContext<Principal>, 'headers' | 'address' | 'mediaType' | 'requestId'>;

/** Grants that a page shows. */
interface GrantList {
  readonly subscription: string;
  readonly proof: string;
  /** Whether the one that the form named was ended; null: none was named. */
  readonly ended: boolean | null;
}

const common = {
  path: PATH,
  tag: 'OAuth',
  access: { credentials: 'none', counts: 'nothing' },
  ownQuery: true,
  anyAccept: true,
  errors: authorizeErrors,
} as const;

/** GET and POST /oauth/grants. Like consent, not open to scripts of other pages. */
export function grantsRoutes(context: GrantPageContext): readonly Route<Principal>[] {
  const define = route<Principal>();
  const form = createAccountForm({ ...context, path: PATH, renderKeyPage: renderGrantsKeyPage });
  return [
    define({
      ...common,
      method: 'GET',
      page: true,
      operation: 'showGrants',
      summary: 'Show the page of connected apps',
      accepts: ['text/html'],
      answer: { description: 'A page that asks for a key.', contentType: 'text/html' },
      handle: (call) =>
        form.open(call, ({ caller, proof }) =>
          listPage(context, { subscription: caller.subscription ?? '', proof, ended: null }),
        ),
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

function keyPage({ publicUrl }: GrantPageContext, fault: KeyFault | null): Reply {
  return withHeaders(keyPageReply(renderGrantsKeyPage(fault), fault, publicUrl), VARY);
}

async function listPage(
  context: GrantPageContext,
  { subscription, proof, ended }: GrantList,
): Promise<Reply> {
  const { database, clock, keyForm } = context;
  const now = new Date(clock.now());
  const grants = (await database.read((sql) => listGrantsOf(sql, subscription, now))).map(toView);
  const done = ended ? 'Access has been ended.' : 'This access had already ended.';
  const notice = ended === null ? null : done;
  return pageReply(200, renderGrantList({ grants, proof, notice, isRemembered: keyForm.cookie.isUsed }));
}

interface Fields extends KeyFields {
  readonly end?: string;
}

async function handleGrants(context: GrantPageContext, call: Call, fields: Fields): Promise<Reply> {
  const { database, clock, publicUrl, keyForm } = context;
  const isForProgram = wantsJson(call.mediaType);
  // Programs send the key itself. A form that a proof opens needs the word of the browser that it is ours.
  const bringsKey = (fields.api_key ?? '').trim() !== '';
  (isForProgram || bringsKey ? requireSameOrigin : requireOwnForm)(call.headers, publicUrl);
  const holder = await keyForm.identify(PATH, fields, call.address);
  if (holder === null) {
    if (!isForProgram) return keyPage(context, 'stale');
    throw keyProblem(new Problem('INVALID_API_KEY', 'The proof is invalid or has expired. Send the key.'));
  }
  const { subscription } = holder;
  const ended = fields.end === undefined ? null : await endGrant(context, subscription, fields.end);
  if (isForProgram) {
    const now = new Date(clock.now());
    const grants = await database.read((sql) => listGrantsOf(sql, subscription, now));
    return { headers: { 'cache-control': 'no-store' }, json: { grants: grants.map(toJson), ended } };
  }
  const proof = await keyForm.signProof(PATH, subscription);
  const page = await listPage(context, { subscription, proof, ended });
  const isRemembered =
    isOwnForm(call.headers, publicUrl) && (await isToRemember(keyForm.cookie, call.headers, holder));
  const cookie = isRemembered ? await keyForm.cookie.remember(subscription) : {};
  return withHeaders(page, { ...VARY, ...cookie });
}

/** A form may send anything as the grant's id. */
async function endGrant(context: GrantPageContext, subscription: string, id: string): Promise<boolean> {
  return /^\d{1,15}$/.test(id) && context.endGrant(subscription, Number(id));
}

function toView({ id, clientId, clientName, scope, tier, createdAt, renewedAt }: GrantRow): GrantView {
  return {
    id: String(id),
    clientId,
    clientName,
    tier,
    scopes: scope.split(' ') as Scope[],
    createdAt: Date.parse(createdAt),
    lastUsedAt: Date.parse(renewedAt),
  };
}

function toJson({ id, clientId, clientName, scope, tier, createdAt, renewedAt }: GrantRow) {
  return {
    id: String(id),
    client_id: clientId,
    client_name: knownName(clientId, clientName),
    scope,
    tier,
    created_at: new Date(createdAt).toISOString(),
    last_used_at: new Date(renewedAt).toISOString(),
  };
}
