// Owns counting requests: so many in any minute, so many in a month, and each admitted one charged exactly once.
import type { Access } from '../http/route.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/database.ts';
import { Allowance, Share, type Spending } from './allowance.ts';
import { crowded, exhausted } from './limit-refusals.ts';
import {
  type Headers,
  type Standing,
  type Standings,
  standingsHeaders,
  wholeSeconds,
} from './limit-standing.ts';
import { type Month, monthTeller } from './month.ts';
import type { Principal } from './principal.ts';
import { Ring, WINDOW } from './ring.ts';
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

/** One request on its way to being charged. */
interface Request {
  readonly caller: Principal;
  readonly account: Account;
  /** Requests a minute; null: unlimited. */
  readonly minute: number | null;
  /** Requests a month; null: unlimited, or not counted. */
  readonly quota: number | null;
  readonly stream: boolean;
}

export class Limits {
  readonly tiers: Tiers;
  readonly streams: Streams;
  readonly #clock: Clock;
  readonly #allowance: Allowance;
  readonly #monthOf: (now: number) => Month = monthTeller();
  /** Apart from each other, so that a flood of addresses crowds out no subscription. */
  readonly #addresses: Roster<Account>;
  readonly #subscriptions: Roster<Account>;
  #returned: Promise<unknown> = Promise.resolve();

  constructor(options: LimitsOptions) {
    this.tiers = options.tiers;
    this.streams = new Streams(options.tiers);
    this.#clock = options.clock;
    this.#allowance = new Allowance(options);
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
    const { minute, month } = this.tiers[caller.tier];
    const quota = access.counts === 'minute' ? null : month;
    const stream = access.stream === true;
    if (minute === null && quota === null) {
      if (stream && this.streams.full(caller)) throw this.streams.refusal(caller, NONE);
      return NONE;
    }
    const request = { caller, account: this.#account(caller), minute, quota, stream };
    this.#check(request);
    return quota === null || this.#spend(request, quota)
      ? this.#charge(request)
      : this.#admitLater(request, quota);
  }

  /** How the caller stands, without charging anything; the month as the database counts it. Throws DATABASE_UNAVAILABLE. */
  async standings(caller: Principal): Promise<Standings & { readonly calendar: Month }> {
    const { minute, month } = this.tiers[caller.tier];
    const calendar = this.#monthOf(this.#clock.now());
    const account = this.#rosterOf(caller).peek(caller.account) ?? new Account();
    return {
      minute: minute === null ? null : this.#minuteStanding(account.ring, minute),
      month: month === null ? null : await this.#monthCounted(caller, account.share, month, calendar),
      calendar,
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
    const { caller, account, minute, quota, stream } = request;
    if (stream && this.streams.full(caller)) throw this.streams.refusal(caller, this.#headers(request));
    const full = minute !== null && account.ring.used(this.#clock.monotonic()) >= minute;
    if (full || (quota !== null && this.#exhausted(account.share, quota))) throw this.#refusal(request);
  }

  #spend({ caller, account, minute }: Request, quota: number): boolean {
    return this.#allowance.spend(account.share, this.#spending(caller, minute, quota));
  }

  #spending({ account }: Principal, minute: number | null, quota: number): Spending {
    return { account, month: this.#monthOf(this.#clock.now()).name, quota, minute };
  }

  #charge(request: Request): Headers {
    if (request.minute !== null) request.account.ring.add(this.#clock.monotonic());
    return this.#headers(request);
  }

  /** Holds a place of the minute while blocks of the month are taken, so that nobody overtakes. */
  async #admitLater(request: Request, quota: number): Promise<Headers> {
    const { caller, account, minute, stream } = request;
    account.ring.held++;
    const spending = this.#spending(caller, minute, quota);
    const granted = await this.#allowance.wait(account.share, spending).finally(() => {
      account.ring.held--;
    });
    this.#account(caller); // A sign of life: the minute of its memory begins with the admission, not before the wait.
    if (!granted) throw this.#refusal(request);
    if (!stream || !this.streams.full(caller)) return this.#charge(request);
    account.share.left++;
    throw this.streams.refusal(caller, this.#headers(request));
  }

  #account(caller: Principal): Account {
    const roster = this.#rosterOf(caller);
    const now = this.#clock.monotonic();
    const account = roster.enter(caller.account, now);
    if (account === undefined) throw crowded(roster.untilTurn(now));
    return account;
  }

  #rosterOf(caller: Principal): Roster<Account> {
    return caller.kind === 'anonymous' ? this.#addresses : this.#subscriptions;
  }

  #exhausted(share: Share, quota: number): boolean {
    return this.#allowance.exhausted(share, this.#monthOf(this.#clock.now()).name, quota);
  }

  #refusal(request: Request) {
    return exhausted(request.caller.tier, this.#known(request));
  }

  #headers(request: Request): Headers {
    return standingsHeaders(this.#known(request));
  }

  #known({ account: { ring, share }, minute, quota }: Request): Standings {
    const now = this.#clock.now();
    const calendar = this.#monthOf(now);
    // Before the first block of a month nothing is known of it.
    const month =
      quota === null || share.month !== calendar.name
        ? null
        : monthStanding(calendar, now, quota, share.remaining);
    return { minute: minute === null ? null : this.#minuteStanding(ring, minute), month };
  }

  #minuteStanding(ring: Ring, quota: number): Standing {
    const now = this.#clock.monotonic();
    const remaining = Math.max(0, quota - ring.used(now));
    return {
      name: 'minute',
      quota,
      span: WINDOW / 1000,
      remaining,
      reset: wholeSeconds(ring.wait(quota, now)),
    };
  }

  async #monthCounted(caller: Principal, share: Share, quota: number, calendar: Month): Promise<Standing> {
    const remaining = await this.#allowance.countRemaining(share, caller.account, calendar.name, quota);
    return monthStanding(calendar, this.#clock.now(), quota, remaining);
  }

  #giveBack(accounts: Iterable<[string, Account]>): void {
    const shares = new Map<string, Share>();
    for (const [name, { share }] of accounts) if (share.left > 0) shares.set(name, share);
    if (shares.size > 0) this.#returned = Promise.all([this.#returned, this.#allowance.giveBack(shares)]);
  }
}

function monthStanding(calendar: Month, now: number, quota: number, remaining: number): Standing {
  return { name: 'month', quota, span: calendar.seconds, remaining, reset: wholeSeconds(calendar.end - now) };
}
