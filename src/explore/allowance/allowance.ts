// Who may look at the explorer, and how often: its audience, its limits by the minute, and what it shows of a day.

import { RecentCallers, SlidingWindowLog, WINDOW } from '../../access/limits/sliding-window-log.ts';
import { EXPLORER, type Principal } from '../../access/tiers/tiers.ts';
import type { Headers } from '../../http/output/reply.ts';
import { type Clock, DAY } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { Problem, type ProblemCode } from '../../lib/problem.ts';
import { type Audience, narrower } from '../../licence/terms/terms.ts';
import type { Database } from '../../postgres/client/database.ts';
import { DayLease, DayQuota, dayOf } from './day-quota.ts';
import { deleteOldDays } from './usage-store.ts';

/** Callers that can be active within a minute, and as many with credentials. */
const CAPACITY = 131_072;
/** Leased at once: pins of a few views, and single homes. */
const BLOCKS = { pins: 500, homes: 5 } as const;
/** As many as one view shows at most. */
const AHEAD = { pins: 250, homes: 0 } as const;

export interface AllowanceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly report: (error: unknown) => void;
  /** The widest that the operator lets in. */
  readonly audience: Audience;
  /** The widest to which licences open anything here. */
  readonly findOpenAudience: () => Audience;
  /** Origin of pages that may show the explorer in a frame; null: none. */
  readonly embedder?: string | null;
  /** Callers of each kind that can be active within a minute. */
  readonly capacity?: number;
}

/** What routes of the explorer need of it. */
export type ExplorerAccess = Pick<
  Allowance,
  'admit' | 'mayLook' | 'takeList' | 'takePins' | 'embedder' | 'isOff'
>;

/** What is counted by the minute: views, lists together with single homes, and parts of the base map. */
export type LookKind = 'views' | 'homes' | 'tiles';

class CallerState {
  readonly logs: Readonly<Record<LookKind, SlidingWindowLog>> = {
    views: new SlidingWindowLog(),
    homes: new SlidingWindowLog(),
    tiles: new SlidingWindowLog(),
  };
  readonly leases = { pins: new DayLease(), homes: new DayLease() };
}

export class Allowance {
  readonly embedder: string | null;
  /** Whether the operator has switched the explorer off. */
  readonly isOff: boolean;
  readonly #clock: Clock;
  readonly #findAudience: () => Audience;
  readonly #addresses: RecentCallers<CallerState>;
  readonly #others: RecentCallers<CallerState>;
  readonly #pins: DayQuota;
  readonly #homes: DayQuota;
  readonly #refusals: (labels: { readonly reason: string }) => void;
  readonly #returning = new Set<Promise<unknown>>();
  #cancelCleanup = () => {};

