// Rate limiter: requests in any minute and in a month, each admitted request charged exactly once.

import type { Access } from '../../http/frame/route.ts';
import type { Headers } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Principal, Tiers } from '../tiers/tiers.ts';
import {
  type AdmissionRequest,
  CallerState,
  countedStatus,
  createSharedMinutes,
  minuteStatus,
  monthLimit,
  monthStatus,
  type RequestTime,
  type SharedMinutes,
} from './admission.ts';
import {
  createMonthCache,
  type Month,
  MonthlyQuota,
  type OnReached,
  type QuotaLease,
} from './monthly-quota.ts';
import {
  createPolicyCache,
  limitExceeded,
  type RateLimitPolicy,
  type RateLimitStatus,
  type RateLimitStatuses,
  rateLimitHeaders,
  tooManyCallers,
} from './rate-limit-status.ts';
import type { SharedCounting } from './shared/shared-counting.ts';
import type { SharedWindow } from './shared/shared-window.ts';
import { RecentCallers } from './sliding-window-log.ts';
import { LISTING_STREAMS, StreamLimit } from './stream-limit.ts';

/** Addresses that can be active within a minute, and as many subscriptions. */
const CAPACITY = 131_072;
const NONE: Headers = Object.freeze({});

export interface RateLimiterOptions {
  readonly tiers: Tiers;
  readonly clock: Clock;
  readonly database: Database;
  /** Called with errors that no client sees. */
  readonly report: (error: unknown) => void;
  readonly capacity?: number;
  /** Counts minutes and streams with other processes; null or absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  /** A sentence on how to get a key. */
  readonly howToGetKey?: string | undefined;
  /** Whether a first load runs: callers without credentials then spend nothing of their month. Default: none does. */
  readonly isLoading?: () => Promise<boolean>;
  /** Notifies an owner of a month that is nearly used up. */
  readonly onReached?: OnReached;
}

export class RateLimiter {
  readonly tiers: Tiers;
  readonly streams: StreamLimit;
  readonly #clock: Clock;
  readonly #monthlyQuota: MonthlyQuota;
  readonly #monthOf: (now: number) => Month = createMonthCache();
  readonly #policiesOf: ReturnType<typeof createPolicyCache>;
  /** Kept apart, so that a flood of addresses displaces no subscription. */
  readonly #addresses: RecentCallers<CallerState>;
  readonly #subscriptions: RecentCallers<CallerState>;
  /** Null: minutes are counted in this process. */
  readonly #shared: SharedMinutes | null;
  #returned: Promise<unknown> = Promise.resolve();

  readonly #howToGetKey: string | undefined;
  readonly #isLoading: RateLimiterOptions['isLoading'];

  constructor(options: RateLimiterOptions) {
    this.#howToGetKey = options.howToGetKey;
    this.#isLoading = options.isLoading;
    this.tiers = options.tiers;
    this.streams = new StreamLimit(options.tiers, LISTING_STREAMS, options.counting);
    this.#clock = options.clock;
    this.#monthlyQuota = new MonthlyQuota(options);
    this.#policiesOf = createPolicyCache(options.tiers);
    const now = options.clock.monotonic();
    const onEvict = (accounts: Iterable<[string, CallerState]>) => this.#returnLeases(accounts);
    const callerOptions = {
      capacity: options.capacity ?? CAPACITY,
      now,
      create: () => new CallerState(),
      onEvict,
    };
    this.#shared = options.counting ? createSharedMinutes(options.counting, callerOptions.capacity) : null;
    this.#addresses = new RecentCallers(callerOptions);
    this.#subscriptions = new RecentCallers(callerOptions);
  }

