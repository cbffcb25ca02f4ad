// Dispatcher of webhooks: claims those that are due, and runs a worker for each, bounded in total and for each host.

import { randomUUID } from 'node:crypto';
import { type Clock, DAY, pause, systemClock } from '../../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import { batch } from '../../postgres/client/batch.ts';
import type { Database } from '../../postgres/client/database.ts';
import { listen } from '../../postgres/client/listen.ts';
import type { IsOpenEvent } from '../events/read-store.ts';
import { WEBHOOKS_CHANNEL } from '../events/wake-webhooks-store.ts';
import type { AttemptOutcome, DisableReason } from './attempt-rules.ts';
import { claimWebhooks, findNextDue, findOldestPending, renewClaims } from './claim-store.ts';
import type { Attempt, ClaimedWebhook, QueuedEvent } from './claimed-webhook.ts';
import { HostSlots, type SlotLimits } from './host-slots.ts';
import { type Outcome, type RecordedWebhook, writeOutcomes } from './outcome-store.ts';
import type { WebhookWork } from './queue-store.ts';
import { createSender, type Sender, type SenderOptions } from './sender.ts';
import { WebhookWorker, type WorkerStep } from './webhook-worker.ts';

export interface DispatcherOptions extends SenderOptions {
  readonly database: Database;
  /** The service's: schedules and times that owners see. Claims are by the clocks of the database and the system. */
  readonly clock: Clock;
  readonly publicUrl: string;
  /** Whether the owner of an event may see its listing. */
  readonly isOpenEvent: IsOpenEvent;
  /** Disables a webhook if it is still under its claim, and notifies its owner. */
  readonly disable: (webhook: ClaimedWebhook, reason: DisableReason) => Promise<void>;
  readonly report: (error: unknown) => void;
  readonly count?: (attempt: Attempt, outcome: AttemptOutcome, event: QueuedEvent) => void;
  /** From 0 to 1; default Math.random. */
  readonly random?: () => number;
  /** Milliseconds of a claim that is not renewed; default 10 s. */
  readonly lifetime?: number;
  readonly onStep?: (step: WorkerStep) => void | Promise<void>;
}

export interface DispatcherStatus {
  /** Webhooks that this process delivers to now. */
  readonly open: number;
  /** Time of the oldest event that waits, as of the last look, in milliseconds; null: none waits. */
  readonly oldestPending: number | null;
}

