// Subscriptions as a payment service knows them: each answer is shared by all processes, and believed for ten minutes at most.

import { LRUCache } from 'lru-cache';
import { keyHash } from '../access/providers/subscription-store.ts';
import {
  ProviderUnavailable,
  type Question,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../access/tiers/provider.ts';
import { type Clock, unlessAborted, withDeadline } from '../lib/clock.ts';
import { SingleFlight } from '../lib/single-flight.ts';
import { batch } from '../postgres/client/batch.ts';
import type { NamelessRefusal, PaymentService, Verdict } from './payment-service.ts';
import { serves, stands, wantsRenewal } from './verdict-lifetimes.ts';
import type { Subject } from './verdict-store.ts';
import type { Asking, KnownVerdict, VerdictTable } from './verdict-table.ts';

export interface SharedVerdicts extends SubscriptionProvider {
  /**
   * Asks the service now and stores what it says; every process learns of a change. For events, and for what may have been
   * missed. Throws ProviderUnavailable.
   */
  renew(reference: string): Promise<SubscriptionStatus>;
  /** Gives up the questions under way. */
  close(): Promise<void>;
}

/** Where an answer came from. */
export type AnswerSource = 'table' | 'service' | 'none';

export interface SharedVerdictsOptions {
  readonly table: VerdictTable;
  readonly clock: Clock;
  readonly service: PaymentService;
  /** Called with the first error of an outage that nobody waits for. */
  readonly report: (error: unknown) => void;
  readonly onAnswer?: (source: AnswerSource) => void;
}

/** Milliseconds for which an answer is waited for that may lift a refusal whose time is over. */
const REFUSAL_PATIENCE = 2_000;
/** Milliseconds for one question, all its calls and the waiting for places included. */
const DEADLINE = 15_000;
/** Milliseconds between two attempts of a process to renew what still serves. */
const RETRY_PAUSE = 30_000;
const MAX_PAUSED = 100_000;

/** What is said of a subject; null: it belongs to nothing. */
interface Answer {
  readonly verdict: Verdict | NamelessRefusal | null;
  /** Monotonic time of its question, or earlier. */
  readonly askedAt: number;
}

/** A subject, and how the service is asked about it. */
interface Inquiry {
  readonly asking: Asking;
  readonly known: KnownVerdict | null;
  /** Names questions that may share an answer. */
  readonly flight: string;
  readonly ask: (signal: AbortSignal) => Promise<Verdict | NamelessRefusal | null>;
}

export function createSharedVerdicts(options: SharedVerdictsOptions): SharedVerdicts {
  const { table, clock, service, report, onAnswer = () => {} } = options;
  const flights = new SingleFlight<Answer>();
  const paused = new LRUCache<string, number>({ max: MAX_PAUSED });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const isActive = batch((hashes: readonly Buffer[]) => table.areActive(hashes));
  let isFailing = false;

  /** Goes on when nobody waits any more: the next one finds the answer in the table. */
  function ask(inquiry: Inquiry, announcesNew = false): Promise<Answer> {
    const deadline = {
      clock,
      milliseconds: DEADLINE,
      parent: closing.signal,
      onTimeout: () => new ProviderUnavailable(new Error('The payment service took too long to answer')),
    };
    const asked = withDeadline(deadline, async (signal): Promise<Answer> => {
      const verdict = await unlessAborted(closing.signal, inquiry.ask(signal));
      signal.throwIfAborted();
      return { verdict: await save(inquiry, verdict, announcesNew), askedAt: inquiry.asking.sentAt };
    });
    const tracked = asked.catch(() => {}).finally(() => running.delete(tracked));
    running.add(tracked);
    return asked;
  }

  /** Stores an answer, and returns it or that to a later question. */
  async function save(
    { known, asking }: Inquiry,
    verdict: Verdict | NamelessRefusal | null,
    announcesNew: boolean,
  ): Promise<Verdict | NamelessRefusal | null> {
    if (verdict !== null && verdict.reference === null) return verdict;
    // A reference that is not known any more keeps its key, so that it is known as refused.
    const said = verdict ?? (known && { ...known.verdict, status: { state: 'unknown' as const } });
    if (said === null) return null;
    requireSound(said, known);
    return (await table.save([said], asking, { announcesNew })).get(said.reference) ?? said;
  }

  async function answer(inquiry: Inquiry, { signal, fresh = false }: Question): Promise<Answer> {
    const { known } = inquiry;
    if (!fresh && known !== null && serves(known, clock)) {
      if (wantsRenewal(known, clock)) renewInBackground(inquiry, known);
      onAnswer('table');
      return known;
    }
    const asked = fresh ? ask(inquiry) : flights.run(inquiry.flight, null, () => ask(inquiry));
    const refusal = fresh || known === null || !stands(known, clock) ? null : known;
    try {
      const said = await (refusal === null
        ? unlessAborted(signal, asked)
        : waitBriefly(clock, signal, asked));
      onAnswer('service');
      return said;
    } catch (error) {
      const isOver = refusal === null || !stands(refusal, clock);
      onAnswer(isOver ? 'none' : 'table');
      if (!isOver) return refusal;
      throw error instanceof ProviderUnavailable ? error : new ProviderUnavailable(error);
    }
  }

  /** A service that is slow or silent is waited for by nobody whose verdict still serves. */
  function renewInBackground(inquiry: Inquiry, { verdict: { reference } }: KnownVerdict): void {
    const now = clock.monotonic();
    if (now < (paused.get(reference) ?? Number.NEGATIVE_INFINITY)) return;
    paused.set(reference, now + RETRY_PAUSE);
    flights
      .run(inquiry.flight, null, () => ask(inquiry))
      .then(
        () => {
          isFailing = false;
        },
        (error: unknown) => {
          if (!isFailing) report(error);
          isFailing = true;
        },
      );
  }

  async function inquire(subject: Subject, askUnknown: Inquiry['ask'], name: string): Promise<Inquiry> {
    const { asking, known } = await table.read(subject).catch((error: unknown) => {
      onAnswer('none');
      throw new ProviderUnavailable(error);
    });
    if (known === null) return { asking, known, flight: name, ask: askUnknown };
    const { reference } = known.verdict;
    return { asking, known, flight: `=${reference}`, ask: (signal) => service.find(reference, signal) };
  }

  const inquireReference = (reference: string) =>
    inquire({ reference }, (signal) => service.find(reference, signal), `=${reference}`);

  return {
    async validate(key, question) {
      const calledAt = clock.monotonic();
      const hash = keyHash(key);
      const inquiry = await inquire(
        { keyHash: hash },
        (signal) => service.findKey(key, signal),
        hash.toString('hex'),
      );
      const { verdict, askedAt } = await answer(inquiry, question);
      if (verdict?.reference && !verdict.keyHash?.equals(hash))
        return { state: 'unknown', reason: 'replaced' };
      return dated(verdict, calledAt - askedAt);
    },
    async refresh(reference, question) {
      const calledAt = clock.monotonic();
      const { verdict, askedAt } = await answer(await inquireReference(reference), question);
      return dated(verdict, calledAt - askedAt);
    },
    recognizes: (key) => isActive(keyHash(key)),
    async renew(reference) {
      const { verdict } = await inquireReference(reference)
        .then((inquiry) => ask(inquiry, true))
        .catch((error: unknown) => {
          throw error instanceof ProviderUnavailable ? error : new ProviderUnavailable(error);
        });
      return dated(verdict, 0);
    },
    async close() {
      closing.abort(new ProviderUnavailable(new Error('The service stops')));
      await Promise.all(running);
    },
  };
}

/** Throws when an answer takes longer than may be waited for while a refusal stands. Whoever asks goes on. */
function waitBriefly<Said>(clock: Clock, parent: AbortSignal, asked: Promise<Said>): Promise<Said> {
  const onTimeout = () => new ProviderUnavailable(new Error('Nobody has lifted the refusal in time'));
  return withDeadline({ clock, milliseconds: REFUSAL_PATIENCE, parent, onTimeout }, (ended) =>
    unlessAborted(ended, asked),
  );
}

/** The status, with its age in milliseconds where it is not new. */
function dated(verdict: Verdict | NamelessRefusal | null, age: number): SubscriptionStatus {
  if (verdict === null) return { state: 'unknown' };
  const { status } = verdict;
  if (status.state !== 'active') return status;
  return age > 0 ? { ...status, age: Math.ceil(age) } : status;
}

/** Throws ProviderUnavailable for an answer about something else. */
function requireSound({ reference, keyHash: hash, status }: Verdict, known: KnownVerdict | null): void {
  const isOther = known !== null && known.verdict.reference !== reference;
  const isMixed = status.state === 'active' && status.subscription !== reference;
  if (
    isOther ||
    isMixed ||
    reference === '' ||
    reference.length > 200 ||
    (hash !== null && hash.length !== 32)
  ) {
    throw new ProviderUnavailable(new Error('The payment service answered about something else'));
  }
}
