// Route on which clients register themselves (RFC 7591).

import { Type } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { randomToken } from '../../lib/secrets.ts';
import type { Audit } from '../protocol/audit.ts';
import { oauthError, oauthErrors, tooManyRequests } from '../protocol/errors.ts';
import { RequestThrottle } from '../protocol/throttle.ts';
import { CLIENT_LIFETIME } from '../protocol/tokens.ts';
import { cleanClientName } from './client.ts';
import type { ClientContext } from './client-registry.ts';
import { evictClients, insertClient } from './client-store.ts';
import { parseRedirectUris } from './redirect-uri.ts';

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

/** The metadata of a client as it was registered, with the names of RFC 7591. */
export interface Registration {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: 'none';
  /** Addresses about the client: kept, never fetched. */
  readonly about: Readonly<Record<string, string>>;
}

const DEFAULT_NAME = 'Unnamed app';

const GRANT_TYPES = ['authorization_code', 'refresh_token'];

const ABOUT = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'];

const MAX_URL_LENGTH = 2_048;

/**
 * What is registered of the metadata that was sent. Every client is a public one here, so methods of authentication
 * are replaced by none, and unknown members and grant types are left out. Throws invalid_redirect_uri.
 */
export function parseRegistration(metadata: Readonly<Record<string, unknown>>): Registration {
  const redirectUris = parseRedirectUris(metadata.redirect_uris);
  if (typeof redirectUris === 'string') throw oauthError('invalid_redirect_uri', `${redirectUris}.`);
  return {
    client_name: cleanClientName(metadata.client_name) ?? DEFAULT_NAME,
    redirect_uris: redirectUris,
    grant_types: grantTypes(metadata.grant_types),
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    about: Object.fromEntries(ABOUT.flatMap((name) => aboutEntry(name, metadata[name]))),
  };
}

function grantTypes(asked: unknown): readonly string[] {
  if (!Array.isArray(asked)) return GRANT_TYPES;
  const kept = GRANT_TYPES.filter((type) => asked.includes(type));
  // Nothing can be granted here without a code, whatever a client says of itself.
  return kept.includes('authorization_code') ? kept : GRANT_TYPES;
}

function aboutEntry(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH) return [];
  const kept = /^https:\/\/[^\s\p{Cc}]+$/u.test(value) && value.isWellFormed() && URL.canParse(value);
  return kept ? [[name, value]] : [];
}

/** Registered clients kept; above, the oldest to which nothing was granted make room. */
const MAX_CLIENTS = 100_000;

/** How many may be too many before room is made, as a share of the most: counting rows costs more than adding one. */
const SLACK = 0.001;

/** A client just registered. */
export interface RegisteredClient {
  readonly id: string;
  /** Wall-clock milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Registers clients; makes room for them now and then. */
export class ClientRegistry {
  readonly #parts: ClientContext;
  readonly #report: (error: unknown) => void;
  readonly #max: number;
  #untilEviction = 0;

  /** @param report told of failures to make room, which no client hears of */
  constructor(parts: ClientContext, report: (error: unknown) => void, max = MAX_CLIENTS) {
    this.#parts = parts;
    this.#report = report;
    this.#max = max;
  }

  /** Throws DATABASE_UNAVAILABLE. */
  async register({
    client_name: name,
    redirect_uris: redirectUris,
    about,
  }: Registration): Promise<RegisteredClient> {
    const { database, clock } = this.#parts;
    const issuedAt = clock.now();
    // Begins with letters that no address begins with: those are clients of another kind.
    const client = { id: `client_${randomToken(18)}`, issuedAt, expiresAt: issuedAt + CLIENT_LIFETIME };
    const times = { createdAt: new Date(issuedAt), expiresAt: new Date(client.expiresAt) };
    const row = { id: client.id, name, redirectUris, about, ...times };
    await database.writeByDeadline((sql, deadline) => insertClient(sql, row, deadline));
    await this.#evict(issuedAt);
    return client;
  }

  async #evict(now: number): Promise<void> {
    if (--this.#untilEviction > 0) return;
    this.#untilEviction = Math.max(1, Math.floor(this.#max * SLACK));
    const make = this.#parts.database.write((sql) => evictClients(sql, new Date(now), this.#max));
    await make.catch(this.#report);
  }
}