/** Webhooks at once. */
const LIMITS: SlotLimits = { max: 256, maxFailing: 128, perHost: 8, perFailingHost: 2 };
/** Events in memory, in all workers, and of one of them. */
const MAX_EVENTS = 4_096;
const MAX_QUEUE = 64;
const MIN_QUEUE = 4;
/** Milliseconds: when a process dies, others take over after so long. */
const LIFETIME = 10_000;
/** A claim is renewed so many times in its lifetime, so that one lost statement loses none. */
const RENEWALS = 4;
/** Milliseconds by the system's clock: without a notification, webhooks are looked for all the same. */
const POLL = 5_000;
const RETRY = 500;
/** Milliseconds in which attempts under way may end when the service stops. */
const DRAIN = 5_000;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #slots = new HostSlots(LIMITS);
  readonly #workers = new Map<WebhookWorker, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  readonly #write: (outcome: Outcome) => Promise<RecordedWebhook | undefined>;
  #events = 0;
  #wake: () => void = () => {};
  /** Sets the time until which it rests, once more. */
  #setTimer: () => void = () => {};
  #isWoken = true;
  /** Milliseconds; null: to be looked up. */
  #nextDue: number | null = null;
  #oldestPending: number | null = null;
  #polledAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();
  #renewal: PeriodicWork | null = null;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { database, clock, lifetime = LIFETIME } = options;
    this.#write = batch((outcomes: readonly Outcome[]) =>
      database.write((sql) => writeOutcomes(sql, outcomes, { lifetime, now: new Date(clock.now()) }), {
        planned: 'once',
      }),
    );
  }

  start(): void {
    const { database, report } = this.#options;
    const wake = () => this.wake();
    const listener = listen(database, WEBHOOKS_CHANNEL, wake, wake, { onError: report });
    this.#running = this.#run().finally(() => listener.close());
    const { lifetime = LIFETIME } = this.#options;
    this.#renewal = startPeriodicWork({
      clock: systemClock,
      pause: lifetime / RENEWALS,
      report,
      work: () => this.#renew(lifetime),
    });
  }

  /** Looks for webhooks that are due now. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  status(): DispatcherStatus {
    return { open: this.#slots.used, oldestPending: this.#oldestPending };
  }

  /** Lets attempts under way end for a few seconds, then gives all webhooks back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    const cancel = systemClock.after(DRAIN, () => this.#aborting.abort());
    await this.#running;
    await Promise.all(this.#workers.values());
    await this.#renewal?.stop();
    cancel();
  }

  /** Renews the claims of all workers: an attempt may take longer than a claim that is not renewed. */
  async #renew(lifetime: number): Promise<void> {
    const workers = [...this.#workers.keys()];
    if (workers.length === 0) return;
    const at = systemClock.monotonic();
    const claimed = workers.map(({ webhook: { no, claim } }) => ({ no, claim }));
    const renewed = await this.#options.database.write((sql) => renewClaims(sql, claimed, lifetime), {
      planned: 'once',
    });
    for (const worker of workers) if (renewed.has(worker.webhook.no)) worker.renewed(at);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      try {
        if (await this.#claim()) continue;
        await this.#poll();
        if (!this.#isWoken) await this.#rest();
      } catch (error) {
        this.#options.report(error);
        await pause(systemClock, RETRY, signal);
      }
    }
  }

  /** Until something is due, a worker ends, or the next check is due. */
  async #rest(): Promise<void> {
    const { clock } = this.#options;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const onDue = () => {
      this.#nextDue = null;
      this.wake();
    };
    let cancel = (): void => {};
    this.#setTimer = () => {
      cancel();
      const wait = Math.min(Math.max(0, (this.#nextDue ?? 0) - clock.now()), DAY);
      cancel = clock.after(wait, onDue);
    };
    this.#setTimer();
    await pause(systemClock, POLL, AbortSignal.any([this.#stopping.signal, woken.signal]));
    this.#setTimer = () => {};
    cancel();
  }

  /** Claims what is due and there is room for; true: there may be more. */
  async #claim(): Promise<boolean> {
    const { database, clock, publicUrl, lifetime = LIFETIME, isOpenEvent } = this.#options;
    const max = Math.min(LIMITS.max - this.#slots.used, Math.floor((MAX_EVENTS - this.#events) / MIN_QUEUE));
    if (max <= 0) return false;
    const claimedAt = systemClock.monotonic();
    const request = {
      ...LIMITS,
      claim: randomUUID(),
      now: new Date(clock.now()),
      lifetime,
      hosts: this.#slots.hosts(),
      max,
      maxFailing: LIMITS.maxFailing - this.#slots.usedByFailing,
      publicUrl,
      isOpen: isOpenEvent,
      maxEvents: MAX_EVENTS - this.#events,
      minQueue: MIN_QUEUE,
      maxQueue: MAX_QUEUE,
    };
    const { claims, hasMore } = await database.write((sql) => claimWebhooks(sql, request), {
      planned: 'once',
    });
    for (const { webhook, work } of claims) this.#start(webhook, work, claimedAt);
    return hasMore;
  }

  #start(webhook: ClaimedWebhook, work: WebhookWork, claimedAt: number): void {
    const slot = this.#slots.take(webhook.host, webhook.state.failures > 0);
    this.#events += work.events.length;
    const worker = new WebhookWorker(this.#workerOptions(), webhook, claimedAt);
    const running: Promise<void> = worker
      .run(this.#senderOf(webhook), work)
      .catch(this.#options.report)
      .finally(() => {
        const hadRoom = this.#events < MAX_EVENTS / 2;
        this.#events -= work.events.length;
        this.#workers.delete(worker);
        if (slot.giveBack() || !hadRoom) this.wake();
      });
    this.#workers.set(worker, running);
  }

  #workerOptions() {
    const {
      clock,
      disable,
      report,
      random = Math.random,
      lifetime = LIFETIME,
      count,
      onStep,
    } = this.#options;
    return {
      clock,
      disable,
      report,
      random,
      lifetime,
      onStep,
      count: count ?? (() => {}),
      stopping: this.#stopping.signal,
      aborting: this.#aborting.signal,
      record: async (outcome: Outcome) => {
        const recorded = await this.#write(outcome);
        const dueAt = recorded?.dueAt ?? null;
        if (dueAt === null || outcome.release === null) return recorded;
        if (dueAt <= clock.now()) this.wake();
        else if (this.#nextDue !== null && dueAt < this.#nextDue) {
          this.#nextDue = dueAt;
          this.#setTimer();
        }
        return recorded;
      },
    };
  }

  /** Null: the secret was sealed with a key that is not there. */
  #senderOf(webhook: ClaimedWebhook): Sender | null {
    try {
      return createSender(this.#options, webhook);
    } catch (error) {
      this.#options.report(error);
      return null;
    }
  }

  /** Looks up what is due next where that is not known, and now and then what other processes may have left. */
  async #poll(): Promise<void> {
    const { database, clock } = this.#options;
    const isDue = systemClock.monotonic() - this.#polledAt >= POLL;
    if (!isDue && this.#nextDue !== null) return;
    const now = new Date(clock.now());
    // Retries that are recorded meanwhile count too, whether the query sees them or not.
    this.#nextDue = Number.POSITIVE_INFINITY;
    try {
      const found = await database.read((sql) => findNextDue(sql, now), { planned: 'once' });
      this.#nextDue = Math.min(this.#nextDue, found ?? Number.POSITIVE_INFINITY);
    } catch (error) {
      this.#nextDue = null;
      throw error;
    }
    if (!isDue) return;
    this.#polledAt = systemClock.monotonic();
    this.#oldestPending = await database.read(findOldestPending, { planned: 'once' });
  }
}
