// Table of verdicts that all processes share: read with their age, saved in the order of their questions.

import { SUBSCRIPTIONS_CHANNEL } from '../access/providers/subscription-store.ts';
import type { SubscriptionStatus } from '../access/tiers/provider.ts';
import { type Clock, MINUTE } from '../lib/clock.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { notify } from '../postgres/client/listen.ts';
import type { PaymentService, Verdict } from './payment-service.ts';
import { SharedTime } from './shared-time.ts';
import {
  areActive,
  beginQuestion,
  countVerdicts,
  insertVerdicts,
  lockVerdicts,
  moveTimeOn,
  type Question,
  readVerdict,
  releaseKeys,
  type StoredVerdict,
  type Subject,
  updateVerdicts,
  type VerdictCounts,
} from './verdict-store.ts';

export interface VerdictTableOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly service: PaymentService['name'];
  /** Ends the grants made with the key that a subscription had until now, and notifies every process. */
  readonly endGrants: (tx: Transaction, subscription: string) => Promise<void>;
}

/** A question that may be asked from now on. */
export interface Asking extends Question {
  /** Monotonic time before it was numbered. */
  readonly sentAt: number;
}

export interface KnownVerdict {
  readonly verdict: Verdict;
  /** Monotonic time of its question, or earlier. */
  readonly askedAt: number;
  /** Milliseconds for which the state was the same when it was asked for. */
  readonly settledFor: number;
}

export interface SaveOptions {
  /** Whether a verdict that is new is told to every process, as a changed one is. */
  readonly announcesNew: boolean;
}

/** Milliseconds after which no verdict is believed. */
export const LIFETIME = 10 * MINUTE;
/** Times that a save looks again because another process inserted the same rows. */
const ATTEMPTS = 3;

export class VerdictTable {
  readonly #options: VerdictTableOptions;
  readonly #time: SharedTime;

  constructor(options: VerdictTableOptions) {
    this.#options = options;
    this.#time = new SharedTime({ clock: options.clock, moveOn: (date) => this.#moveOn(date) });
  }

  /** What is known of a subject, and a question about it that may follow. */
  async read(subject: Subject): Promise<{ readonly asking: Asking; readonly known: KnownVerdict | null }> {
    const { database, service } = this.#options;
    const read = await this.#time.run(() => database.read((sql) => readVerdict(sql, service, subject)));
    const { stored, ...question } = read.value;
    const asking = { ...question, sentAt: read.sentAt };
    if (stored === null) return { asking, known: null };
    const settledFor = stored.askedAt - stored.since;
    if (stored.askedAt <= read.now) {
      const askedAt = SharedTime.monotonicOf(read, stored.askedAt);
      return { asking, known: { verdict: stored, askedAt, settledFor } };
    }
    // The clock went back while nobody watched, nobody knows how far: no verdict may be believed.
    await this.#moveOn(stored.askedAt + LIFETIME);
    return { asking, known: { verdict: stored, askedAt: Number.NEGATIVE_INFINITY, settledFor } };
  }

  /** Which of these keys were active when they were last asked about, however long ago that was; in their order. */
  async areActive(keyHashes: readonly Buffer[]): Promise<readonly boolean[]> {
    const { database, service } = this.#options;
    return database.read((sql) => areActive(sql, service, keyHashes));
  }

  /** A question about many subscriptions. */
  async begin(): Promise<Asking> {
    const { value, sentAt } = await this.#time.run(() => this.#options.database.read(beginQuestion));
    return { ...value, sentAt };
  }

  /** How many verdicts are active, and how old they are. */
  async count(): Promise<VerdictCounts> {
    const { database, service } = this.#options;
    return (await this.#time.run(() => database.read((sql) => countVerdicts(sql, service)))).value;
  }

  /**
   * Saves what the service said, except where an answer to a later question is there. Returns the later answers; of several
   * verdicts on one subscription the last one counts. A key that another one has replaced loses its grants.
   */
  async save(
    verdicts: readonly Verdict[],
    question: Question,
    options: SaveOptions,
  ): Promise<ReadonlyMap<string, Verdict>> {
    const unique = [...new Map(verdicts.map((verdict) => [verdict.reference, verdict])).values()];
    return this.#options.database.transaction((tx) => this.#save(tx, unique, question, options));
  }

  async #save(
    tx: Transaction,
    verdicts: readonly Verdict[],
    question: Question,
    { announcesNew }: SaveOptions,
  ): Promise<ReadonlyMap<string, Verdict>> {
    const { service } = this.#options;
    const references = verdicts.map(({ reference }) => reference);
    for (let attempt = 1; ; attempt++) {
      const stored = await lockVerdicts(tx, service, references);
      const later = new Map([...stored].filter(([, row]) => row.question > question.question));
      const rest = verdicts.filter(({ reference }) => !later.has(reference));
      const known = rest.filter(({ reference }) => stored.has(reference));
      const added = rest.filter((verdict) => !stored.has(verdict.reference) && isWorthKeeping(verdict));
      const robbed = await releaseKeys(tx, service, [...known, ...added]);
      const inserted = added.length === 0 ? null : await insertVerdicts(tx, service, added, question);
      // Whoever inserted the others has committed: their rows are there to be locked.
      if (inserted !== null && inserted.size < added.length && attempt < ATTEMPTS) continue;
      if (known.length > 0) await updateVerdicts(tx, service, known, question);
      const news = inserted !== null && announcesNew ? [...inserted] : [];
      await this.#tell(tx, { known, stored, told: [...robbed, ...news], robbed });
      return later;
    }
  }

  async #tell(
    tx: Transaction,
    saved: {
      readonly known: readonly Verdict[];
      readonly stored: ReadonlyMap<string, StoredVerdict>;
      readonly told: readonly string[];
      readonly robbed: readonly string[];
    },
  ): Promise<void> {
    const changed = saved.known.filter((each) => differs(each, saved.stored.get(each.reference)));
    const rekeyed = changed.filter((each) => hasLostKey(each, saved.stored.get(each.reference)));
    const ended = [...rekeyed.map(({ reference }) => reference), ...saved.robbed];
    for (const reference of new Set(ended.toSorted())) await this.#options.endGrants(tx, reference);
    const told = [...changed.map(({ reference }) => reference), ...saved.told];
    for (const reference of new Set(told)) await notify(tx, SUBSCRIPTIONS_CHANNEL, reference);
  }

  async #moveOn(date: number): Promise<void> {
    await this.#options.database.write((sql) => moveTimeOn(sql, date));
  }
}

/** What belongs to nothing, or to nothing yet, is asked for again each time: it must not fill the table. */
function isWorthKeeping({ status }: Verdict): boolean {
  return status.state !== 'unknown' || status.reason === 'unpaid' || status.reason === 'paused';
}

function differs(verdict: Verdict, stored: StoredVerdict | undefined): boolean {
  return stored === undefined || describe(verdict) !== describe(stored);
}

/** What keys and owners of this subscription may do, as text. */
function describe({ keyHash, status }: Verdict): string {
  return JSON.stringify([keyHash?.toString('hex') ?? null, detailsOf(status)]);
}

function detailsOf(status: SubscriptionStatus) {
  if (status.state === 'active') return [status.tier, status.customer, status.endsAt];
  return status.state === 'expired' ? ['expired'] : ['unknown', status.reason ?? null];
}

function hasLostKey({ keyHash }: Verdict, stored: StoredVerdict | undefined): boolean {
  if (stored === undefined || stored.keyHash === null) return false;
  return keyHash === null || !keyHash.equals(stored.keyHash);
}
