// Check of an API key that a person typed: by the provider each time, with a limit on wrong ones.

import type { KeyVerifier } from '../../access/keys/key-verifier.ts';
import { FailureThrottle } from '../../access/limits/failure-throttle.ts';
import type { ActiveSubscription } from '../../access/tiers/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';

/** Wrong keys that one address, or /64, may type in any minute. People mistype; programs that guess try faster. */
const WRONG_KEYS_PER_MINUTE = 10;

/**
 * Judges a key, which may have blanks around it. Throws INVALID_API_KEY, EXPIRED_API_KEY, SUBSCRIPTIONS_UNAVAILABLE, or
 * RATE_LIMITED after too many wrong ones; a key that was good before is always asked about.
 */
export type CheckKey = (key: string, address: string) => Promise<ActiveSubscription>;

export function createKeyCheck(keys: Pick<KeyVerifier, 'verifyFresh'>, clock: Clock): CheckKey {
  const failures = new FailureThrottle(clock, { quota: WRONG_KEYS_PER_MINUTE });
  return async (key, address) => {
    const attempt = failures.attempt(address);
    try {
      return await keys.verifyFresh(key.trim(), attempt);
    } catch (error) {
      if (error instanceof Problem && error.status === 401) attempt.fail();
      throw error;
    } finally {
      attempt.end();
    }
  };
}
