// Verifier of access tokens: each is looked up once, then cached until it expires or is revoked.

import { LRUCache } from 'lru-cache';
import type { CredentialVerifier } from '../../access/keys/key-verifier.ts';
import type { CredentialAttempt } from '../../access/limits/failure-throttle.ts';
import { NOTHING } from '../../access/tiers/reach.ts';
import { ownerOf, type Principal, type Scope } from '../../access/tiers/tiers.ts';
import { Problem } from '../../lib/problem.ts';
import { hashSecret } from '../../lib/secrets.ts';
import { SingleFlight } from '../../lib/single-flight.ts';
import type { OAuthContext, Revocation } from '../protocol/context.ts';
import { isSecret } from '../protocol/tokens.ts';
import { ANY_REVOCATION, RevocationFeed } from './revocation-feed.ts';
import { type AccessTokenRow, findAccessToken } from './token-store.ts';

const MAX_CACHED = 50_000;
/** Longer credentials are not even hashed. */
const MAX_LENGTH = 4_096;

export interface AccessTokensOptions
  extends Pick<OAuthContext, 'database' | 'clock' | 'report' | 'publicUrl'> {}

interface CachedToken {
  readonly principal: Principal;
  readonly grant: number;
  /** What it was issued for. */
  readonly resources: readonly string[];
  /** Monotonic: a wall clock that jumps moves no expiry. */
  readonly validUntil: number;
}

export class AccessTokens implements CredentialVerifier {
  readonly #options: AccessTokensOptions;
  readonly #revocations: RevocationFeed;
  readonly #flights = new SingleFlight<CachedToken>();
  /** Lookups whose attempt is being counted. */
  readonly #beginning = new Set<string>();
  /** By hash: the tokens themselves are stored nowhere. */
  readonly #cache: LRUCache<string, CachedToken>;
  readonly #listeners: ((revocation: Revocation) => void)[] = [];
  readonly #byGrant = new Map<number, Set<string>>();

