// Job behind the inbox: fetches what the events name, in every process, and tries again until it has.

import { randomUUID } from 'node:crypto';
import { Bulkhead } from '../lib/bulkhead.ts';
import { systemClock, unlessAborted, withDeadline } from '../lib/clock.ts';
import { redact } from '../lib/log.ts';
import { startPeriodicWork } from '../lib/periodic-work.ts';
import type { Database } from '../postgres/client/database.ts';
import { listen } from '../postgres/client/listen.ts';
import type { EventStep } from './billing-metrics.ts';
import {
  BILLING_CHANNEL,
  type ClaimedEvent,
  claimEvents,
  deleteOldEvents,
  type EventOutcome,
  findOldestWaiting,
  findReferencesOf,
  finishEvent,
  type ProviderName,
  prolongClaim,
} from './event-store.ts';
import { pauseAfter } from './retry-schedule.ts';

/** What the events are asked about: the payment service, and what this service remembers of it. */
export interface PaymentSource {
  readonly name: ProviderName;
  /** References whose state may have changed with a subject. Throws while nobody knows. */
  resolveSubject(subject: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Asks for the state of a reference now, and notifies every process of a change. Throws while nobody knows. */
  renew(reference: string): Promise<unknown>;
}

export interface EventJobOptions {
  readonly database: Database;
  readonly source: PaymentSource;
  readonly countEvent: (type: string, step: EventStep) => void;
  readonly report: (error: unknown) => void;
  /** From 0 to 1; default Math.random. */
  readonly random?: () => number;
  /** Milliseconds of a claim; default 60 s. */
  readonly lifetime?: number;
  /** Called between the steps, for tests that stop the process there. */
  readonly onStep?: (step: JobStep) => void;
}

export type JobStep = 'claimed' | 'resolved' | 'renewed' | 'finished';

export interface EventJob {
  /** Milliseconds for which the oldest event has waited, as of the last look and the time since; null: none waits. */
  oldestWaiting(): number | null;
  /** Gives back what is under way, to be handled by another process or after the next start. */
  stop(): Promise<void>;
}

/** Milliseconds by the system's clock: without a notification, events are looked for all the same. */
const POLL = 2_000;
/** Milliseconds between two looks at the oldest event, and between two deletions of old ones. */
const LOOK = 10_000;
const CLEANUP = 3_600_000;
/** Milliseconds: longer than a question takes, so that a claim is prolonged in time. */
const LIFETIME = 60_000;
/** Milliseconds for one question. */
const DEADLINE = 20_000;
/** Events at once: one that gets no answer takes one place for as long as its question. */
const MAX_EVENTS = 200;
const BATCH = 50;
/** Questions at once. */
const MAX_QUESTIONS = 16;

export function startEventJob(options: EventJobOptions): EventJob {
  const { database, source, report } = options;
  const stopping = new AbortController();
  const bulkhead = new Bulkhead({ maxConcurrent: MAX_QUESTIONS, maxQueue: Number.POSITIVE_INFINITY });
  const batches = new Set<Promise<void>>();
  let [underWay, isWoken] = [0, false];
  let oldest: { readonly age: number | null; readonly seenAt: number } = { age: null, seenAt: 0 };
  let [lookAt, cleanUpAt] = [0, 0];

  const work = startPeriodicWork({
    clock: systemClock,
    pause: POLL,
    report,
    async work(isStopped) {
      isWoken = false;
      while (!isStopped() && (await claimBatch())) {}
      await keepUp();
    },
  });
  const listener = listen(database, BILLING_CHANNEL, wake, wake, { onError: report });

  /** Many notifications at once are one look. */
  function wake(): void {
    if (isWoken || stopping.signal.aborted) return;
    isWoken = true;
    work.runNow();
  }

  /** Claims what is due and there is room for; true: there may be more. */
  async function claimBatch(): Promise<boolean> {
    const max = Math.min(BATCH, MAX_EVENTS - underWay);
    if (max <= 0) return false;
    const { lifetime = LIFETIME } = options;
    const claim = randomUUID();
    const events = await database.write((sql) =>
      claimEvents(sql, { provider: source.name, claim, lifetime, max }),
    );
    if (events.length === 0) return false;
    underWay += events.length;
    const batch: Promise<void> = handleBatch({ ...options, lifetime }, { bulkhead, claim, events, stopping })
      .catch(report)
      .finally(() => {
        const hadRoom = underWay < MAX_EVENTS;
        underWay -= events.length;
        batches.delete(batch);
        if (!hadRoom) wake();
      });
    batches.add(batch);
    return events.length === max;
  }

  async function keepUp(): Promise<void> {
    const now = systemClock.monotonic();
    if (now >= lookAt) {
      oldest = { age: await database.read((sql) => findOldestWaiting(sql, source.name)), seenAt: now };
      lookAt = now + LOOK;
    }
    if (now < cleanUpAt) return;
    await database.write((sql) => deleteOldEvents(sql, source.name), { timeout: 30_000 });
    cleanUpAt = now + CLEANUP;
  }

  return {
    oldestWaiting: () => (oldest.age === null ? null : oldest.age + systemClock.monotonic() - oldest.seenAt),
    async stop() {
      stopping.abort(new Error('The service is stopping'));
      await work.stop();
      await listener.close();
      await Promise.all(batches);
    },
  };
}

interface Batch {
  readonly bulkhead: Bulkhead;
  readonly claim: string;
  readonly events: readonly ClaimedEvent[];
  readonly stopping: AbortController;
}

type HandleOptions = EventJobOptions & { readonly lifetime: number };

/**
 * Handles events that were claimed together. A purchase makes several about one subscription, so each subject is fetched once for
 * all of them: they all came before the question. The failure of one subject fails the events that name it, and no others.
 */
async function handleBatch(options: HandleOptions, batch: Batch): Promise<void> {
  const { database, onStep, report, lifetime } = options;
  const { claim, events } = batch;
  onStep?.('claimed');
  const ask = asker(options, batch);
  let cancel = (): void => {};
  const prolong = () => {
    cancel = systemClock.after(lifetime / 3, () => {
      database.write((sql) => prolongClaim(sql, claim, lifetime)).catch(report);
      prolong();
    });
  };
  prolong();
  try {
    await Promise.all(events.map((event) => handleEvent(options, batch, event, ask).catch(report)));
  } finally {
    cancel();
  }
}

/** Fetches what a subject names; the same promise for the same subject or reference. */
function asker({ database, source, onStep }: HandleOptions, { bulkhead, stopping }: Batch) {
  const { signal } = stopping;
  const question = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    bulkhead.run(signal, () =>
      withDeadline({ clock: systemClock, milliseconds: DEADLINE, parent: signal, onTimeout }, work),
    );
  const renew = once((reference) => question(() => unlessAborted(signal, source.renew(reference))));
  return once(async (subject) => {
    const [, kind, id = ''] = /^(\w+):(.*)$/.exec(subject) ?? [];
    const named = await question((deadline) => source.resolveSubject(subject, deadline));
    // A customer who is gone there is one whose keys end here.
    const known =
      kind === 'customer' ? await database.read((sql) => findReferencesOf(sql, source.name, id)) : [];
    onStep?.('resolved');
    const results = await Promise.allSettled([...new Set([...named, ...known])].map(renew));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    onStep?.('renewed');
  });
}

function once(work: (name: string) => Promise<unknown>): (name: string) => Promise<unknown> {
  const started = new Map<string, Promise<unknown>>();
  return (name) => {
    const running = started.get(name) ?? work(name);
    started.set(name, running);
    return running;
  };
}

const onTimeout = () => new Error('The payment service did not answer in time');

async function handleEvent(
  { database, onStep, countEvent, random = Math.random }: HandleOptions,
  { claim, stopping }: Batch,
  { no, type, subjects, attempts }: ClaimedEvent,
  ask: (subject: string) => Promise<unknown>,
): Promise<void> {
  const results = await Promise.allSettled(subjects.map(ask));
  const failed = results.find((result) => result.status === 'rejected');
  const outcome: EventOutcome =
    failed === undefined
      ? { kind: 'handled' }
      : stopping.signal.aborted
        ? { kind: 'released' }
        : { kind: 'failed', error: causeOf(failed.reason), pause: pauseAfter(attempts + 1, random()) };
  // Should this fail, the claim ends, and the event is handled again: that changes nothing.
  const isWritten = await database.write((sql) => finishEvent(sql, { no, claim }, outcome));
  if (isWritten && outcome.kind !== 'released') countEvent(type, outcome.kind);
  onStep?.('finished');
}

/** An error with what caused it, in one line, without secrets. */
function causeOf(error: unknown): string {
  const messages: string[] = [];
  for (let each = error; each instanceof Error && messages.length < 3; each = each.cause)
    messages.push(each.message);
  return redact(messages.join(': ') || 'An unknown error').replaceAll(/[\p{C}\s]+/gu, ' ');
}