  /**
   * Admits and charges one request, and returns the rate limit headers; none for a caller without limits. Throws without a
   * charge: RATE_LIMITED, QUOTA_EXCEEDED, TOO_MANY_STREAMS, OVERLOADED, DATABASE_UNAVAILABLE. The check and the charge
   * are synchronous, so that no request comes between; it waits only where requests of the month are leased first.
   */
  async admit(caller: Principal, access: Access): Promise<Headers> {
    const isLoading =
      this.#isLoading !== undefined && caller.kind === 'anonymous' && (await this.#isLoading());
    const at = this.#readClocks();
    const policies = this.#policiesOf(caller.tier, at.calendar);
    const month = access.counts === 'minute' || isLoading ? null : policies.month;
    const { minute } = policies;
    const isFull = access.stream === true ? this.streams.isFull(caller) : false;
    const lacksStream = typeof isFull === 'boolean' ? isFull : await isFull;
    if (minute === null && month === null) {
      if (lacksStream) throw this.streams.exceeded(caller, NONE);
      return NONE;
    }
    const state = this.#state(caller, at.now);
    const request = { at, caller, state, minute, month, lacksStream, counted: null };
    if (this.#shared !== null && minute !== null) return this.#admitCounted({ ...request, minute });
    return this.#attempt(request) ?? this.#enqueue(request);
  }

  /** The same where the minute is counted with other processes: a slot of it is taken first, and given back with a refusal. */
  async #admitCounted(request: AdmissionRequest & { readonly minute: RateLimitPolicy }): Promise<Headers> {
    const { caller, minute, lacksStream } = request;
    if (lacksStream) throw this.streams.exceeded(caller, NONE);
    const counted = await this.#sharedOf(caller)?.take(caller.account, minute.quota);
    if (counted === undefined) throw new Error('Minutes are not counted with other processes');
    const known = { ...request, at: this.#readClocks(), counted };
    if (counted.slot === null) throw this.#refusal(known);
    try {
      const headers = this.#attempt(known);
      if (headers !== undefined) return headers;
      const late = await this.#enqueue(known);
      counted.slot.renew();
      return late;
    } catch (error) {
      counted.slot.giveBack();
      throw error;
    }
  }

  /** The refusal of a caller whose minute has no free slot, without a charge; null: it has one. */
  look(caller: Principal): Problem | null {
    const at = this.#readClocks();
    const { minute, month } = this.#policiesOf(caller.tier, at.calendar);
    const request = { at, caller, minute, month, lacksStream: false, counted: null };
    if (this.#shared !== null && minute !== null) {
      const reset = this.#sharedOf(caller)?.blockedFor(caller.account, minute.quota) ?? null;
      if (reset === null) return null;
      const counted = { slot: null, remaining: 0, reset };
      return this.#refusal({ ...request, state: new CallerState(), counted });
    }
    const state = this.#callersOf(caller).peek(caller.account);
    if (minute === null || state === undefined || state.log.count(at.now) < minute.quota) return null;
    return this.#refusal({ ...request, state });
  }

  /** Status of the caller's limits, without a charge; the month as the database counts it. Throws DATABASE_UNAVAILABLE. */
  async statuses(caller: Principal): Promise<RateLimitStatuses & { readonly calendar: Month }> {
    const at = this.#readClocks();
    const { minute, month } = this.#policiesOf(caller.tier, at.calendar);
    const state = this.#callersOf(caller).peek(caller.account) ?? new CallerState();
    return {
      minute: minute === null ? null : await this.#lookAtMinute(caller, state, minute, at),
      month: month === null ? null : await this.#countedMonth(caller, state.lease, month, at),
      calendar: at.calendar,
    };
  }

  async #lookAtMinute(
    caller: Principal,
    state: CallerState,
    policy: RateLimitPolicy,
    { now }: RequestTime,
  ): Promise<RateLimitStatus> {
    const shared = this.#sharedOf(caller);
    if (shared === null) return minuteStatus(state.log, policy, now);
    return countedStatus(await shared.look(caller.account, policy.quota), policy);
  }

  /** Returns leased and unspent requests: to be called once nothing is admitted any more. */
  async close(): Promise<void> {
    this.#addresses.clear();
    this.#subscriptions.clear();
    await this.#returned;
    await this.#monthlyQuota.close();
  }