  constructor(options: AllowanceOptions) {
    const { database, clock, audience, findOpenAudience, metrics, report } = options;
    this.#clock = clock;
    this.embedder = options.embedder ?? null;
    this.isOff = audience === 'off';
    this.#findAudience = () => narrower(audience, findOpenAudience());
    const callers = {
      capacity: options.capacity ?? CAPACITY,
      now: clock.monotonic(),
      create: () => new CallerState(),
      onEvict: (entries: Iterable<[string, CallerState]>) => this.#giveBack(entries),
    };
    this.#addresses = new RecentCallers(callers);
    this.#others = new RecentCallers(callers);
    const { pinsADay, homesADay } = EXPLORER;
    this.#pins = new DayQuota({
      ...options,
      kind: 'pins',
      quota: pinsADay,
      block: BLOCKS.pins,
      ahead: AHEAD.pins,
    });
    this.#homes = new DayQuota({
      ...options,
      kind: 'homes',
      quota: homesADay,
      block: BLOCKS.homes,
      ahead: AHEAD.homes,
    });
    const refused = metrics.counter(
      'freehold_explorer_refusals_total',
      'Requests of the explorer that were refused, or answered in part, by reason.',
      ['reason'],
    );
    this.#refusals = (labels) => refused.inc(labels);
    this.#cleanUp(database, report);
  }

  /** Why this caller may not look at homes here; null: it may. Throws DATABASE_UNAVAILABLE. */
  async mayLook(caller: Principal): Promise<Problem | null> {
    const audience = this.#findAudience();
    if (audience === 'public') return null;
    if (audience === 'off') return new Problem('NOT_FOUND', 'This service has no explorer.');
    if (caller.kind === 'anonymous')
      return new Problem('MISSING_API_KEY', `${WHO[audience]} Sign in to look.`);
    if (audience === 'signed-in' || caller.subscription !== null) return null;
    return new Problem(
      'TIER_RESTRICTED',
      `${WHO.subscribers} Sign in with the key of a subscription; a plan without one is not enough.`,
    );
  }

  /**
   * Admits one look, and charges it. Throws why it may not: what `mayLook` gives, RATE_LIMITED, QUOTA_EXCEEDED for a home once
   * the day is used up, OVERLOADED, DATABASE_UNAVAILABLE.
   */
  async admit(caller: Principal, kind: LookKind): Promise<Headers> {
    const refusal = await this.mayLook(caller);
    if (refusal !== null) throw this.#refused('audience', refusal);
    const state = this.#state(caller);
    const full = this.#fill(state, kind);
    if (full !== null) throw full;
    if (kind === 'homes' && !(await this.#homes.take(accountOf(caller), state.leases.homes, 1)))
      throw this.dayIsOver(caller, 'homes');
    return {};
  }

  /** Charges a list; null: it may be shown, else why not. */
  takeList(caller: Principal): Problem | null {
    return this.#fill(this.#state(caller), 'homes');
  }

  /** Charges homes that a view shows; null: they may be shown, else why not. Throws DATABASE_UNAVAILABLE. */
  async takePins(caller: Principal, count: number): Promise<Problem | null> {
    if (count === 0) return null;
    const isTaken = await this.#pins.take(accountOf(caller), this.#state(caller).leases.pins, count);
    return isTaken ? null : this.dayIsOver(caller, 'pins');
  }

  /** The problem of a caller that has seen as much as a day allows. */
  dayIsOver(caller: Principal, kind: 'pins' | 'homes'): Problem {
    const wait = this.#pins.secondsLeft();
    const [who, remedy] =
      caller.kind === 'anonymous'
        ? ['Without signing in an address', 'Sign in to go on, or come back tomorrow (UTC).']
        : ['A reader', 'Come back tomorrow (UTC), or read on by the API under /v1.'];
    const allowed =
      kind === 'pins'
        ? `may see ${EXPLORER.pinsADay} homes on maps and in lists in a day`
        : `may open ${EXPLORER.homesADay} homes in a day`;
    return this.#refused('day', limitProblem('QUOTA_EXCEEDED', `${who} ${allowed}. ${remedy}`, wait, 'day'));
  }

  /** Returns what was leased and not shown: call it once nothing is admitted any more. */
  async close(): Promise<void> {
    this.#cancelCleanup();
    this.#addresses.clear();
    this.#others.clear();
    await Promise.all(this.#returning);
  }

  #fill(state: CallerState, kind: LookKind): Problem | null {
    const now = this.#clock.monotonic();
    const log = state.logs[kind];
    const quota = EXPLORER[kind];
    if (log.count(now) < quota) {
      log.add(now);
      return null;
    }
    const wait = Math.max(1, Math.ceil(log.timeUntilFree(quota, now) / 1_000));
    const detail = `At most ${quota} ${COUNTED[kind]} are shown in any ${WINDOW / 1_000} seconds. Try again in ${wait} s.`;
    return this.#refused('minute', limitProblem('RATE_LIMITED', detail, wait, 'minute'));
  }

  #state(caller: Principal): CallerState {
    const now = this.#clock.monotonic();
    const callers = caller.kind === 'anonymous' ? this.#addresses : this.#others;
    const state = callers.getOrCreate(accountOf(caller), now);
    if (state !== undefined) return state;
    const wait = Math.max(1, Math.ceil(callers.timeUntilRotation(now) / 1_000));
    throw new Problem('OVERLOADED', 'More people are looking than this service can count. Try again later.', {
      headers: { 'retry-after': String(wait) },
    });
  }

  #refused(reason: string, problem: Problem): Problem {
    this.#refusals({ reason });
    return problem;
  }

  #giveBack(entries: Iterable<[string, CallerState]>): void {
    for (const [account, { leases }] of entries) {
      const work = Promise.all([
        this.#pins.giveBack(account, leases.pins),
        this.#homes.giveBack(account, leases.homes),
      ]);
      this.#returning.add(work);
      void work.finally(() => this.#returning.delete(work));
    }
  }

  /** Deletes the counts of days that are over, now and every day. */
  #cleanUp(database: Database, report: (error: unknown) => void): void {
    const yesterday = dayOf(this.#clock.now() - DAY);
    database.write((sql) => deleteOldDays(sql, yesterday)).catch(report);
    this.#cancelCleanup = this.#clock.after(DAY, () => this.#cleanUp(database, report));
  }
}

const COUNTED: Readonly<Record<LookKind, string>> = {
  views: 'views',
  homes: 'lists and homes together',
  tiles: 'parts of the base map',
};

const WHO = {
  'signed-in': 'This service shows its market to people who have signed in.',
  subscribers: 'This service shows its market to subscribers.',
} as const;

/**
 * Whose limits these are: those of a grant bound to a key, whatever the address. Grants without a key share those of the address that
 * consented, however many it makes.
 */
const accountOf = ({ grant, subscription, account }: Principal): string =>
  grant === null || subscription === null ? account : `grant:${grant}`;

const limitProblem = (code: ProblemCode, detail: string, wait: number, policy: string): Problem =>
  new Problem(code, detail, {
    headers: { 'retry-after': String(wait) },
    members: { violatedPolicies: [policy] },
  });
