// Owns the monthly count in this process: blocks of requests taken from the shared count before any is admitted.
import type { Clock } from '../lib/clock.ts';
import { databaseUnavailable } from '../postgres/connection-errors.ts';
import type { Database } from '../postgres/database.ts';
import { secondOf } from './month.ts';
import { readUsed, returnUnspent, takeBlock } from './store.ts';

/** Milliseconds for which a month that was found used up is not asked about again. */
const EXHAUSTED_PAUSE = 10_000;

/** Milliseconds that a request waits for its turn. Far less than a minute, in which callers are forgotten. */
const PATIENCE = 10_000;
const TOO_SLOW = 'The monthly count is too slow for those who wait for it';

/** What this process holds of one caller's month. */
export class Share {
  /** The month it belongs to, by name; empty: nothing was taken yet. */
  month = '';
  quota = 0;
  /** Requests taken and not yet spent. */
  left = 0;
  /** Requests that nobody had taken when this process last asked. */
  beyond = 0;
  /** Until then, on the monotonic clock, the month counts as used up. */
  exhaustedUntil = Number.NEGATIVE_INFINITY;
  /** Who waits for a block, in order of arrival. */
  line: Waiting[] = [];
  /** Whether they are being seen to. */
  serving = false;

  /** Requests left in the month, as far as this process knows. */
  get remaining(): number {
    return this.left + this.beyond;
  }
}

interface Waiting {
  readonly spending: Spending;
  readonly since: number;
  readonly resolve: (granted: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Whose month is spent, and by what measure. */
export interface Spending {
  readonly account: string;
  /** The month's name. */
  readonly month: string;
  /** Requests that it allows. */
  readonly quota: number;
  /** Requests that a minute allows; null: unlimited. */
  readonly minute: number | null;
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
  spend(share: Share, spending: Spending): boolean {
    if (!belongs(share, spending.month, spending.quota)) this.#begin(share, spending);
    if (share.left === 0) return false;
    share.left--;
    return true;
  }

  /** Whether the month is known to be used up. */
  exhausted(share: Share, month: string, quota: number): boolean {
    return belongs(share, month, quota) && share.left === 0 && this.#clock.monotonic() < share.exhaustedUntil;
  }

  /**
   * Spends one request of the next blocks, in order of arrival: all who wait for the same caller share its statements.
   * False when the month is used up. Throws DATABASE_UNAVAILABLE.
   */
  wait(share: Share, spending: Spending): Promise<boolean> {
    return new Promise((resolve, reject) => {
      share.line.push({ spending, since: this.#clock.monotonic(), resolve, reject });
      if (!share.serving) void this.#serve(share);
    });
  }

  /** Requests left in the month by the database's count, and what this process holds. Throws DATABASE_UNAVAILABLE. */
  async countRemaining(share: Share, account: string, month: string, quota: number): Promise<number> {
    const used = await this.#database.read((sql) => readUsed(sql, account, month), {
      planned: 'once',
    });
    return Math.max(0, quota - used) + (belongs(share, month, quota) ? share.left : 0);
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
  #begin(share: Share, { account, month, quota }: Spending): void {
    if (share.left > 0 && share.month === month) void this.#return(month, new Map([[account, share.left]]));
    share.month = month;
    share.quota = quota;
    share.left = 0;
    share.beyond = 0;
    share.exhaustedUntil = Number.NEGATIVE_INFINITY;
  }

  async #serve(share: Share): Promise<void> {
    share.serving = true;
    for (let first = share.line[0]; first !== undefined; first = share.line[0]) {
      const { spending, since } = first;
      if (this.spend(share, spending)) share.line.shift()?.resolve(true);
      else if (this.exhausted(share, spending.month, spending.quota)) share.line.shift()?.resolve(false);
      else if (this.#clock.monotonic() - since > PATIENCE)
        share.line.shift()?.reject(databaseUnavailable(TOO_SLOW));
      else await this.#take(share, spending).catch((error: unknown) => rejectAll(share, error));
    }
    share.serving = false;
  }

  async #take(share: Share, { account, month, quota, minute }: Spending): Promise<void> {
    const claim = { account, month, quota, second: secondOf(minute) };
    const taken = await this.#database.write((sql) => takeBlock(sql, claim));
    const current = belongs(share, month, quota);
    if (taken === undefined) {
      if (current) share.exhaustedUntil = this.#clock.monotonic() + EXHAUSTED_PAUSE;
    } else if (current) {
      share.left += taken.block;
      share.beyond = quota - taken.used;
    } else {
      await this.#return(month, new Map([[account, taken.block]]));
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

function belongs(share: Share, month: string, quota: number): boolean {
  return share.month === month && share.quota === quota;
}
