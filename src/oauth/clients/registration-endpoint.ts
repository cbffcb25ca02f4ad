// Registration endpoint (POST /oauth/register, RFC 7591): clients register themselves.

import { Type } from 'typebox';
import { createServiceThrottle } from '../../access/limits/request-throttle.ts';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { randomToken } from '../../lib/secrets.ts';
import type { OAuthContext } from '../protocol/context.ts';
import { oauthError, oauthErrors } from '../protocol/errors.ts';
import { requireLowRate } from '../protocol/throttle.ts';
import { LIFETIMES } from '../protocol/tokens.ts';
import { cleanClientName } from './client.ts';
import { evictClients, insertClient } from './client-store.ts';
import { parseRedirectUris } from './redirect-uri.ts';

const REQUESTS_PER_ADDRESS = 60;
const BODY_BYTES = 16_384;
/** Registered clients kept; above, the oldest without a grant are deleted. */
const MAX_CLIENTS = 100_000;
/** How far the number may grow beyond, as a share: counting rows costs more than adding one. */
const SLACK = 0.001;

const Uris = Type.Array(Type.String(), {
  description:
    'At most ten redirect URIs: https; http on localhost, 127.0.0.1 or [::1] with any port; or a scheme with a dot.',
});

const METADATA = 'Client metadata (RFC 7591). Other members are ignored.';

const ClientMetadata = Type.Object(
  {
    client_name: Type.Optional(
      Type.String({ description: 'Name that the consent page shows, marked as unverified.' }),
    ),
    redirect_uris: Type.Optional(Uris),
  },
  { description: METADATA },
);

/** As documented: the error for missing redirect URIs is the handler's. */
const DocumentedMetadata = Type.Object(
  { ...ClientMetadata.properties, redirect_uris: Uris },
  { $id: 'ClientMetadata', description: METADATA },
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

export interface RegistrationContext extends OAuthContext {
  readonly maxClients?: number | undefined;
}

export function registrationRoute(context: RegistrationContext): Route<Principal> {
  const { audit } = context;
  const registry = new ClientRegistry(context);
  const throttle = createServiceThrottle(context, 'oauth-register', REQUESTS_PER_ADDRESS);
  return route<Principal>()({
    method: 'POST',
    path: '/oauth/register',
    operation: 'registerClient',
    tag: 'OAuth',
    summary: 'Register a client',
    description: 'Clients are public and get no secret. Apps on the person’s own computer need not register.',
    access: { credentials: 'none', counts: 'nothing' },
    ownQuery: true,
    anyAccept: true,
    bodyBytes: BODY_BYTES,
    body: ClientMetadata,
    documentedBody: DocumentedMetadata,
    errors: oauthErrors('invalid_client_metadata'),
    answer: { status: 201, description: 'The client', schema: RegisteredClient },
    alsoAnswers: { 429: 'Too many registrations from this address.' },
    async handle({ body, address }) {
      await requireLowRate(throttle, addressGroup(address));
      const { about, ...metadata } = parseMetadata(body);
      const { id, createdAt, expiresAt } = await registry.register({ ...metadata, about });
      audit('registered', { client: id });
      const times = { client_id_issued_at: toSeconds(createdAt), client_id_expires_at: toSeconds(expiresAt) };
      const json = { client_id: id, ...times, ...metadata, ...about };
      return { status: 201, headers: { 'cache-control': 'no-store' }, json };
    },
  });
}

function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

/** Metadata of a client with the names of RFC 7591. */
interface Metadata {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: 'none';
  /** Addresses about the client: stored, never fetched. */
  readonly about: Readonly<Record<string, string>>;
}

const DEFAULT_NAME = 'Unnamed app';
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const ABOUT = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'];
const MAX_URL_LENGTH = 2_048;

/**
 * The metadata to register. All clients are public, so the authentication method is replaced by none; unknown members and
 * grant types are left out. Throws invalid_redirect_uri.
 */
function parseMetadata(metadata: Readonly<Record<string, unknown>>): Metadata {
  const redirectUris = parseRedirectUris(metadata.redirect_uris);
  if (typeof redirectUris === 'string') throw oauthError('invalid_redirect_uri', `${redirectUris}.`);
  return {
    client_name: cleanClientName(metadata.client_name) ?? DEFAULT_NAME,
    redirect_uris: redirectUris,
    grant_types: parseGrantTypes(metadata.grant_types),
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    about: Object.fromEntries(ABOUT.flatMap((name) => aboutEntry(name, metadata[name]))),
  };
}

function parseGrantTypes(requested: unknown): readonly string[] {
  if (!Array.isArray(requested)) return GRANT_TYPES;
  const supported = GRANT_TYPES.filter((type) => requested.includes(type));
  // Nothing is granted without a code, whatever the client says.
  return supported.includes('authorization_code') ? supported : GRANT_TYPES;
}

function aboutEntry(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH) return [];
  const valid = /^https:\/\/[^\s\p{Cc}]+$/u.test(value) && value.isWellFormed() && URL.canParse(value);
  return valid ? [[name, value]] : [];
}

/** Registers clients, and bounds their number. */
class ClientRegistry {
  readonly #context: RegistrationContext;
  readonly #max: number;
  #untilEviction = 0;

  constructor(context: RegistrationContext) {
    this.#context = context;
    this.#max = context.maxClients ?? MAX_CLIENTS;
  }

  /** Throws DATABASE_UNAVAILABLE. */
  async register({ client_name: name, redirect_uris: redirectUris, about }: Metadata) {
    const { database, clock } = this.#context;
    const now = clock.now();
    const times = { createdAt: new Date(now), expiresAt: new Date(now + LIFETIMES.registration) };
    // The prefix distinguishes it from the URL of a client document.
    const client = { id: `client_${randomToken(18)}`, name, redirectUris, about, ...times };
    await database.writeByDeadline((sql, deadline) => insertClient(sql, client, deadline));
    await this.#evict(times.createdAt);
    return client;
  }

  async #evict(now: Date): Promise<void> {
    if (--this.#untilEviction > 0) return;
    this.#untilEviction = Math.max(1, Math.floor(this.#max * SLACK));
    const { database, report } = this.#context;
    await database.write((sql) => evictClients(sql, now, this.#max)).catch(report);
  }
}