  /** Admits and charges the request, or throws its refusal; undefined while a lease is needed first. */
  #attempt(request: AdmissionRequest): Headers | undefined {
    const { at, caller, state, minute, month, counted } = request;
    if (request.lacksStream) throw this.streams.exceeded(caller, this.#headers(request));
    const minuteFull = minute !== null && counted === null && state.log.count(at.now) >= minute.quota;
    if (month === null) {
      if (minuteFull) throw this.#refusal(request);
    } else {
      const limit = monthLimit(month, at);
      const { lease } = state;
      const isExhausted = this.#monthlyQuota.isExhausted(lease, limit);
      // An old count of zero is no reason to refuse: another process may have returned some.
      if (!isExhausted && this.#monthlyQuota.remaining(lease, limit) === 0) return undefined;
      if (isExhausted || minuteFull) throw this.#refusal(request);
      if (!this.#monthlyQuota.spend(lease, caller.account, limit)) return undefined;
    }
    if (minute !== null && counted === null) state.log.add(at.now);
    return this.#headers(request);
  }

  /** Attempts it again after each lease, at the time of the attempt: a new month may have started meanwhile. */
  #enqueue(request: AdmissionRequest): Promise<Headers> {
    const { caller, state, minute } = request;
    const spender = { account: caller.account, owner: caller.owner, minute: minute?.quota ?? null };
    return this.#monthlyQuota.enqueue(state.lease, spender, () => {
      const at = this.#readClocks();
      const { month } = this.#policiesOf(caller.tier, at.calendar);
      return this.#attempt({ ...request, at, state: this.#state(caller, at.now), month });
    });
  }

  #readClocks(): RequestTime {
    const date = this.#clock.now();
    return { now: this.#clock.monotonic(), date, calendar: this.#monthOf(date) };
  }

  #state(caller: Principal, now: number): CallerState {
    const callers = this.#callersOf(caller);
    const state = callers.getOrCreate(caller.account, now);
    if (state === undefined) throw tooManyCallers(callers.timeUntilRotation(now));
    return state;
  }

  /** Tokens without a subscription are counted by an address too. */
  #callersOf(caller: Principal): RecentCallers<CallerState> {
    return caller.subscription === null ? this.#addresses : this.#subscriptions;
  }

  #sharedOf(caller: Principal): SharedWindow | null {
    if (this.#shared === null) return null;
    return caller.subscription === null ? this.#shared.addresses : this.#shared.subscriptions;
  }

  #refusal(request: AdmissionRequest) {
    return limitExceeded(request.caller.tier, this.#statuses(request), this.#howToGetKey);
  }

  #headers(request: AdmissionRequest): Headers {
    return rateLimitHeaders(this.#statuses(request));
  }

  #statuses(request: AdmissionRequest): RateLimitStatuses {
    const { at, state, minute, month, counted } = request;
    // Before the first lease of a month its count is unknown.
    const remaining =
      month === null ? null : this.#monthlyQuota.remaining(state.lease, monthLimit(month, at));
    return {
      minute:
        minute === null
          ? null
          : counted === null
            ? minuteStatus(state.log, minute, at.now)
            : countedStatus(counted, minute),
      month: month === null || remaining === null ? null : monthStatus(at, month, remaining),
    };
  }

  async #countedMonth(
    caller: Principal,
    lease: QuotaLease,
    policy: RateLimitPolicy,
    at: RequestTime,
  ): Promise<RateLimitStatus> {
    const limit = monthLimit(policy, at);
    const remaining = await this.#monthlyQuota.countRemaining(lease, caller.account, limit);
    return monthStatus({ ...at, date: this.#clock.now() }, policy, remaining);
  }

  #returnLeases(accounts: Iterable<[string, CallerState]>): void {
    const leases = new Map<string, QuotaLease>();
    for (const [name, { lease }] of accounts) if (lease.unspent > 0) leases.set(name, lease);
    if (leases.size > 0)
      this.#returned = Promise.all([this.#returned, this.#monthlyQuota.returnLeases(leases)]);
  }
}
