// Owns counting requests: so many in any minute, so many in a month, and each admitted one charged exactly once.
import type { Access } from '../../http/frame/route.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Principal } from '../tiers/principal.ts';
import type { Tiers } from '../tiers/tiers.ts';
import { Allowance, type MonthQuota, Share } from './allowance.ts';
import { crowded, exhausted } from './limit-refusals.ts';
import {
  type Headers,
  type Policy,
  type Standing,
  type Standings,
  standingsHeaders,
  wholeSeconds,
} from './limit-standing.ts';
import { type Month, monthTeller } from './month.ts';
import { policyTeller } from './policies.ts';
import { Ring } from './ring.ts';
import { Roster } from './roster.ts';
import { Streams } from './streams.ts';

/** Addresses, and subscriptions, that can be active within a minute; each kind has its own room. */
const CAPACITY = 131_072;
const NONE: Headers = Object.freeze({});

export interface LimitsOptions {
  readonly tiers: Tiers;
  readonly clock: Clock;
  readonly database: Database;
  /** Told of failures that no client hears of. */
  readonly report: (error: unknown) => void;
  readonly capacity?: number;
  /** A sentence on how a caller without credentials comes by a key. */
  readonly toGetKey?: string | undefined;
}

class Account {
  readonly ring = new Ring();
  readonly share = new Share();
}

/** One reading of both clocks: a request is judged and charged at a single time, and reading them is not free. */
interface Moment {
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Wall-clock milliseconds, and the month that holds them. */
  readonly date: number;
  readonly calendar: Month;
}

/** One request on its way to being charged. */
interface Request {
  readonly at: Moment;
  readonly caller: Principal;
  readonly account: Account;
  /** Null: unlimited. */
  readonly minute: Policy | null;
  /** Null: unlimited, or not counted. */
  readonly month: Policy | null;
  readonly stream: boolean;
}

export class Limits {
  readonly tiers: Tiers;
  readonly streams: Streams;
  readonly #clock: Clock;
  readonly #allowance: Allowance;
  readonly #monthOf: (now: number) => Month = monthTeller();
  readonly #policiesOf: ReturnType<typeof policyTeller>;
  /** Apart from each other, so that a flood of addresses crowds out no subscription. */
  readonly #addresses: Roster<Account>;
  readonly #subscriptions: Roster<Account>;
  #returned: Promise<unknown> = Promise.resolve();

  readonly #toGetKey: string | undefined;

  constructor(options: LimitsOptions) {
    this.#toGetKey = options.toGetKey;
    this.tiers = options.tiers;
    this.streams = new Streams(options.tiers);
    this.#clock = options.clock;
    this.#allowance = new Allowance(options);
    this.#policiesOf = policyTeller(options.tiers);
    const now = options.clock.monotonic();
    const dropped = (accounts: Iterable<[string, Account]>) => this.#giveBack(accounts);
    const rules = { capacity: options.capacity ?? CAPACITY, now, create: () => new Account(), dropped };
    this.#addresses = new Roster(rules);
    this.#subscriptions = new Roster(rules);
  }

  /**
   * Admits and charges one request, and tells how the caller's limits stand after it; a caller without any limit is
   * told nothing. Throws, and charges nobody: RATE_LIMITED, QUOTA_EXCEEDED, TOO_MANY_STREAMS, OVERLOADED,
   * DATABASE_UNAVAILABLE. Waits only where the caller's next block of the month has to be taken first.
   */
  admit(caller: Principal, access: Access): Headers | Promise<Headers> {
    const at = this.#moment();
    const policies = this.#policiesOf(caller.tier, at.calendar);
    const month = access.counts === 'minute' ? null : policies.month;
    const stream = access.stream === true;
    if (policies.minute === null && month === null) {
      if (stream && this.streams.full(caller)) throw this.streams.refusal(caller, NONE);
      return NONE;
    }
    const account = this.#account(caller, at.now);
    const request = { at, caller, account, minute: policies.minute, month, stream };
    return this.#attempt(request) ?? this.#attemptInTurn(request);
  }

  /** How the caller stands, without charging anything; the month as the database counts it. Throws DATABASE_UNAVAILABLE. */
  async standings(caller: Principal): Promise<Standings & { readonly calendar: Month }> {
    const at = this.#moment();
    const { minute, month } = this.#policiesOf(caller.tier, at.calendar);
    const account = this.#rosterOf(caller).peek(caller.account) ?? new Account();
    return {
      minute: minute === null ? null : minuteStanding(account.ring, minute, at.now),
      month: month === null ? null : await this.#monthCounted(caller, account.share, month, at),
      calendar: at.calendar,
    };
  }

