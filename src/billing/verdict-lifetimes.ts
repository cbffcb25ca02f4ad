// Lifetimes of verdicts: for how long one that is known serves, and from when on it is asked for again.

import type { Clock } from '../lib/clock.ts';
import { type KnownVerdict, LIFETIME } from './verdict-table.ts';

/** Milliseconds after which an active verdict is asked for again, while it still serves. */
const FRESH = 480_000;
/**
 * Milliseconds for which a refusal serves at least. One that has lasted serves as long again, and 480 s at most: programs that
 * go on with keys that ended long ago must not use up the calls that are meant for good ones.
 */
const REFUSAL_LIFETIME = 30_000;
/** Milliseconds for which a key counts as not paid for yet: a person who has just paid tries it again and again. */
const PENDING_LIFETIME = 1_000;

/** Whether it answers without a question to the service. */
export function serves({ verdict: { status }, askedAt, settledFor }: KnownVerdict, clock: Clock): boolean {
  const age = clock.monotonic() - askedAt;
  if (status.state === 'unknown' && status.reason === 'pending') return age < PENDING_LIFETIME;
  if (status.state !== 'active') return age < Math.min(FRESH, Math.max(REFUSAL_LIFETIME, settledFor));
  // It may have been renewed at its end.
  const isOver = status.endsAt !== null && status.endsAt <= clock.now();
  return age < LIFETIME && !isOver;
}

/** Whether one that serves should be renewed meanwhile. */
export function wantsRenewal({ askedAt }: KnownVerdict, clock: Clock): boolean {
  return clock.monotonic() - askedAt >= FRESH;
}

/** Whether it is a refusal that holds for as long as nobody says anything else. */
export function stands({ verdict: { status }, askedAt }: KnownVerdict, clock: Clock): boolean {
  return status.state !== 'active' && clock.monotonic() - askedAt < LIFETIME;
}
