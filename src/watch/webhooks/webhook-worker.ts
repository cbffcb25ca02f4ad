// Worker for one claimed webhook: sends its events one after another, and records each before the next is sent.

import { hash } from 'node:crypto';
import { type Clock, pause, systemClock } from '../../lib/clock.ts';
import { type AttemptOutcome, type DisableReason, decideOutcome, passed } from './attempt-rules.ts';
import type { Attempt, ClaimedWebhook, QueuedEvent, WebhookState } from './claimed-webhook.ts';
import type { Outcome, RecordedWebhook, Release } from './outcome-store.ts';
import type { WebhookWork } from './queue-store.ts';
import type { Sender } from './sender.ts';

export interface WorkerOptions {
  readonly clock: Clock;
  /** Writes an outcome; undefined: the claim was lost. */
  readonly record: (outcome: Outcome) => Promise<RecordedWebhook | undefined>;
  /** Disables a webhook that is still claimed, and gives it back. */
  readonly disable: (webhook: ClaimedWebhook, reason: DisableReason) => Promise<void>;
  /** Called for each attempt. */
  readonly count: (attempt: Attempt, outcome: AttemptOutcome, event: QueuedEvent) => void;
  readonly report: (error: unknown) => void;
  readonly random: () => number;
  /** No attempt begins once it aborts. */
  readonly stopping: AbortSignal;
  /** Ends the attempt under way. */
  readonly aborting: AbortSignal;
  /** Milliseconds of a claim. */
  readonly lifetime: number;
  /** Called between the steps, for tests that stop the process there. */
  readonly onStep?: ((step: WorkerStep) => void | Promise<void>) | undefined;
}

export type WorkerStep = 'claimed' | 'sent' | 'recorded';

/** Milliseconds. */
const RETRY_PAUSE = 500;
/** Milliseconds that must be left of a claim when an attempt begins; the dispatcher renews it meanwhile. */
const MARGIN = 3_000;
/** Milliseconds after which a webhook is tried again whose secret cannot be opened. */
const UNOPENED_PAUSE = 300_000;

export class WebhookWorker {
  readonly #options: WorkerOptions;
  readonly #webhook: ClaimedWebhook;
  #state: WebhookState;
  /** By the system's clock: before the statement was sent that claimed the webhook, or last renewed the claim. */
  #claimedAt: number;

  constructor(options: WorkerOptions, webhook: ClaimedWebhook, claimedAt: number) {
    this.#options = options;
    this.#webhook = webhook;
    this.#state = webhook.state;
    this.#claimedAt = claimedAt;
  }

  get webhook(): ClaimedWebhook {
    return this.#webhook;
  }

  /** Call when the claim was renewed by a statement that was sent at this time, by the system's clock. */
  renewed(at: number): void {
    this.#claimedAt = Math.max(this.#claimedAt, at);
  }

