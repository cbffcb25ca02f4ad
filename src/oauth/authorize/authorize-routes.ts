// Routes of the authorization endpoint: GET shows the consent page, POST takes the decision.

import { Type } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { authorizeErrors, OFFERED } from '../pages/replies.ts';
import { type AuthorizeContext, decideConsent, showConsent } from './authorize-handlers.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

/** What every request has; whoever shows the page needs all of them. */
const REQUIRED = {
  response_type: Type.String({ description: '`code`.' }),
  client_id: Type.String({
    description:
      'The id of a registered client, the https URL of a client metadata document, or any name for an app on ' +
      'the person’s own computer.',
  }),
  redirect_uri: Type.String({
    description:
      'Where the response is sent. Unregistered clients may only use localhost and loopback addresses.',
  }),
  code_challenge: Type.String({ description: 'Base64url of the SHA-256 of the verifier (PKCE).' }),
  code_challenge_method: Type.String({ description: '`S256`.' }),
  state: Type.String({ description: 'Random; returned unchanged. At most 2,048 characters.' }),
};
/** Those with one value, as documented: the handler refuses others in the way of OAuth. */
const CONSTANT = {
  response_type: Type.Unsafe<string>({ type: 'string', enum: ['code'] }),
  code_challenge_method: Type.Unsafe<string>({ type: 'string', enum: ['S256'] }),
};
const OPTIONAL = {
  scope: text('Separated by spaces. Default: all scopes.'),
  response_mode: text('`query`.'),
  prompt: text('`none` is refused: consent always needs a person.'),
};
const resource = Type.Union([Type.String(), Type.Array(Type.String())], {
  description: 'What the token is for (RFC 8707): the API, the MCP endpoint, or both. Default: both.',
});

/** Documentation only: the handler validates, because OAuth prescribes how errors are reported. */
const Query = Type.Object({
  ...REQUIRED,
  ...CONSTANT,
  ...OPTIONAL,
  resource: Type.Optional(Type.Array(Type.String(), { separator: null })),
});

const DECISION = 'A decision, and the authorization request that it answers.';

const DecisionBody = Type.Object(
  {
    transaction: text('From the page; with it, the other request parameters are ignored.'),
    decision: Type.Optional(
      Type.Enum(['key', 'free', 'deny'], {
        description: 'Default: `key`. Takes precedence over a key in the same request.',
      }),
    ),
    api_key: text('The key whose subscription the client may use.'),
    ...Type.Partial(Type.Object(REQUIRED)).properties,
    ...OPTIONAL,
    request: text('Not supported.'),
    request_uri: text('Not supported.'),
    resource: Type.Optional(resource),
  },
  { description: DECISION },
);

/** As every program can send it: with a list of resources. */
const DocumentedDecision = Type.Object(
  {
    ...DecisionBody.properties,
    ...Type.Partial(Type.Object(CONSTANT)).properties,
    resource: Query.properties.resource,
  },
  { $id: 'AuthorizationDecision', description: DECISION },
);

const Decided = Type.Object(
  {
    redirect_to: Type.String({ format: 'uri' }),
    code: Type.Optional(Type.String({ description: 'The code; exchange it within five minutes.' })),
    error: Type.Optional(Type.String({ description: '`access_denied` if the decision was `deny`.' })),
    state: Type.String(),
    iss: Type.String({ format: 'uri' }),
  },
  { $id: 'AuthorizationOutcome', description: 'The parameters that the redirect would carry.' },
);

const common = {
  path: '/oauth/authorize',
  tag: 'OAuth',
  access: { credentials: 'none', counts: 'nothing' },
  ownQuery: true,
  anyAccept: true,
  errors: authorizeErrors,
} as const;

const BODY_BYTES = 65_536;

/** GET and POST /oauth/authorize. Neither is open to scripts of other pages. */
export function authorizeRoutes(context: AuthorizeContext): readonly Route<Principal>[] {
  const define = route<Principal>();
  return [
    define({
      ...common,
      method: 'GET',
      operation: 'showConsent',
      summary: 'Show the consent page',
      description: 'Send the person’s browser here. Changes nothing: the decision is a POST to the same URL.',
      query: Query,
      accepts: ['text/html'],
      answer: { description: 'The consent page.', contentType: 'text/html' },
      alsoAnswers: { 303: 'An error, reported to the client by redirect.' },
      handle: (call) => showConsent(context, call),
    }),
    define({
      ...common,
      method: 'POST',
      operation: 'decideConsent',
      summary: 'Decide',
      description:
        'Sent by the page, or by a program with the parameters of the request. Returns JSON if Accept asks for it.',
      body: DecisionBody,
      documentedBody: DocumentedDecision,
      consumes: ['application/x-www-form-urlencoded', 'application/json'],
      bodyBytes: BODY_BYTES,
      accepts: OFFERED,
      answer: { description: 'Decided.', contentType: 'application/json', schema: Decided },
      alsoAnswers: {
        303: 'Decided: the redirect carries the code or error to the client.',
        401: 'The key is not valid.',
        403: 'Another site sent the form.',
        429: 'Too many wrong keys, or grants without a key.',
      },
      handle: (call) => decideConsent(context, call, call.body),
    }),
  ];
}