  constructor(options: AccessTokensOptions) {
    this.#options = options;
    this.#cache = new LRUCache({ max: MAX_CACHED, dispose: ({ grant }, hash) => this.#unlink(grant, hash) });
    this.#revocations = new RevocationFeed({
      ...options,
      onRevoked: (revocation) => {
        this.#invalidate(revocation);
        for (const listener of this.#listeners) listener(revocation);
      },
    });
  }

  /** Any credential that is no API key: the verifier of keys comes first. */
  matches(): boolean {
    return true;
  }

  /** Throws INVALID_TOKEN, EXPIRED_TOKEN, DATABASE_UNAVAILABLE, or RATE_LIMITED after too many invalid credentials. */
  verify(credential: string, attempt: CredentialAttempt, resource = ''): Principal | Promise<Principal> {
    if (credential.length > MAX_LENGTH) throw invalid();
    const hash = hashSecret(credential);
    const cached = this.#cache.get(hash);
    if (cached === undefined) {
      if (!isSecret('at', credential)) throw invalid();
      return this.#verifyUncached(hash, attempt, resource);
    }
    if (this.#revocations.isCurrent()) return this.#principal(cached, resource);
    return this.#verifyAfterPoll(hash, attempt, resource);
  }

  /** Applies a revocation of this process at once. */
  revoked(revocation: Revocation): void {
    this.#revocations.publish(revocation);
  }

  /** Calls back with every revocation, of any process; one may come twice. */
  onRevoked(listener: (revocation: Revocation) => void): void {
    this.#listeners.push(listener);
  }

  /** Stops listening for revocations. */
  close(): Promise<void> {
    return this.#revocations.close();
  }

  /** A token of the whole service is good for each of its resources; one of a part is good there alone. */
  #principal({ principal, validUntil, resources }: CachedToken, resource: string): Principal {
    const { clock, publicUrl } = this.#options;
    if (clock.monotonic() >= validUntil) throw expired();
    if (!resources.includes(publicUrl) && !resources.includes(`${publicUrl}${resource}`))
      throw new Problem('INVALID_TOKEN', 'The access token was issued for another resource.');
    return principal;
  }

  async #verifyAfterPoll(hash: string, attempt: CredentialAttempt, resource: string): Promise<Principal> {
    await this.#revocations.poll();
    const cached = this.#cache.get(hash);
    if (cached === undefined) return this.#verifyUncached(hash, attempt, resource);
    return this.#principal(cached, resource);
  }

  async #verifyUncached(hash: string, attempt: CredentialAttempt, resource: string): Promise<Principal> {
    // Only the first of those who share a lookup counts as an attempt. A request after a revocation must not join a lookup
    // from before it.
    const flight = `${this.#revocations.generation} ${hash}`;
    if (!this.#flights.has(flight) && !this.#beginning.has(flight)) {
      this.#beginning.add(flight);
      await attempt.begin().finally(() => this.#beginning.delete(flight));
    }
    return this.#principal(await this.#flights.run(flight, null, () => this.#load(hash)), resource);
  }

  async #load(hash: string): Promise<CachedToken> {
    const { generation } = this.#revocations;
    const { clock, database } = this.#options;
    const [now, sentAt] = [clock.now(), clock.monotonic()];
    const row = await database.read((sql) => findAccessToken(sql, hash), { planned: 'once' });
    if (row === undefined) throw invalid();
    requireValid(row, now);
    const validUntil = sentAt + Date.parse(row.expiresAt) - now;
    const token: CachedToken = {
      principal: toPrincipal(row),
      grant: row.grant,
      resources: row.resources,
      validUntil,
    };
    if (generation === this.#revocations.generation) this.#store(hash, token);
    return token;
  }

  #store(hash: string, token: CachedToken): void {
    this.#cache.set(hash, token);
    const hashes = this.#byGrant.get(token.grant);
    if (hashes === undefined) this.#byGrant.set(token.grant, new Set([hash]));
    else hashes.add(hash);
  }

  #unlink(grant: number, hash: string): void {
    const hashes = this.#byGrant.get(grant);
    hashes?.delete(hash);
    if (hashes?.size === 0) this.#byGrant.delete(grant);
  }

  #invalidate(revocation: Revocation): void {
    const [kind, name = ''] = revocation.split(':');
    if (revocation === ANY_REVOCATION) this.#cache.clear();
    else if (kind === 'token') this.#cache.delete(name);
    else for (const hash of [...(this.#byGrant.get(Number(name)) ?? [])]) this.#cache.delete(hash);
  }
}

/** Expiry before revocation; the audience is checked at each use. */
function requireValid({ expiresAt, revokedAt }: AccessTokenRow, now: number) {
  if (Date.parse(expiresAt) <= now) throw expired();
  if (revokedAt !== null) throw invalid();
}

/**
 * A key and its tokens share one quota. Without a key, all grants of an address share one Free quota; a grant has exactly one
 * such address, so that this bounds each grant too.
 */
function toPrincipal(row: AccessTokenRow): Principal {
  const { tier, subscription, customer, addressHash, clientId, scope } = row;
  const grant = String(row.grant);
  const scopes = new Set(scope.split(' ') as Scope[]);
  const client = clientId;
  const common = { kind: 'token', tier, subscription, grant, client, scopes, reach: NOTHING } as const;
  return subscription === null
    ? { ...common, account: `free:${addressHash?.toString('hex') ?? ''}`, owner: `grant:${grant}` }
    : { ...common, account: `sub:${subscription}`, owner: ownerOf({ customer, subscription }) };
}

function invalid(): Problem {
  return new Problem('INVALID_TOKEN', 'The credential is neither an API key nor a valid access token.');
}

function expired(): Problem {
  return new Problem('EXPIRED_TOKEN', 'The access token has expired. Get a new one with the refresh token.');
}