  /** Gives back what was taken from the month and not spent: to be called once nothing is admitted any more. */
  async close(): Promise<void> {
    this.#addresses.clear();
    this.#subscriptions.clear();
    await this.#returned;
  }

  /** Admits and charges the request, or throws its refusal; undefined while the database has to be asked first. */
  #attempt(request: Request): Headers | undefined {
    const { at, caller, account, minute, month, stream } = request;
    if (stream && this.streams.full(caller)) throw this.streams.refusal(caller, this.#headers(request));
    const minuteFull = minute !== null && account.ring.used(at.now) >= minute.quota;
    if (month === null) {
      if (minuteFull) throw this.#refusal(request);
    } else {
      const of = monthQuota(month, at);
      const { share } = account;
      const exhausted = this.#allowance.exhausted(share, of);
      // An old count that leaves nothing is no reason to refuse: another process may have given some back.
      if (!exhausted && this.#allowance.remaining(share, of) === 0) return undefined;
      if (exhausted || minuteFull) throw this.#refusal(request);
      if (!this.#allowance.spend(share, caller.account, of)) return undefined;
    }
    if (minute !== null) account.ring.add(at.now);
    return this.#headers(request);
  }

  /** Attempts it again after each block that is taken, as if it came then: the month may have turned while it waited. */
  #attemptInTurn(request: Request): Promise<Headers> {
    const { caller, account, minute } = request;
    const spender = { account: caller.account, minute: minute?.quota ?? null };
    return this.#allowance.wait(account.share, spender, () => {
      const at = this.#moment();
      const { month } = this.#policiesOf(caller.tier, at.calendar);
      return this.#attempt({ ...request, at, account: this.#account(caller, at.now), month });
    });
  }

  #moment(): Moment {
    const date = this.#clock.now();
    return { now: this.#clock.monotonic(), date, calendar: this.#monthOf(date) };
  }

  #account(caller: Principal, now: number): Account {
    const roster = this.#rosterOf(caller);
    const account = roster.enter(caller.account, now);
    if (account === undefined) throw crowded(roster.untilTurn(now));
    return account;
  }

  /** Tokens without a subscription are counted by an address too. */
  #rosterOf(caller: Principal): Roster<Account> {
    return caller.subscription === null ? this.#addresses : this.#subscriptions;
  }

  #refusal(request: Request) {
    return exhausted(request.caller.tier, this.#known(request), this.#toGetKey);
  }

  #headers(request: Request): Headers {
    return standingsHeaders(this.#known(request));
  }

  #known(request: Request): Standings {
    const { at, account, minute, month } = request;
    // Before the first block of a month nothing is known of it.
    const remaining = month === null ? null : this.#allowance.remaining(account.share, monthQuota(month, at));
    return {
      minute: minute === null ? null : minuteStanding(account.ring, minute, at.now),
      month: month === null || remaining === null ? null : monthStanding(at, month, remaining),
    };
  }

  async #monthCounted(caller: Principal, share: Share, policy: Policy, at: Moment): Promise<Standing> {
    const of = monthQuota(policy, at);
    const remaining = await this.#allowance.countRemaining(share, caller.account, of);
    return monthStanding({ ...at, date: this.#clock.now() }, policy, remaining);
  }

  #giveBack(accounts: Iterable<[string, Account]>): void {
    const shares = new Map<string, Share>();
    for (const [name, { share }] of accounts) if (share.left > 0) shares.set(name, share);
    if (shares.size > 0) this.#returned = Promise.all([this.#returned, this.#allowance.giveBack(shares)]);
  }
}

function monthQuota({ quota }: Policy, { calendar }: Moment): MonthQuota {
  return { month: calendar.name, quota };
}

function minuteStanding(ring: Ring, policy: Policy, now: number): Standing {
  const remaining = Math.max(0, policy.quota - ring.used(now));
  return { policy, remaining, reset: wholeSeconds(ring.wait(policy.quota, now)) };
}

function monthStanding({ date, calendar }: Moment, policy: Policy, remaining: number): Standing {
  return { policy, remaining, reset: wholeSeconds(calendar.end - date) };
}
