// Limits that several processes count together: who decides at this moment, what is lost and how it is made good.

import { crc32 } from 'node:zlib';
import type { Clock } from '../../../lib/clock.ts';
import { startPeriodicWork } from '../../../lib/periodic-work.ts';
import { Problem } from '../../../lib/problem.ts';
import {
  type Counted,
  type CountingServer,
  CountingTooSlow,
  type Marks,
  PARTS,
  type Place,
} from './counting-server.ts';
import type { LimitsBoard } from './limits-board.ts';
import type { StoredState } from './phase-store.ts';
import { FORGOTTEN_AFTER, type LimitsMode, modeOf, type Rule, ruleOf, type Step } from './phases.ts';
import { reasonOf } from './reason.ts';
import { UnsuitableServer } from './suitable-server.ts';

export interface SharedLimiterOptions {
  readonly server: CountingServer;
  readonly board: LimitsBoard;
  readonly clock: Clock;
  /** The server is lost, or found again, with the reason or what was done. */
  readonly onChange: (status: LimitsStatus) => void;
  /** Called with errors of the board. */
  readonly report: (error: unknown) => void;
}

/** What is reported of the shared limits. */
export interface LimitsStatus {
  readonly mode: LimitsMode;
  readonly epoch: number;
  readonly step: Step;
  /** Among how many processes limits are divided. */
  readonly nodes: number;
  /** Why the server does not decide, without addresses and secrets; null where it does. */
  readonly reason: string | null;
  /** Times that this process has lost the server, or what it had counted. */
  readonly losses: number;
  /** Calls of this process without an answer in time. */
  readonly slowCalls: number;
}

/** Milliseconds between two reports. */
const REPORT_EVERY = 1_000;
/** Calls without an answer in time that are a loss when they come within so many milliseconds. */
const SLOW_CALLS = 3;
const SLOW_WITHIN = 10_000;
/** Milliseconds for which losses are remembered, and the longest pause before a server is used again that was lost several times. */
const LOSSES_WITHIN = 120_000;
const MAX_PAUSE = 30_000;
/** Names that are loaded at once. */
const LOADED_AT_ONCE = 100;
const RETRY_SECONDS = 2;

export class SharedLimiter {
  readonly #options: SharedLimiterOptions;
  readonly #counted: Counted[] = [];
  #state: StoredState | null = null;
  #epoch = 0;
  #step: Step = 'divided';
  #isLost = false;
  #marks: Marks | null = null;
  #isSending = false;
  /** Monotonic times: start of the last report that was seen; from when on this process may divide. */
  #reportedAt = Number.NEGATIVE_INFINITY;
  #mayDivideAt: number | null = null;
  #reason: string | null = 'The counting server has not been reached yet';
  #losses = 0;
  #slowCalls = 0;
  #recentSlowCalls: number[] = [];
  /** Monotonic times of losses that this process noticed, and from when on it uses the server again. */
  #recentLosses: number[] = [];
  #usableAt = Number.NEGATIVE_INFINITY;
  #reported = '';
  #stop: () => Promise<void> = async () => {};
  #runNow: () => void = () => {};

  constructor(options: SharedLimiterOptions) {
    this.#options = options;
  }

