// Checks of the credentials behind open feeds: each credential is verified again every few seconds, once for all its feeds.

import { Problem } from '../../lib/problem.ts';

/** Seconds between two checks of a credential: with the time that an answer takes, a feed ends within five. */
const INTERVAL_SECONDS = 4;

/** What a caller sent, as identify reads it. */
export interface Credential {
  /** The header of that name. */
  readonly authorization: string;
  readonly address: string;
}

/** A feed as the checks need it. */
export interface CheckedFeed {
  readonly credential: Credential;
  close(reason: 'credential'): void;
}

export interface CredentialCheckOptions {
  /** Throws a Problem with 401 or 403 if the credential may not read events any more; other errors say nothing about it. */
  readonly verify: (credential: Credential) => Promise<void>;
  readonly report: (error: unknown) => void;
}

interface CheckedCredential {
  readonly credential: Credential;
  readonly feeds: Set<CheckedFeed>;
  /** The second of its checks. */
  readonly turn: number;
  isChecking: boolean;
}

export class CredentialChecks {
  readonly #options: CredentialCheckOptions;
  readonly #credentials = new Map<string, CheckedCredential>();
  #second = 0;
  #next = 0;

  constructor(options: CredentialCheckOptions) {
    this.#options = options;
  }

  add(feed: CheckedFeed): void {
    const { authorization } = feed.credential;
    const known = this.#credentials.get(authorization);
    if (known !== undefined) {
      known.feeds.add(feed);
      return;
    }
    this.#next = (this.#next + 1) % INTERVAL_SECONDS;
    const { credential } = feed;
    const checked = { credential, feeds: new Set([feed]), turn: this.#next, isChecking: false };
    this.#credentials.set(authorization, checked);
  }

  remove(feed: CheckedFeed): void {
    const { authorization } = feed.credential;
    const known = this.#credentials.get(authorization);
    known?.feeds.delete(feed);
    if (known?.feeds.size === 0) this.#credentials.delete(authorization);
  }

  /** Call this every second. */
  tick(): void {
    this.#second = (this.#second + 1) % INTERVAL_SECONDS;
    for (const checked of this.#credentials.values())
      if (checked.turn === this.#second && !checked.isChecking) void this.#check(checked);
  }

  async #check(checked: CheckedCredential): Promise<void> {
    checked.isChecking = true;
    try {
      await this.#options.verify(checked.credential);
    } catch (error) {
      const isRefused = error instanceof Problem && (error.status === 401 || error.status === 403);
      if (isRefused) for (const feed of [...checked.feeds]) feed.close('credential');
      else if (!(error instanceof Problem)) this.#options.report(error);
    } finally {
      checked.isChecking = false;
    }
  }
}
