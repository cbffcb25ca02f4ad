// One request that is to be admitted: what is known of its caller, and how its limits stand.

import type { Principal } from '../tiers/tiers.ts';
import { type Month, type MonthLimit, QuotaLease } from './monthly-quota.ts';
import { type RateLimitPolicy, type RateLimitStatus, wholeSeconds } from './rate-limit-status.ts';
import type { SharedCounting } from './shared/shared-counting.ts';
import type { SharedWindow } from './shared/shared-window.ts';
import type { Taken } from './shared/window-name.ts';
import { SlidingWindowLog } from './sliding-window-log.ts';

/** The minute and the month of one caller. */
export class CallerState {
  readonly log = new SlidingWindowLog();
  readonly lease = new QuotaLease();
}

/** One reading of both clocks, so that a request is checked and charged at a single time. */
export interface RequestTime {
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Wall-clock milliseconds, and the month that holds them. */
  readonly date: number;
  readonly calendar: Month;
}

/** A request that is to be admitted. */
export interface AdmissionRequest {
  readonly at: RequestTime;
  readonly caller: Principal;
  readonly state: CallerState;
  /** Null: unlimited. */
  readonly minute: RateLimitPolicy | null;
  /** Null: unlimited, or not counted. */
  readonly month: RateLimitPolicy | null;
  /** Whether it needs a stream, and there is none. */
  readonly lacksStream: boolean;
  /** What was counted of the minute already, with other processes. */
  readonly counted: Taken | null;
}

/** Minutes that are counted with other processes. */
export interface SharedMinutes {
  readonly addresses: SharedWindow;
  readonly subscriptions: SharedWindow;
}

export function createSharedMinutes(counting: SharedCounting, capacity: number): SharedMinutes {
  return {
    addresses: counting.window('minute-address', capacity),
    subscriptions: counting.window('minute', capacity),
  };
}

/** Of a minute that is counted with other processes. */
export function countedStatus(
  { remaining, reset }: Omit<Taken, 'slot'>,
  policy: RateLimitPolicy,
): RateLimitStatus {
  return { policy, remaining, reset: wholeSeconds(reset) };
}

export function monthLimit({ quota }: RateLimitPolicy, { calendar }: RequestTime): MonthLimit {
  return { month: calendar.name, quota };
}

export function minuteStatus(log: SlidingWindowLog, policy: RateLimitPolicy, now: number): RateLimitStatus {
  const remaining = Math.max(0, policy.quota - log.count(now));
  return { policy, remaining, reset: wholeSeconds(log.timeUntilFree(policy.quota, now)) };
}

export function monthStatus(
  { date, calendar }: RequestTime,
  policy: RateLimitPolicy,
  remaining: number,
): RateLimitStatus {
  return { policy, remaining, reset: wholeSeconds(calendar.end - date) };
}
