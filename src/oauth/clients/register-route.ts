// Route on which clients register themselves (RFC 7591).

import { Type } from 'typebox';
import type { Principal } from '../../access/tiers/principal.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import type { Audit } from '../protocol/audit.ts';
import { oauthErrors, tooManyRequests } from '../protocol/errors.ts';
import { RequestThrottle } from '../protocol/throttle.ts';
import { type ClientContext, ClientRegistry } from './client-registry.ts';
import { parseRegistration } from './registration.ts';

const PER_MINUTE = 60;
const BODY_BYTES = 16_384;

const Uris = Type.Array(Type.String(), {
  description:
    'At most ten redirect URIs: https; http on localhost, 127.0.0.1 or [::1] with any port; or a scheme with a dot.',
});

const ClientMetadata = Type.Object(
  {
    client_name: Type.Optional(
      Type.String({ description: 'Name that the consent page shows, marked as unverified.' }),
    ),
    redirect_uris: Type.Optional(Uris),
  },
  {
    $id: 'ClientMetadata',
    description: 'Client metadata (RFC 7591). Other members are ignored.',
  },
);

const RegisteredClient = Type.Object(
  {
    client_id: Type.String(),
    client_id_issued_at: Type.Integer({ description: 'Unix time in seconds.' }),
    client_id_expires_at: Type.Integer({
      description: 'Unix time in seconds at which the registration expires. Grants outlive it.',
    }),
    client_name: Type.String(),
    redirect_uris: Uris,
    grant_types: Type.Array(Type.String()),
    response_types: Type.Array(Type.String()),
    token_endpoint_auth_method: Type.Literal('none'),
  },
  { $id: 'RegisteredClient', description: 'The registered client.' },
);

export interface RegisterOptions extends ClientContext {
  readonly audit: Audit;
  /** Told of failures that no client hears of. */
  readonly report: (error: unknown) => void;
  /** Registered clients kept. */
  readonly mostClients?: number;
}

/** POST /oauth/register. */
export function registerRoute(options: RegisterOptions): Route<Principal> {
  const { clock, audit } = options;
  const registrar = new ClientRegistry(options, options.report, options.mostClients);
  const throttle = new RequestThrottle(clock, PER_MINUTE);
  return route<Principal>()({
    method: 'POST',
    path: '/oauth/register',
    operation: 'registerClient',
    tag: 'OAuth',
    summary: 'Register a client',
    description: 'Clients are public and get no secret. Apps on the person’s own computer need not register.',
    access: { credentials: 'none', counts: 'nothing' },
    ...{ ownQuery: true, anyAccept: true, bodyBytes: BODY_BYTES },
    body: ClientMetadata,
    errors: oauthErrors('invalid_client_metadata'),
    answer: { status: 201, description: 'The client', schema: RegisteredClient },
    alsoAnswers: { 429: 'Too many registrations from this address.' },
    async handle({ body, address }) {
      const wait = throttle.take(addressGroup(address));
      if (wait > 0) throw tooManyRequests(wait);
      const { about, ...registered } = parseRegistration(body);
      const { id, issuedAt, expiresAt } = await registrar.register({ about, ...registered });
      audit('registered', { client: id });
      const times = { client_id_issued_at: seconds(issuedAt), client_id_expires_at: seconds(expiresAt) };
      const json = { client_id: id, ...times, ...registered, ...about };
      return { status: 201, headers: { 'cache-control': 'no-store' }, json };
    },
  });
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
