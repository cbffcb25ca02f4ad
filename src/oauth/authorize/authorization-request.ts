// Authorization request: parsed, and validated by an ordered list of checks.

import type { Parameters } from '../../access/key-form/signed-parameters.ts';
import type { Scope } from '../../access/tiers/tiers.ts';
import type { Client } from '../clients/client.ts';
import { isLoopback, isRegistered } from '../clients/redirect-uri.ts';
import { ErrorPage, ErrorRedirect, type OAuthErrorCode, type ReturnAddress } from '../protocol/errors.ts';
import { parseScopes, resourcesAt, selectResources } from '../protocol/tokens.ts';

const MAX_STATE_LENGTH = 2_048;

/** The parameters that are read; others are ignored. Only `resource` may be repeated. */
export const PARAMETERS = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'resource',
  'prompt',
  'request',
  'request_uri',
] as const;

/** A valid request. */
export interface AuthorizationRequest extends ReturnAddress {
  readonly client: Client;
  readonly state: string;
  readonly codeChallenge: string;
  readonly scopes: readonly Scope[];
  readonly resources: readonly string[];
}

/** Throws ErrorPage until client and redirect URI are known to be valid, and ErrorRedirect from then on. */
export async function parseAuthorizationRequest(
  parameters: Parameters,
  {
    findClient,
    publicUrl,
  }: {
    readonly findClient: (id: string) => Promise<Client>;
    readonly publicUrl: string;
  },
): Promise<AuthorizationRequest> {
  const client = await findClient(required(parameters, 'client_id'));
  const redirectUri = validRedirectUri(client, required(parameters, 'redirect_uri'));
  const state = stateOf(parameters);
  for (const check of CHECKS) {
    const fault = check(parameters, publicUrl);
    if (fault !== null) throw new ErrorRedirect(...fault, { redirectUri, state });
  }
  return {
    client,
    redirectUri,
    state: state ?? '',
    codeChallenge: first(parameters, 'code_challenge') ?? '',
    scopes: parseScopes(first(parameters, 'scope')) ?? [],
    resources: selectResources(resourcesAt(publicUrl), all(parameters, 'resource')) ?? [],
  };
}

type Fault = readonly [error: OAuthErrorCode, description: string];
type Check = (parameters: Parameters, publicUrl: string) => Fault | null;

/** In this order; the first that fails decides the error. */
const CHECKS: readonly Check[] = [
  noRepeatedParameter,
  stateRequired,
  noRequestObject,
  responseTypeCode,
  responseModeQuery,
  codeChallenge,
  codeChallengeMethod,
  availableResources,
  supportedScopes,
  promptAllowed,
];

function noRepeatedParameter(parameters: Parameters): Fault | null {
  const repeated = [...parameters].find(([name, values]) => name !== 'resource' && values.length > 1);
  if (repeated === undefined) return null;
  const name = PARAMETERS.find((own) => own === repeated[0]) ?? 'A parameter';
  return ['invalid_request', `${name} was sent more than once`];
}

function stateRequired(parameters: Parameters): Fault | null {
  const state = first(parameters, 'state');
  if (state === undefined) return ['invalid_request', 'state is missing'];
  if (state.length <= MAX_STATE_LENGTH) return null;
  return ['invalid_request', `state is longer than ${MAX_STATE_LENGTH} characters`];
}

function noRequestObject(parameters: Parameters): Fault | null {
  if (first(parameters, 'request') !== undefined) {
    return ['request_not_supported', 'Send plain parameters, not a request object'];
  }
  if (first(parameters, 'request_uri') === undefined) return null;
  return ['request_uri_not_supported', 'Send plain parameters, not the URL of a request object'];
}

function responseTypeCode(parameters: Parameters): Fault | null {
  const type = first(parameters, 'response_type');
  if (type === undefined) return ['invalid_request', 'response_type is missing; it must be code'];
  return type === 'code' ? null : ['unsupported_response_type', 'response_type must be code'];
}

function responseModeQuery(parameters: Parameters): Fault | null {
  const mode = first(parameters, 'response_mode') ?? 'query';
  return mode === 'query' ? null : ['invalid_request', 'response_mode must be query'];
}

function codeChallenge(parameters: Parameters): Fault | null {
  const challenge = first(parameters, 'code_challenge');
  if (challenge === undefined) return ['invalid_request', 'code_challenge is missing: PKCE is required'];
  if (/^[\w-]{43}$/.test(challenge)) return null;
  return ['invalid_request', 'code_challenge must be the base64url of a SHA-256, which has 43 characters'];
}

function codeChallengeMethod(parameters: Parameters): Fault | null {
  const method = first(parameters, 'code_challenge_method');
  if (method === undefined) return ['invalid_request', 'code_challenge_method is missing; it must be S256'];
  return method === 'S256' ? null : ['invalid_request', 'code_challenge_method must be S256'];
}

function availableResources(parameters: Parameters, publicUrl: string): Fault | null {
  if (selectResources(resourcesAt(publicUrl), all(parameters, 'resource')) !== null) return null;
  return ['invalid_target', `resource must be ${publicUrl} or ${publicUrl}/mcp`];
}

function supportedScopes(parameters: Parameters): Fault | null {
  if (parseScopes(first(parameters, 'scope')) !== null) return null;
  return ['invalid_scope', 'scope contains no known scope'];
}

function promptAllowed(parameters: Parameters): Fault | null {
  const prompts = (first(parameters, 'prompt') ?? '').split(' ');
  return prompts.includes('none') ? ['interaction_required', 'Consent needs a person'] : null;
}

/** The value of a parameter that is needed to redirect at all. */
function required(parameters: Parameters, name: 'client_id' | 'redirect_uri'): string {
  if ((parameters.get(name)?.length ?? 0) > 1) throw malformed(`It sent ${name} more than once.`);
  const value = first(parameters, name);
  if (value === undefined) throw malformed(`It did not send ${name}.`);
  return value;
}

function malformed(fault: string): ErrorPage {
  const detail = `The app that sent you here made a mistake. ${fault} Go back to it, and tell its makers.`;
  return new ErrorPage('invalid_request', 'This request is incomplete', detail);
}

/** The redirect URI, if this client may use it. */
function validRedirectUri(client: Client, redirectUri: string): string {
  if (client.kind === 'unregistered') {
    if (isLoopback(redirectUri)) return redirectUri;
    throw new ErrorPage(
      'invalid_client',
      'Unknown app',
      'The app is not registered, or its registration has expired: registrations last 30 days. Start again from ' +
        'the app, so that it registers again. Only apps on your own computer may be unregistered.',
    );
  }
  const isKnown =
    client.kind === 'own'
      ? // Not even the port may differ: the explorer always runs where the service does.
        client.redirectUris.includes(redirectUri)
      : isRegistered(redirectUri, client.redirectUris);
  if (isKnown) return redirectUri;
  throw new ErrorPage(
    'invalid_request',
    'Invalid redirect',
    'The app sent a redirect_uri that it did not register. Go back to the app, and tell its makers.',
  );
}

function stateOf(parameters: Parameters): string | null {
  const [state, ...more] = parameters.get('state') ?? [];
  return state === undefined || state === '' || more.length > 0 || state.length > MAX_STATE_LENGTH
    ? null
    : state;
}

/** The first value of a parameter that is not empty. */
function first(parameters: Parameters, name: (typeof PARAMETERS)[number]): string | undefined {
  return parameters.get(name)?.find((value) => value !== '');
}

function all(parameters: Parameters, name: (typeof PARAMETERS)[number]): readonly string[] {
  return (parameters.get(name) ?? []).filter((value) => value !== '');
}
