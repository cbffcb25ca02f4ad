// Keys that people type into pages: one bucket of guesses for all pages, and what replaces a key for ten minutes: proof and cookie.

import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { isLoopback } from '../../lib/settings.ts';
import { type KeyVerifier, principalOf } from '../keys/key-verifier.ts';
import { FailureThrottle } from '../limits/failure-throttle.ts';
import type { SharedCounting } from '../limits/shared/shared-counting.ts';
import type { ActiveSubscription } from '../tiers/provider.ts';
import type { Principal } from '../tiers/tiers.ts';
import { KeyCookie } from './key-cookie.ts';
import { signParameters, verifyParameters } from './signed-parameters.ts';

/** Wrong keys that one address, or /64, may type in any minute: enough for typing errors, too few for guessing. */
const WRONG_KEYS_PER_MINUTE = 10;

/** Fields of a form, as sent. */
export interface KeyFields {
  readonly api_key?: string;
  readonly proof?: string;
}

/** Whoever typed a key. */
export interface KeyHolder {
  readonly subscription: string;
  /** As the provider has just answered; null: a proof replaced the key, and nobody was queried. */
  readonly status: ActiveSubscription | null;
}

export interface KeyForm {
  /**
   * Checks a key that a person typed, which may have blanks around it. Throws INVALID_API_KEY, EXPIRED_API_KEY,
   * SUBSCRIPTIONS_UNAVAILABLE, or RATE_LIMITED after too many wrong keys; a key that was valid before is always checked.
   */
  checkKey(key: string, address: string): Promise<ActiveSubscription>;
  /**
   * Who sent a form of this page: by its key, else by its proof. Null for a proof that is invalid, has expired, or is of
   * another page. Throws what `checkKey` throws, and MISSING_API_KEY.
   */
  identify(page: string, fields: KeyFields, address: string): Promise<KeyHolder | null>;
  /**
   * The same as a caller of the API, by the subscription's status of this moment, with the wall-clock milliseconds of its end
   * where one is known. Throws INVALID_API_KEY, EXPIRED_API_KEY or SUBSCRIPTIONS_UNAVAILABLE.
   */
  resolveCaller(holder: KeyHolder): Promise<{ readonly caller: Principal; readonly endsAt: number | null }>;
  /** Replaces the key on this page for ten minutes, so that it need not be typed again, or stored. */
  signProof(page: string, subscription: string): Promise<string>;
  /** Replaces the key when a page of the account is opened. Forms never count by it: they have their proof. */
  readonly cookie: Pick<KeyCookie, 'isUsed' | 'read' | 'remember' | 'forget'>;
}

export interface KeyFormOptions {
  readonly keys: Pick<KeyVerifier, 'verifyFresh' | 'verifySubscription'>;
  readonly clock: Clock;
  /** Counts with other processes; absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  /** Signs the proofs; the same in all processes. */
  readonly proofKey: () => Promise<Buffer>;
  readonly publicUrl: string;
}

/** Create one for all pages: each has a bucket of guesses. */
export function createKeyForm({ keys, clock, counting, proofKey, publicUrl }: KeyFormOptions): KeyForm {
  const failures = new FailureThrottle({
    clock,
    counting,
    quota: WRONG_KEYS_PER_MINUTE,
    kind: 'guesses',
  });

  async function checkKey(key: string, address: string): Promise<ActiveSubscription> {
    const attempt = failures.attempt(address);
    try {
      return await keys.verifyFresh(key.trim(), attempt);
    } catch (error) {
      if (error instanceof Problem && error.status === 401) await attempt.fail();
      throw error;
    } finally {
      attempt.end();
    }
  }

  async function verifyProof(page: string, proof: string): Promise<KeyHolder | null> {
    const verified = verifyParameters(await proofKey(), proof, clock.now());
    if (verified === null || verified.expired) return null;
    const [provenPage, subscription] = ['page', 'subscription'].map(
      (name) => verified.parameters.get(name)?.[0],
    );
    return provenPage === page && subscription !== undefined ? { subscription, status: null } : null;
  }

  return {
    checkKey,
    async identify(page, { api_key: key = '', proof }, address) {
      if (key.trim() === '' && proof !== undefined) return verifyProof(page, proof);
      if (key.trim() === '') throw new Problem('MISSING_API_KEY', 'The field api_key is missing.');
      const status = await checkKey(key, address);
      return { subscription: status.subscription, status };
    },
    async resolveCaller({ subscription, status }) {
      const current = status ?? (await keys.verifySubscription(subscription));
      return { caller: principalOf(current), endsAt: current.endsAt };
    },
    async signProof(page, subscription) {
      const sealed = new Map(Object.entries({ page: [page], subscription: [subscription] }));
      return signParameters(await proofKey(), sealed, clock.now());
    },
    cookie: new KeyCookie({ clock, proofKey, publicUrl }),
  };
}

/**
 * Whether a form comes from a page of ours, as far as the browser says. Programs without these headers pass: for forms that
 * carry a key or a signed request, and in which no cookie counts.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  return !isForeignSite && (origin === undefined || isOwnOrigin(origin, headers.host, new URL(publicUrl)));
}

/**
 * A service on the reader's own machine answers under each of its names. A page that was opened by one of them comes back to that
 * one: another program may listen to the same port under another name.
 */
function isOwnOrigin(origin: string, host: string | undefined, own: URL): boolean {
  if (origin === own.origin) return true;
  if (!isLoopback(own.hostname)) return false;
  const url = URL.parse(origin);
  return (
    url !== null &&
    url.origin === origin &&
    isLoopback(url.hostname) &&
    url.protocol === own.protocol &&
    url.port === own.port &&
    url.host === host
  );
}

/** The same for pages that a cookie opens: the browser has to say so, by Origin or Sec-Fetch-Site. */
export function isOwnForm(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  return (origin !== undefined || site === 'same-origin') && isSameOrigin(headers, publicUrl);
}
