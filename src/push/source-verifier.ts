// Verifier of the tokens of sources, each looked up at each request: one that has ended opens nothing from then on.

import { LRUCache } from 'lru-cache';
import type { CredentialVerifier } from '../access/keys/key-verifier.ts';
import type { CredentialAttempt } from '../access/limits/failure-throttle.ts';
import { NOTHING } from '../access/tiers/reach.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import type { Database } from '../postgres/client/database.ts';
import { countTokenUses, findToken } from '../sources/registry/registry-store.ts';
import { isToken, tokenHash, tokenId } from '../sources/registry/source-token.ts';

export interface SourceVerifierOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

/** Milliseconds between two writes of how often tokens were used. */
const COUNT_INTERVAL = 5_000;
/** Tokens that were valid before: refusals of others at their address do not lock them out. */
const MAX_KNOWN = 10_000;

export class SourceVerifier implements CredentialVerifier {
  readonly #options: SourceVerifierOptions;
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN });
  readonly #uses = new Map<string, number>();
  #cancel: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: SourceVerifierOptions) {
    this.#options = options;
  }

  matches(credential: string): boolean {
    return credential.startsWith('src_');
  }

  async verify(credential: string, attempt: CredentialAttempt): Promise<Principal> {
    if (!isToken(credential)) throw refused();
    const id = tokenId(credential);
    if (!this.#known.has(id)) await attempt.begin();
    const hash = tokenHash(credential);
    const token = await this.#options.database.read((sql) => findToken(sql, hash), { planned: 'once' });
    if (token === null) {
      this.#known.delete(id);
      throw refused();
    }
    this.#known.set(id, true);
    this.#countUse(token.id);
    return {
      kind: 'source',
      tier: 'anonymous',
      account: `src:${token.source}`,
      subscription: null,
      owner: null,
      grant: null,
      scopes: new Set(),
      reach: NOTHING,
      source: { id: token.source, token: token.id },
    };
  }

  /** Writes what is counted, and stops. */
  async close(): Promise<void> {
    this.#cancel?.();
    await this.#writing;
    await this.#write();
  }

  #countUse(id: string): void {
    this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
    this.#cancel ??= this.#options.clock.after(COUNT_INTERVAL, () => {
      this.#cancel = null;
      this.#writing = this.#write();
    });
  }

  async #write(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([id, requests]) => ({ id, requests }));
    this.#uses.clear();
    const { database, clock, report } = this.#options;
    await database.write((sql) => countTokenUses(sql, uses, new Date(clock.now()))).catch(report);
  }
}

const refused = (): Problem =>
  new Problem('INVALID_TOKEN', 'This is not the token of a source, or it has ended.');
