// Access token of a RESO server: configured, or by client credentials; shared, and renewed before it expires.

import type { Clock } from '../../../lib/clock.ts';
import { SingleFlight } from '../../../lib/single-flight.ts';
import { LiveError, type LiveFailure } from '../../source.ts';
import { parseBody, type RequestKind, type Requests } from './request.ts';

export type ResoCredentials =
  | {
      readonly kind: 'client';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      /** Default: that of the profile. */
      readonly scope?: string;
    }
  | { readonly kind: 'bearer'; readonly token: string };

type ClientCredentials = Extract<ResoCredentials, { kind: 'client' }>;

interface Token {
  readonly value: string;
  /** Monotonic milliseconds. */
  readonly until: number;
}

const MAX_TOKEN_BYTES = 64 * 1024;
const MARGIN = 60_000;
const DEFAULT_LIFETIME_SECONDS = 3_600;
/** Statuses of what is no token endpoint: it redirects, or there is nothing that takes a POST. */
const NO_ENDPOINT: readonly number[] = [301, 302, 303, 307, 308, 404, 405, 410, 415, 501];

export class Tokens {
  readonly #credentials: ResoCredentials;
  readonly #requests: Requests;
  readonly #clock: Clock;
  readonly #scope: string;
  readonly #flights = new SingleFlight<Token>();
  #current: Token | null = null;

  constructor(credentials: ResoCredentials, requests: Requests, clock: Clock, scope = 'api') {
    this.#credentials = credentials;
    this.#requests = requests;
    this.#clock = clock;
    this.#scope = scope;
  }

  /** A token that is valid for another minute. Throws LiveError. */
  async current(signal: AbortSignal, kind: RequestKind = 'bulk'): Promise<string> {
    const credentials = this.#credentials;
    if (credentials.kind === 'bearer') return credentials.token;
    if (this.#current !== null && this.#current.until > this.#clock.monotonic()) return this.#current.value;
    try {
      const token = await this.#flights.run('token', signal, (shared) =>
        this.#fetch(credentials, shared, kind),
      );
      return token.value;
    } catch (error) {
      if (error instanceof LiveError) throw error;
      throw new LiveError('timeout', 'The source gave no token in time.', { cause: error });
    }
  }

  /** Drops a token that was refused; false when no other can be fetched. */
  refuse(value: string): boolean {
    if (this.#credentials.kind === 'bearer') return false;
    if (this.#current?.value === value) this.#current = null;
    return true;
  }

  async #fetch(credentials: ClientCredentials, signal: AbortSignal, kind: RequestKind): Promise<Token> {
    const { tokenUrl, clientId, clientSecret, scope = this.#scope } = credentials;
    const sentAt = this.#clock.monotonic();
    const response = await this.#requests
      .send({
        kind,
        isToken: true,
        url: tokenUrl,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: clientSecret,
          scope,
        }).toString(),
        maxBytes: MAX_TOKEN_BYTES,
        signal,
      })
      .catch((error: unknown) => {
        if (!(error instanceof LiveError) || error.code === 'timeout') throw error;
        throw wrongUrl(error.code, 'cannot be reached, or does not answer HTTP', error);
      });
    const { status } = response;
    // Token endpoints answer 400 to a client that they do not know.
    if (status === 400) throw new LiveError('upstream_unauthorized', 'The source gives us no token (400).');
    if (NO_ENDPOINT.includes(status)) throw wrongUrl('fetch_failed', `answers ${status}`);
    try {
      this.#current = tokenIn(parseBody(response, this.#clock.now()), sentAt);
    } catch (error) {
      if (!(error instanceof LiveError) || error.code !== 'parse_failed') throw error;
      throw wrongUrl(error.code, 'answers without a token', error);
    }
    return this.#current;
  }
}

function tokenIn(body: Readonly<Record<string, unknown>>, sentAt: number): Token {
  const value = body.access_token;
  if (typeof value !== 'string' || value === '' || /[^\x21-\x7e]/.test(value)) {
    throw new LiveError('parse_failed', 'The source answered a request for a token without one.');
  }
  const seconds = Number(body.expires_in ?? DEFAULT_LIFETIME_SECONDS);
  const lifetime = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : DEFAULT_LIFETIME_SECONDS * 1000;
  // A token shorter than two margins would be renewed with every request.
  return { value, until: sentAt + Math.max(lifetime - MARGIN, lifetime / 2) };
}

function wrongUrl(code: LiveFailure, how: string, cause?: unknown): LiveError {
  const message = `The address for tokens (RESO_TOKEN_URL) ${how}: it is no token endpoint.`;
  return new LiveError(code, message, { cause, fault: 'wrong_token_url' });
}
