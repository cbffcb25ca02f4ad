// Checks of the credentials behind open streams: each is verified again every few seconds, once for all its streams of one kind.

import type { Access } from '../../http/frame/route.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';

/** Seconds between two checks of a credential: with the time that an answer takes, a stream ends within five. */
const INTERVAL_SECONDS = 4;

/** What a caller sent, as identify reads it. */
export interface Credential {
  /** The header of that name. */
  readonly authorization: string;
  readonly address: string;
}

/** An open stream as the checks need it. */
export interface CheckedStream {
  readonly credential: Credential;
  /** What the credential must be good for as long as the stream is open. */
  readonly access: Access;
  /** Ends the stream: its credential is no longer good for it. */
  end(): void;
}

export interface CredentialCheckOptions {
  readonly clock: Clock;
  /** Throws a Problem with 401 or 403 if the credential is not good for this any more; other errors say nothing about it. */
  readonly verify: (credential: Credential, access: Access) => Promise<void>;
  readonly report: (error: unknown) => void;
}

interface CheckedCredential {
  readonly credential: Credential;
  readonly access: Access;
  readonly streams: Set<CheckedStream>;
  /** The second of its checks. */
  readonly turn: number;
  isChecking: boolean;
}

export class CredentialChecks {
  readonly #options: CredentialCheckOptions;
  readonly #credentials = new Map<string, CheckedCredential>();
  #second = 0;
  #next = 0;
  #cancel: (() => void) | null = null;

  constructor(options: CredentialCheckOptions) {
    this.#options = options;
  }

  /** Checks the stream's credential until the returned function is called, which may be called twice. */
  add(stream: CheckedStream): () => void {
    const key = keyOf(stream);
    const checked = this.#credentials.get(key) ?? this.#addCredential(key, stream);
    checked.streams.add(stream);
    this.#cancel ??= this.#options.clock.after(1_000, this.#tick);
    return () => this.#remove(key, stream);
  }

  #addCredential(key: string, { credential, access }: CheckedStream): CheckedCredential {
    this.#next = (this.#next + 1) % INTERVAL_SECONDS;
    const streams = new Set<CheckedStream>();
    const checked = { credential, access, streams, turn: this.#next, isChecking: false };
    this.#credentials.set(key, checked);
    return checked;
  }

  #remove(key: string, stream: CheckedStream): void {
    const checked = this.#credentials.get(key);
    if (!checked?.streams.delete(stream) || checked.streams.size > 0) return;
    this.#credentials.delete(key);
    if (this.#credentials.size > 0) return;
    this.#cancel?.();
    this.#cancel = null;
  }

  readonly #tick = (): void => {
    this.#cancel = this.#options.clock.after(1_000, this.#tick);
    this.#second = (this.#second + 1) % INTERVAL_SECONDS;
    for (const checked of this.#credentials.values())
      if (checked.turn === this.#second && !checked.isChecking) void this.#check(checked);
  };

  async #check(checked: CheckedCredential): Promise<void> {
    checked.isChecking = true;
    try {
      await this.#options.verify(checked.credential, checked.access);
    } catch (error) {
      const isRefused = error instanceof Problem && (error.status === 401 || error.status === 403);
      if (isRefused) for (const stream of [...checked.streams]) stream.end();
      else if (!(error instanceof Problem)) this.#options.report(error);
    } finally {
      checked.isChecking = false;
    }
  }
}

const keyOf = ({ credential, access }: CheckedStream): string =>
  JSON.stringify([access, credential.authorization]);