  /** Takes part from now on. Throws UnsuitableServer where the server could never count. */
  async start(): Promise<void> {
    const { board, clock, report } = this.#options;
    await this.#round();
    const work = startPeriodicWork({ clock, pause: REPORT_EVERY, work: () => this.#round(), report });
    const following = board.follow(() => work.runNow());
    this.#runNow = work.runNow;
    this.#stop = async () => {
      await following.close();
      await work.stop();
      await board.leave().catch(report);
    };
  }

  async stop(): Promise<void> {
    await this.#stop();
    this.#options.server.close();
  }

  /** Takes in something that is counted: before `start`. */
  add(counted: Counted): void {
    this.#counted.push(counted);
  }

  /** What decides now. Throws OVERLOADED where nothing may be admitted. */
  requireRule(): Exclude<Rule, { by: 'nobody' }> {
    const rule = this.#rule();
    if (rule.by !== 'nobody') return rule;
    throw new Problem('OVERLOADED', 'The counts of requests are being restored. Try again in a moment.', {
      headers: { 'retry-after': String(RETRY_SECONDS) },
    });
  }

  /** Processes that count together. */
  get nodes(): number {
    return this.#state?.nodes ?? 1;
  }

  /** Whether what is admitted here by share is to be written into the server. */
  get isSending(): boolean {
    return this.#isSending && !this.#isLost;
  }

  /** Where a name is counted; null while nothing can be counted there. */
  place(kind: string, name: string): Place | null {
    const key = `${kind}:${name}`;
    const part = crc32(key) % PARTS;
    const mark = this.#marks?.[part];
    return mark === undefined ? null : { part, mark, key };
  }

  /** Whether what was counted there is what the server has now: not of a place of before the last loss. */
  isCurrent({ part, mark }: Place): boolean {
    return this.#marks?.[part] === mark;
  }

  /**
   * The answer of a call to the server about a place; null where it gave none, which is a loss unless it was only slow, or where the place
   * is one of before the last loss.
   */
  async call<T>(place: Place, work: (server: CountingServer) => Promise<T>): Promise<T | null> {
    if (!this.isCurrent(place)) return null;
    try {
      return await work(this.#options.server);
    } catch (error) {
      if (error instanceof CountingTooSlow) this.#slowCalls++;
      if (this.isCurrent(place) && !this.#isBearable(error)) this.#lose(error);
      return null;
    }
  }

  status(): LimitsStatus {
    const rule = this.#rule();
    return {
      mode: modeOf(rule),
      epoch: this.#epoch,
      step: this.#step,
      nodes: this.nodes,
      reason: rule.by === 'server' ? null : this.#reason,
      losses: this.#losses,
      slowCalls: this.#slowCalls,
    };
  }

  #rule(): Rule {
    const now = this.#options.clock.monotonic();
    return ruleOf({
      state: this.#state,
      epoch: this.#epoch,
      step: this.#step,
      isLost: this.#isLost,
      silentMs: now - this.#reportedAt,
      mayDivide: this.#mayDivideAt !== null && now >= this.#mayDivideAt,
    });
  }

  /** Reports, and does what the state asks of this process, until there is nothing more to report. */
  async #round(): Promise<void> {
    for (let hasNews = true; hasNews; ) {
      const startedAt = this.#options.clock.monotonic();
      const { epoch, step, isLost } = { epoch: this.#epoch, step: this.#step, isLost: this.#isLost };
      const state = await this.#options.board.report({ epoch, step, isLost });
      this.#adopt(state, startedAt);
      hasNews = await this.#advance(state);
      this.#notify();
    }
  }

  #adopt(state: StoredState, startedAt: number): void {
    this.#state = state;
    this.#reportedAt = startedAt;
    this.#mayDivideAt ??= state.phase === 'shared' ? startedAt : startedAt + FORGOTTEN_AFTER;
    if (state.epoch !== this.#epoch) {
      this.#epoch = state.epoch;
      this.#step = 'divided';
      this.#marks = null;
      this.#isSending = false;
      this.#isLost = false;
    } else if (this.#step === 'divided' && state.phase === 'divided') this.#isLost = false;
  }

  /** Whether there is something new to report. */
  async #advance(state: StoredState): Promise<boolean> {
    if (this.#isLost || this.#options.clock.monotonic() < this.#usableAt) return false;
    const namespace = `${state.installation}:${state.epoch}`;
    const { server, clock } = this.#options;
    try {
      if (this.#step === 'divided') {
        const marks = await server.open(namespace, state.phase === 'divided');
        this.#marks = marks;
        await this.#load();
        await server.check(namespace, marks);
        return this.#come('loaded');
      }
      await server.check(namespace, this.#marks ?? []);
    } catch (error) {
      if (error instanceof UnsuitableServer && this.#reported === '') throw error;
      const wasIn = this.#step !== 'divided' || state.phase !== 'divided';
      if (error instanceof CountingTooSlow) this.#slowCalls++;
      this.#reason = reasonOf(error);
      if (this.#epoch !== state.epoch || this.#isLost) return true;
      if (wasIn) this.#noteLoss();
      return wasIn;
    }
    if (this.#isLost) return true;
    if (state.phase === 'both' && this.#step === 'loaded') return this.#come('both');
    if (state.phase !== 'shared' || this.#step === 'shared') return false;
    this.#mayDivideAt = clock.monotonic();
    this.#reason = null;
    return this.#come('shared');
  }

  #come(step: Step): boolean {
    if (!this.#isLost) this.#step = step;
    return true;
  }

  /** Writes into the server what was admitted here and still counts; from now on each admission is sent to it too. */
  async #load(): Promise<void> {
    this.#isSending = true;
    const { server } = this.#options;
    let batch: Promise<void>[] = [];
    for (const counted of this.#counted) {
      for (const { name, slots } of counted.slots()) {
        const place = this.place(counted.kind, name);
        if (place !== null && slots.length > 0) batch.push(server.put(place, slots));
        if (batch.length < LOADED_AT_ONCE) continue;
        await Promise.all(batch);
        batch = [];
      }
    }
    await Promise.all(batch);
  }

  #isBearable(error: unknown): boolean {
    if (!(error instanceof CountingTooSlow)) return false;
    const now = this.#options.clock.monotonic();
    this.#recentSlowCalls = [...this.#recentSlowCalls.filter((at) => now - at < SLOW_WITHIN), now];
    return this.#recentSlowCalls.length < SLOW_CALLS;
  }

  #lose(error: unknown): void {
    if (this.#isLost) return;
    this.#noteLoss();
    this.#reason = reasonOf(error);
    this.#notify();
    this.#runNow();
  }

  /** A server that is lost again and again is left alone for longer each time: limits that change every second help nobody. */
  #noteLoss(): void {
    const now = this.#options.clock.monotonic();
    this.#losses++;
    this.#isLost = true;
    this.#isSending = false;
    this.#recentSlowCalls = [];
    this.#recentLosses = [...this.#recentLosses.filter((at) => now - at < LOSSES_WITHIN), now];
    const earlier = this.#recentLosses.length - 1;
    this.#usableAt = now + (earlier === 0 ? 0 : Math.min(MAX_PAUSE, REPORT_EVERY * 2 ** earlier));
  }

  /** Reports each change once. */
  #notify(): void {
    const status = this.status();
    const present = `${status.mode} ${status.epoch}`;
    if (present !== this.#reported) this.#options.onChange(status);
    this.#reported = present;
  }
}
