// Owns counting requests: so many in any minute, so many in a month, and each admitted one charged exactly once.
import type { Access } from '../http/route.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/database.ts';
import { Allowance, Share, type Spending } from './allowance.ts';
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
import type { Principal } from './principal.ts';
import { Ring } from './ring.ts';
import { Roster } from './roster.ts';
import { Streams } from './streams.ts';
import type { Tiers } from './tiers.ts';

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

  constructor(options: LimitsOptions) {
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
    this.#check(request);
    return month === null || this.#spend(request, month)
      ? this.#charge(request)
      : this.#admitLater(request, month);
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

  /** Throws where the request cannot be admitted, as far as that is known without asking the database. */
  #check(request: Request): void {
    const { at, caller, account, minute, month, stream } = request;
    if (stream && this.streams.full(caller)) throw this.streams.refusal(caller, this.#headers(request));
    const full = minute !== null && account.ring.used(at.now) >= minute.quota;
    if (full || (month !== null && this.#exhausted(account.share, month, at))) throw this.#refusal(request);
  }

  #spend(request: Request, month: Policy): boolean {
    return this.#allowance.spend(request.account.share, spendingOf(request, month));
  }

  #charge(request: Request): Headers {
    if (request.minute !== null) request.account.ring.add(request.at.now);
    return this.#headers(request);
  }

  /** Holds a place of the minute while blocks of the month are taken, so that nobody overtakes. */
  async #admitLater(request: Request, month: Policy): Promise<Headers> {
    const { caller, account, stream } = request;
    account.ring.held++;
    const spending = spendingOf(request, month);
    const granted = await this.#allowance.wait(account.share, spending).finally(() => {
      account.ring.held--;
    });
    const at = this.#moment();
    const later = { ...request, at, month: this.#policiesOf(caller.tier, at.calendar).month };
    // A sign of life: the minute of its memory begins with the admission, not before the wait.
    this.#account(caller, at.now);
    if (!granted) throw this.#refusal(later);
    if (!stream || !this.streams.full(caller)) return this.#charge(later);
    account.share.left++;
    throw this.streams.refusal(caller, this.#headers(later));
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

  #exhausted(share: Share, { quota }: Policy, { calendar }: Moment): boolean {
    return this.#allowance.exhausted(share, calendar.name, quota);
  }

  #refusal(request: Request) {
    return exhausted(request.caller.tier, this.#known(request));
  }

  #headers(request: Request): Headers {
    return standingsHeaders(this.#known(request));
  }

  #known({ at, account: { ring, share }, minute, month }: Request): Standings {
    return {
      minute: minute === null ? null : minuteStanding(ring, minute, at.now),
      // Before the first block of a month nothing is known of it.
      month:
        month === null || share.month !== at.calendar.name ? null : monthStanding(at, month, share.remaining),
    };
  }

  async #monthCounted(caller: Principal, share: Share, policy: Policy, at: Moment): Promise<Standing> {
    const month = at.calendar.name;
    const remaining = await this.#allowance.countRemaining(share, caller.account, month, policy.quota);
    return monthStanding({ ...at, date: this.#clock.now() }, policy, remaining);
  }

  #giveBack(accounts: Iterable<[string, Account]>): void {
    const shares = new Map<string, Share>();
    for (const [name, { share }] of accounts) if (share.left > 0) shares.set(name, share);
    if (shares.size > 0) this.#returned = Promise.all([this.#returned, this.#allowance.giveBack(shares)]);
  }
}

function spendingOf({ at, caller, minute }: Request, { quota }: Policy): Spending {
  return { account: caller.account, month: at.calendar.name, quota, minute: minute?.quota ?? null };
}

function minuteStanding(ring: Ring, policy: Policy, now: number): Standing {
  const remaining = Math.max(0, policy.quota - ring.used(now));
  return { policy, remaining, reset: wholeSeconds(ring.wait(policy.quota, now)) };
}

function monthStanding({ date, calendar }: Moment, policy: Policy, remaining: number): Standing {
  return { policy, remaining, reset: wholeSeconds(calendar.end - date) };
}