  /** Sends what there is, and gives the webhook back; null: no secret of it can be opened. */
  async run(sender: Sender | null, { events, hasMore }: WebhookWork): Promise<void> {
    const { clock, onStep } = this.#options;
    await onStep?.('claimed');
    if (sender === null) return this.#release(clock.now() + UNOPENED_PAUSE);
    // Its deliveries follow when its owner resumes it, which makes it due.
    if (this.#webhook.isPaused) return this.#release(null);
    // What is gone after 30 days is not waited for.
    if (!events.some(({ occasion }) => occasion === 'test'))
      this.#state = { ...this.#state, testSequence: null };
    for (const [at, event] of events.entries()) {
      const isGoingOn = await this.#deliver(sender, event, events[at + 1] ?? null, hasMore);
      if (!isGoingOn) return;
    }
    if (events.length === 0) await this.#release(this.#restsUntil(hasMore));
  }

  /** Sends an event and records what came of it; false: the webhook was given back, or lost. */
  async #deliver(
    sender: Sender,
    event: QueuedEvent,
    next: QueuedEvent | null,
    hasMore: boolean,
  ): Promise<boolean> {
    const { stopping, aborting, onStep, count } = this.#options;
    if (event.isClosed) return this.#passOver(event, next, hasMore);
    if (stopping.aborted) return this.#giveBack();
    // The claim of a process that was stopped for long is another's by now: it sends nothing, and writes nothing.
    if (!this.#isHeldFor(MARGIN)) return false;
    const attempt = await sender.send(event, aborting).catch(() => null);
    if (attempt === null) return this.#giveBack();
    await onStep?.('sent');
    const outcome = this.#judge(event, attempt);
    count(attempt, outcome, event);
    this.#state = { ...outcome.state, pendingSince: pendingSince(outcome.state, event, next) };
    const hasFailed = outcome.status !== 'succeeded' && event.occasion === 'queue';
    const release: Release | null =
      outcome.disable === null && (hasFailed || next === null)
        ? { dueAt: hasFailed ? outcome.state.retryAt : this.#restsUntil(hasMore) }
        : null;
    const recorded = await this.#record(
      { ...outcome, event, attempt, id: deliveryId(this.#webhook, event) },
      release,
    );
    await onStep?.('recorded');
    if (recorded === undefined) return false;
    if (outcome.disable !== null) await this.#disable(outcome.disable);
    if (outcome.disable !== null || release !== null) return false;
    if (recorded.isPaused || recorded.updatedAt !== this.#webhook.updatedAt) return this.#giveBack();
    return true;
  }

  /** Goes on behind an event without sending anything; false: the webhook was given back. */
  async #passOver(event: QueuedEvent, next: QueuedEvent | null, hasMore: boolean): Promise<boolean> {
    if (event.occasion === 'queue')
      this.#state = { ...passed(this.#state, event), pendingSince: next?.at ?? null };
    if (next !== null) return true;
    await this.#release(this.#restsUntil(hasMore));
    return false;
  }

  #judge(event: QueuedEvent, attempt: Attempt): AttemptOutcome {
    const { verifyStartedAt } = this.#webhook;
    return decideOutcome(this.#state, { event, attempt, verifyStartedAt, random: this.#options.random() });
  }

  /** When a webhook that is given back is due: after its pause, at once if there may be more, else when it is woken. */
  #restsUntil(hasMore: boolean): number | null {
    const { status, retryAt, testSequence } = this.#state;
    const now = this.#options.clock.now();
    if (retryAt !== null && retryAt > now) return retryAt;
    if (testSequence !== null) return now;
    return hasMore && status !== 'unverified' ? now : null;
  }

  async #giveBack(): Promise<false> {
    await this.#release(this.#options.clock.now());
    return false;
  }

  async #release(dueAt: number | null): Promise<void> {
    await this.#record(null, { dueAt });
  }

  /** Tries until it is written, or the claim has ended. */
  async #record(
    delivery: Outcome['delivery'],
    release: Release | null,
  ): Promise<RecordedWebhook | undefined> {
    const { record, report, stopping } = this.#options;
    const outcome = { webhook: this.#webhook, state: this.#state, delivery, release };
    do {
      const before = systemClock.monotonic();
      try {
        const recorded = await record(outcome);
        if (recorded !== undefined) this.#claimedAt = before;
        return recorded;
      } catch (error) {
        report(error);
        if (stopping.aborted) return undefined;
        await pause(systemClock, RETRY_PAUSE);
      }
    } while (this.#isHeldFor(0));
    return undefined;
  }

  async #disable(reason: DisableReason): Promise<void> {
    const { disable, report } = this.#options;
    // If this fails, the claim ends, and another attempt comes to the same.
    await disable(this.#webhook, reason).catch(report);
  }

  #isHeldFor(milliseconds: number): boolean {
    return systemClock.monotonic() + milliseconds < this.#claimedAt + this.#options.lifetime;
  }
}

/** The same however often it is made. */
function deliveryId({ id }: ClaimedWebhook, event: QueuedEvent): string {
  return `dlv_${hash('sha256', `${id} ${event.id}`, 'hex').slice(0, 24)}`;
}

/** Time of the oldest event that has not been delivered after an attempt. */
function pendingSince(state: WebhookState, event: QueuedEvent, next: QueuedEvent | null): number | null {
  if (event.occasion !== 'queue') return state.pendingSince;
  return state.attempt > 0 ? event.at : (next?.at ?? null);
}
