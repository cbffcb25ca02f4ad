// Feed of revocations: by LISTEN at once, and by reading the table before a cached token is trusted for long.

import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { listen } from '../../postgres/client/listen.ts';
import {
  ANY_REVOCATION,
  REVOCATIONS_CHANNEL,
  type Revocation,
  readRevocations,
} from '../consents/revocation-store.ts';

/** Milliseconds after which the table is looked at again, while requests go on. */
const SOFT = 2_000;
/** Milliseconds after which nothing is believed before it was looked at. */
const HARD = 5_000;

export interface RevocationsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly onRevoked: (note: Revocation) => void;
  readonly report: (error: unknown) => void;
}

/**
 * A message may never come, and a connection that hangs looks like one on which nothing happens. So whoever believes what
 * it has seen before asks `current` first: nothing older than five seconds counts, whatever became of LISTEN. Looking is
 * done for requests, not by a timer: a service that nobody calls asks nothing.
 */
export class RevocationFeed {
  readonly #options: RevocationsOptions;
  readonly #listener: { close(): Promise<void> };
  /** The database's time at the last look. */
  #since: string | null = null;
  /** The monotonic time at which the last look that came back was sent. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #look: Promise<void> | null = null;
  /** Grows with every revocation: what was read before it must not be remembered. */
  generation = 0;

  constructor(options: RevocationsOptions) {
    this.#options = options;
    this.#listener = listen(
      options.database,
      REVOCATIONS_CHANNEL,
      (note) => this.tell(note),
      () => {
        this.#lookedAt = Number.NEGATIVE_INFINITY;
      },
      { onTrouble: options.report },
    );
  }

  /** Whether every revocation is known that was made until five seconds ago. Looks again in the background in good time. */
  current(): boolean {
    const age = this.#options.clock.monotonic() - this.#lookedAt;
    if (age >= SOFT && age < HARD) this.catchUp().catch(this.#options.report);
    return age < HARD;
  }

  /** Looks now; all who wait share one look. Throws DATABASE_UNAVAILABLE. */
  catchUp(): Promise<void> {
    this.#look ??= this.#lookOnce().finally(() => {
      this.#look = null;
    });
    return this.#look;
  }

  /** Something was revoked. */
  tell(note: Revocation): void {
    this.generation++;
    this.#options.onRevoked(note);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  async #lookOnce(): Promise<void> {
    const sentAt = this.#options.clock.monotonic();
    const { at, notes } = await this.#options.database.read((sql) => readRevocations(sql, this.#since));
    // At the first look nobody knows how long ago that was which is believed by now.
    for (const note of this.#since === null ? [ANY_REVOCATION] : notes) this.tell(note);
    this.#since = at;
    this.#lookedAt = sentAt;
  }
}
