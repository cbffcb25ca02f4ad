// Schedule of attempts: how long a webhook rests after a failure, and when it is given up.

import { DAY, HOUR, MINUTE } from '../../lib/clock.ts';

/** Milliseconds before each attempt of an event; the first is made at once. */
export const PAUSES: readonly number[] = [
  0,
  5_000,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Attempts of one event; then it is parked, and the next one is tried. */
export const MAX_ATTEMPTS = PAUSES.length;
/** Part of a pause that is added at random, so that webhooks that failed together do not come back together. */
export const JITTER = 0.1;
/** Milliseconds that a Retry-After can ask for at most. */
export const MAX_RETRY_AFTER = DAY;
/** Milliseconds without a success after which a webhook is disabled. */
export const FAILING_TIME = 5 * DAY;
/** Milliseconds for the verification of a URL. */
export const VERIFICATION_TIME = DAY;

export interface Failure {
  /** Failed attempts since the last success, this one included. */
  readonly failures: number;
  /** Milliseconds that the endpoint asked for; null: it did not. */
  readonly retryAfter: number | null;
}

/**
 * Milliseconds until the next attempt. The pauses are the endpoint's, whatever the event: once they are used up, the last one
 * is repeated. Never earlier than the endpoint asked for.
 * @param random from 0 to 1
 */
export function pauseAfter({ failures, retryAfter }: Failure, random: number): number {
  const pause = PAUSES[Math.min(failures, PAUSES.length - 1)] ?? DAY;
  return Math.round(Math.max(pause, retryAfter ?? 0) * (1 + JITTER * random));
}

/** Milliseconds that a Retry-After header asks for, in seconds or as a date; null for none and for other text. */
export function parseRetryAfter(text: string | string[] | undefined, now: number): number | null {
  const value = String(text ?? '').trim();
  const delay = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : parseDate(value) - now;
  return Number.isNaN(delay) ? null : Math.min(Math.max(delay, 0), MAX_RETRY_AFTER);
}

/** As RFC 9110 has dates; Date.parse would also take numbers and other texts. */
const parseDate = (value: string): number =>
  /^\w{3,9}, .* GMT$/.test(value) ? Date.parse(value) : Number.NaN;
