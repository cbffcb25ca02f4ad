// Feed of revocations: by LISTEN at once, and by polling before a cached token is trusted for long.

import { listen } from '../../postgres/client/listen.ts';
import { REVOCATIONS_CHANNEL, readRevocations } from '../consents/grant-store.ts';
import type { OAuthContext, Revocation } from '../protocol/context.ts';

/** Payload that revokes everything cached. */
export const ANY_REVOCATION: Revocation = '*';

/** Milliseconds after which a request polls in the background. */
const SOFT_AGE = 2_000;
/** Milliseconds after which a request waits for a poll. */
const HARD_AGE = 5_000;

type RevocationFeedOptions = Pick<OAuthContext, 'database' | 'clock' | 'onRevoked' | 'report'>;

/**
 * A notification may be lost, and a hanging connection looks like an idle one. So a cache asks `isCurrent` before each use:
 * its knowledge is never older than five seconds. Requests poll, not a timer: an idle service sends no statements.
 */
export class RevocationFeed {
  readonly #options: RevocationFeedOptions;
  readonly #listener: { close(): Promise<void> };
  /** The database's time at the last poll. */
  #since: string | null = null;
  /** Monotonic time at which the last successful poll was sent. */
  #polledAt = Number.NEGATIVE_INFINITY;
  #poll: Promise<void> | null = null;
  /** Grows with every revocation: what was read before it must not be cached. */
  generation = 0;

  constructor(options: RevocationFeedOptions) {
    this.#options = options;
    this.#listener = listen(
      options.database,
      REVOCATIONS_CHANNEL,
      (revocation) => this.publish(revocation),
      () => {
        this.#polledAt = Number.NEGATIVE_INFINITY;
      },
      { onError: options.report },
    );
  }

  /** Whether all revocations are known that are older than five seconds. Polls in the background in good time. */
  isCurrent(): boolean {
    const age = this.#options.clock.monotonic() - this.#polledAt;
    if (age >= SOFT_AGE && age < HARD_AGE) this.poll().catch(this.#options.report);
    return age < HARD_AGE;
  }

  /** Reads the latest revocations, once for all who wait. Throws DATABASE_UNAVAILABLE. */
  poll(): Promise<void> {
    this.#poll ??= this.#read().finally(() => {
      this.#poll = null;
    });
    return this.#poll;
  }

  publish(revocation: Revocation): void {
    this.generation++;
    this.#options.onRevoked(revocation);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  async #read(): Promise<void> {
    const sentAt = this.#options.clock.monotonic();
    const { at, revocations } = await this.#options.database.read((sql) => readRevocations(sql, this.#since));
    // At the first poll the age of what is cached is unknown.
    for (const each of this.#since === null ? [ANY_REVOCATION] : revocations) this.publish(each);
    this.#since = at;
    this.#polledAt = sentAt;
  }
}
