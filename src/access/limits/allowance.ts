// Owns the monthly count in this process: blocks of requests taken from the shared count before any is admitted.

import type { Clock } from '../../lib/clock.ts';
import { databaseUnavailable } from '../../postgres/client/connection-errors.ts';
import type { Database } from '../../postgres/client/database.ts';
import { secondOf } from './month.ts';
import { readUsed, returnUnspent, takeBlock } from './month-store.ts';

/** Milliseconds for which a month that is used up by the database's count is not asked about again. */
const EXHAUSTED_PAUSE = 10_000;

/** Milliseconds that a request waits for its turn. Far less than a minute, in which callers are forgotten. */
const PATIENCE = 10_000;
const TOO_SLOW = 'The monthly count is too slow for those who wait for it';
/** Requests of one caller that wait at once. */
const LONGEST_LINE = 10_000;

/** What this process holds of one caller's month. */
export class Share {
  /** The month it belongs to, by name; empty: nothing was taken yet. */
  month = '';
  quota = 0;
  /** Requests taken and not yet spent. */
  left = 0;
  /** Requests that nobody had taken when this process last asked; null: it has not asked yet. */
  beyond: number | null = null;
  /** Until then, on the monotonic clock, the month counts as used up. */
  exhaustedUntil = Number.NEGATIVE_INFINITY;
  /** Who waits for a block, in order of arrival. */
  line: Waiting[] = [];
  /** Whether they are being seen to. */
  serving = false;
}

/** One request that waits for a block. */
interface Waiting {
  readonly spender: Spender;
  readonly since: number;
  /** Judges it once more: false while a block has to be taken first. Throws its refusal. */
  readonly attempt: () => boolean;
  readonly reject: (error: unknown) => void;
}

/** Who spends of a month. */
export interface Spender {
  readonly account: string;
  /** Requests that a minute allows; null: unlimited. */
  readonly minute: number | null;
}

/** What is spent of. */
export interface MonthQuota {
  /** The month's name. */
  readonly month: string;
  /** Requests that it allows. */
  readonly quota: number;
}

export class Allowance {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #report: (error: unknown) => void;

  /** @param options.report told when requests could not be given back */
  constructor(options: { database: Database; clock: Clock; report: (error: unknown) => void }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#report = options.report;
  }

  /** Spends one request of the block at hand: true when there was one. */
  spend(share: Share, account: string, of: MonthQuota): boolean {
    if (!belongs(share, of)) this.#begin(share, account, of);
    if (share.left === 0) return false;
    share.left--;
    return true;
  }

  /** Requests left in the month as far as this process knows; null where it has not asked yet. */
  remaining(share: Share, of: MonthQuota): number | null {
    return belongs(share, of) && share.beyond !== null ? share.left + share.beyond : null;
  }

  /** Whether the month is used up by the database's count, and not only by an old one. */
  exhausted(share: Share, of: MonthQuota): boolean {
    return belongs(share, of) && share.left === 0 && this.#clock.monotonic() < share.exhaustedUntil;
  }

  /**
   * Takes blocks until this request has its result, in order of arrival: all who wait for the same caller share the
   * statements, and each is judged at its turn. Throws DATABASE_UNAVAILABLE, and what `attempt` throws.
   * @param attempt judges the request; undefined while a block has to be taken first
   */
  wait<Result>(share: Share, spender: Spender, attempt: () => Result | undefined): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (share.line.length >= LONGEST_LINE) throw databaseUnavailable(TOO_SLOW);
      const settle = () => {
        const result = attempt();
        if (result !== undefined) resolve(result);
        return result !== undefined;
      };
      share.line.push({ spender, since: this.#clock.monotonic(), attempt: settle, reject });
      if (!share.serving) void this.#serve(share);
    });
  }

  /** Requests left in the month by the database's count, and what this process holds. Throws DATABASE_UNAVAILABLE. */
  async countRemaining(share: Share, account: string, of: MonthQuota): Promise<number> {
    const { month, quota } = of;
    const used = await this.#database.read((sql) => readUsed(sql, account, month), {
      planned: 'once',
    });
    return Math.max(0, quota - used) + (belongs(share, of) ? share.left : 0);
  }

  /** Gives back what was taken and will not be spent here. */
  async giveBack(shares: ReadonlyMap<string, Share>): Promise<void> {
    const months = new Map<string, Map<string, number>>();
    for (const [account, share] of shares) {
      const unspent = months.get(share.month) ?? new Map<string, number>();
      months.set(share.month, unspent.set(account, share.left));
      share.left = 0;
    }
    for (const [month, unspent] of months) await this.#return(month, unspent);
  }

  /** A new month, or another tier: what is held of the old one is not spent on the new one. */
  #begin(share: Share, account: string, { month, quota }: MonthQuota): void {
    if (share.left > 0 && share.month === month) void this.#return(month, new Map([[account, share.left]]));
    share.month = month;
    share.quota = quota;
    share.left = 0;
    share.beyond = null;
    share.exhaustedUntil = Number.NEGATIVE_INFINITY;
  }

  async #serve(share: Share): Promise<void> {
    share.serving = true;
    for (let first = share.line[0]; first !== undefined; first = share.line[0]) {
      if (this.#settle(first)) share.line.shift();
      else await this.#take(share, first.spender).catch((error: unknown) => rejectAll(share, error));
    }
    share.serving = false;
  }

  /** Whether the request has its result, be it an error. */
  #settle({ attempt, since, reject }: Waiting): boolean {
    try {
      if (attempt()) return true;
      if (this.#clock.monotonic() - since <= PATIENCE) return false;
      throw databaseUnavailable(TOO_SLOW);
    } catch (error) {
      reject(error);
      return true;
    }
  }

  async #take(share: Share, { account, minute }: Spender): Promise<void> {
    const of = { month: share.month, quota: share.quota };
    const claim = { account, ...of, second: secondOf(minute) };
    const taken = await this.#database.write((sql) => takeBlock(sql, claim));
    if (belongs(share, of)) {
      share.left += taken?.block ?? 0;
      share.beyond = taken === undefined ? 0 : of.quota - taken.used;
      if (share.beyond === 0) share.exhaustedUntil = this.#clock.monotonic() + EXHAUSTED_PAUSE;
    } else if (taken !== undefined) {
      await this.#return(of.month, new Map([[account, taken.block]]));
    }
  }

  /** Never fails: requests that cannot be given back are lost to the caller, not counted twice. */
  async #return(month: string, unspent: ReadonlyMap<string, number>): Promise<void> {
    await this.#database.write((sql) => returnUnspent(sql, month, unspent)).catch(this.#report);
  }
}

function rejectAll(share: Share, error: unknown): void {
  const { line } = share;
  share.line = [];
  for (const { reject } of line) reject(error);
}

function belongs(share: Share, { month, quota }: MonthQuota): boolean {
  return share.month === month && share.quota === quota;
}
