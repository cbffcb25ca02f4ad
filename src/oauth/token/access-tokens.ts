// Verifier of access tokens: each is looked up once, then cached until it expires or is revoked.

import { LRUCache } from 'lru-cache';
import type { CredentialVerifier } from '../../access/keys/identify.ts';
import type { CredentialAttempt } from '../../access/limits/failure-throttle.ts';
import type { Principal, Scope } from '../../access/tiers/tiers.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { SingleFlight } from '../../lib/single-flight.ts';
import type { Database } from '../../postgres/client/database.ts';
import { ANY_REVOCATION, type Revocation } from '../consents/revocation-store.ts';
import { hashSecret, isSecret } from '../protocol/tokens.ts';
import { RevocationFeed } from './revocation-feed.ts';
import { type AccessTokenRow, findAccessToken } from './token-store.ts';

const MAX_CACHED = 50_000;
/** A longer credential is none of ours, and is not looked at. */
const MAX_LENGTH = 4_096;

export interface AccessTokensOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The resource served: a token has to be meant for it. */
  readonly resource: string;
  /** Told of failures that no client hears of. */
  readonly report: (error: unknown) => void;
}

interface CachedToken {
  readonly principal: Principal;
  readonly grant: number;
  /** Monotonic: a wall clock that jumps moves no expiry. */
  readonly validUntil: number;
}

export class AccessTokens implements CredentialVerifier {
  readonly #options: AccessTokensOptions;
  readonly #revocations: RevocationFeed;
  readonly #flights = new SingleFlight<CachedToken>();
  /** By hash: the tokens themselves are kept nowhere. */
  readonly #cache: LRUCache<string, CachedToken>;
  readonly #byGrant = new Map<number, Set<string>>();

  constructor(options: AccessTokensOptions) {
    this.#options = options;
    this.#cache = new LRUCache({ max: MAX_CACHED, dispose: ({ grant }, hash) => this.#unlink(grant, hash) });
    const onRevoked = (note: Revocation) => this.#invalidate(note);
    this.#revocations = new RevocationFeed({ ...options, onRevoked });
  }

  /** Whatever is no API key is judged as a token: those who judge keys are asked first. */
  matches(): boolean {
    return true;
  }

  /**
   * Throws INVALID_TOKEN or EXPIRED_TOKEN; RATE_LIMITED before the database is asked on behalf of an address that has
   * sent too many bad ones; DATABASE_UNAVAILABLE.
   */
  verify(credential: string, attempt: CredentialAttempt): Principal | Promise<Principal> {
    if (credential.length > MAX_LENGTH) throw invalid();
    const hash = hashSecret(credential);
    const known = this.#cache.get(hash);
    if (known === undefined) {
      if (!isSecret('at', credential)) throw invalid();
      return this.#verifyUncached(hash, attempt);
    }
    return this.#revocations.current() ? this.#principal(known) : this.#verifyUncertain(hash, attempt);
  }

  /** Something was revoked by this process, which need not wait to hear of it. */
  revoked(note: Revocation): void {
    this.#revocations.tell(note);
  }

  /** Stops listening for revocations. */
  close(): Promise<void> {
    return this.#revocations.close();
  }

  #principal({ principal, validUntil }: CachedToken): Principal {
    if (this.#options.clock.monotonic() >= validUntil) throw expired();
    return principal;
  }

  /** A known token may have been revoked unheard. */
  async #verifyUncertain(hash: string, attempt: CredentialAttempt): Promise<Principal> {
    await this.#revocations.catchUp();
    const known = this.#cache.get(hash);
    return known === undefined ? this.#verifyUncached(hash, attempt) : this.#principal(known);
  }

  async #verifyUncached(hash: string, attempt: CredentialAttempt): Promise<Principal> {
    // Who joins a question that is under way asks nobody: only its first asker takes a place of the throttle. A reader
    // that comes after a revocation must not join a look from before it.
    const flight = `${this.#revocations.generation} ${hash}`;
    if (!this.#flights.has(flight)) attempt.begin();
    return this.#principal(await this.#flights.run(flight, null, () => this.#load(hash)));
  }

  async #load(hash: string): Promise<CachedToken> {
    const { generation } = this.#revocations;
    const { clock, database, resource } = this.#options;
    const [now, sentAt] = [clock.now(), clock.monotonic()];
    const row = await database.read((sql) => findAccessToken(sql, hash), { planned: 'once' });
    const refusal = refusalOf(row, resource, now);
    if (row === undefined || refusal !== null) throw refusal ?? invalid();
    const validUntil = sentAt + Date.parse(row.expiresAt) - now;
    const known: CachedToken = { principal: principalOf(row), grant: row.grant, validUntil };
    if (generation === this.#revocations.generation) this.#store(hash, known);
    return known;
  }

  #store(hash: string, known: CachedToken): void {
    this.#cache.set(hash, known);
    const hashes = this.#byGrant.get(known.grant);
    if (hashes === undefined) this.#byGrant.set(known.grant, new Set([hash]));
    else hashes.add(hash);
  }

  #unlink(grant: number, hash: string): void {
    const hashes = this.#byGrant.get(grant);
    hashes?.delete(hash);
    if (hashes?.size === 0) this.#byGrant.delete(grant);
  }

  #invalidate(note: Revocation): void {
    const [kind, name = ''] = note.split(':');
    if (note === ANY_REVOCATION) this.#cache.clear();
    else if (kind === 'token') this.#cache.delete(name);
    else for (const hash of [...(this.#byGrant.get(Number(name)) ?? [])]) this.#cache.delete(hash);
  }
}

/** Expiry, revocation and audience, in this order; null where the token is good. */
function refusalOf(row: AccessTokenRow | undefined, resource: string, now: number): Problem | null {
  if (row === undefined) return invalid();
  if (Date.parse(row.expiresAt) <= now) return expired();
  if (row.revokedAt !== null) return invalid();
  return row.resources.includes(resource) ? null : misdirected();
}

/**
 * Requests of a key and of its tokens share one quota. Without a key there is one Free allowance for each consenting
 * address; a grant has exactly one such address, so counting by it bounds each grant too.
 */
function principalOf({ tier, scope, subscription, addressHash }: AccessTokenRow): Principal {
  const account =
    subscription === null ? `free:${addressHash?.toString('hex') ?? ''}` : `sub:${subscription}`;
  return { kind: 'token', tier, account, subscription, scopes: new Set(scope.split(' ') as Scope[]) };
}

function invalid(): Problem {
  return new Problem('INVALID_TOKEN', 'The credential is neither an API key nor a valid access token.');
}

function expired(): Problem {
  return new Problem('EXPIRED_TOKEN', 'The access token has expired. Get a new one with the refresh token.');
}

function misdirected(): Problem {
  return new Problem('INVALID_TOKEN', 'The access token was issued for another resource.');
}
