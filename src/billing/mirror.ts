// Mirror of a payment service: one row for each of its subscriptions, which counts for ten minutes from its request.

import { keyHash } from '../access/providers/subscription-store.ts';
import {
  ProviderUnavailable,
  type StatusRequest,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../access/tiers/provider.ts';
import { type Clock, unlessAborted, withDeadline } from '../lib/clock.ts';
import { SingleFlight } from '../lib/single-flight.ts';
import { batch } from '../postgres/client/batch.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import {
  countRows,
  findByKeyHashes,
  findByReferences,
  lockHolders,
  lockRows,
  type MirrorCounts,
  type MirroredSubscription,
  type NumberedRequest,
  notifyChanges,
  numberRequest,
  releaseKeys,
  type SaveOptions,
  writeRows,
} from './mirror-store.ts';
import type { KeyRefusal, PaymentService, ProviderSubscription } from './payment-service.ts';

/** Milliseconds for which a row counts. */
const MAX_AGE = 600_000;
/** Milliseconds for one question, all its calls and the waiting for slots included. */
const DEADLINE = 15_000;

/** Where a status came from. */
export type StatusSource = 'table' | 'service' | 'none';

export interface MirrorOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly service: PaymentService;
  /** Ends the grants made with the key that a subscription had until now, and notifies every process. */
  readonly endGrants: (tx: Transaction, subscription: string) => Promise<void>;
  readonly onStatus?: ((source: StatusSource) => void) | undefined;
}

/** What the payment service says; null: it knows no such key or subscription. */
type Answer = ProviderSubscription | KeyRefusal | null;

/** How a key or a subscription is looked up here, and requested there. */
interface Lookup {
  /** Names requests that may share an answer. */
  readonly id: string;
  readonly read: () => Promise<MirroredSubscription | null>;
  readonly request: (signal: AbortSignal) => Promise<Answer>;
  /** Of a key. */
  readonly hash: Buffer | null;
}

export class Mirror implements SubscriptionProvider {
  readonly #options: MirrorOptions;
  readonly #flights = new SingleFlight<Answer>();
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #readKey: (hash: Buffer) => Promise<MirroredSubscription | null>;
  readonly #readReference: (reference: string) => Promise<MirroredSubscription | null>;

  constructor(options: MirrorOptions) {
    const { database, service } = options;
    this.#options = options;
    this.#readKey = batch((hashes: readonly Buffer[]) =>
      database.read((sql) => findByKeyHashes(sql, service.name, hashes), { planned: 'once' }),
    );
    this.#readReference = batch((references: readonly string[]) =>
      database.read((sql) => findByReferences(sql, service.name, references), { planned: 'once' }),
    );
  }

  validate(key: string, request: StatusRequest): Promise<SubscriptionStatus> {
    const { service } = this.#options;
    const hash = keyHash(key);
    const lookup: Lookup = {
      hash,
      id: `key ${hash.toString('hex')}`,
      read: () => this.#readKey(hash),
      request: (signal) => service.findKey(key, signal),
    };
    return this.#find(lookup, request);
  }

  refresh(reference: string, request: StatusRequest): Promise<SubscriptionStatus> {
    return this.#find(this.#referenceLookup(reference), request);
  }

  /**
   * Asks the service now and stores the answer; every process is notified of a change, and of a new subscription. Throws
   * ProviderUnavailable.
   */
  async renew(reference: string): Promise<SubscriptionStatus> {
    const lookup = this.#referenceLookup(reference);
    try {
      const answer = await this.#request(lookup, await lookup.read(), true);
      return await this.#statusAfter(lookup, answer);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** A number and a date for a list of all subscriptions. */
  number(): Promise<NumberedRequest> {
    return this.#options.database.read(numberRequest);
  }

  count(): Promise<MirrorCounts> {
    const { database, service } = this.#options;
    return database.read((sql) => countRows(sql, service.name));
  }

  /**
   * Stores what the service said, except where the answer to a later request is there. Notifies every process of changes, and
   * ends the grants of a key that another one has replaced.
   */
  async save(
    subscriptions: readonly ProviderSubscription[],
    request: NumberedRequest,
    { notifiesNew = false, hold }: SaveOptions = {},
  ): Promise<void> {
    const unique = [...new Map(subscriptions.map((each) => [each.reference, each])).values()];
    await this.#options.database.transaction(async (tx) => {
      await this.#save(tx, unique, request, notifiesNew);
      await hold?.(tx);
    });
  }

  /** Gives up the requests under way. */
  async close(): Promise<void> {
    this.#closing.abort(new ProviderUnavailable(new Error('The service stops')));
    await Promise.all(this.#running);
  }

  #referenceLookup(reference: string): Lookup {
    const { service } = this.#options;
    return {
      hash: null,
      id: `reference ${reference}`,
      read: () => this.#readReference(reference),
      request: (signal) => service.find(reference, signal),
    };
  }

  async #find(
    lookup: Lookup,
    { signal, maxAge = MAX_AGE, onUnknown }: StatusRequest,
  ): Promise<SubscriptionStatus> {
    const { onStatus = () => {} } = this.#options;
    const row = await lookup.read().catch((error: unknown) => {
      onStatus('none');
      throw unavailable(error);
    });
    if (row !== null && this.#counts(row, maxAge)) {
      onStatus('table');
      return withAge(row);
    }
    if (row === null) await onUnknown?.();
    const start = () => this.#request(lookup, row, false);
    try {
      // Decisions of the moment join no request that began before them.
      const answer = maxAge === 0 ? start() : this.#flights.run(row?.reference ?? lookup.id, null, start);
      const status = await this.#statusAfter(lookup, await unlessAborted(signal, answer));
      onStatus('service');
      return status;
    } catch (error) {
      onStatus('none');
      throw unavailable(error);
    }
  }

  /** A subscription may have been renewed at its end, which only the service knows. */
  #counts({ age, status }: MirroredSubscription, maxAge: number): boolean {
    const isOver =
      status.state === 'active' && status.endsAt !== null && status.endsAt <= this.#options.clock.now();
    return age < maxAge && !isOver;
  }

  /** The status once an answer is stored: it is read like any other, so that nothing counts but rows and their ages. */
  async #statusAfter({ read, hash }: Lookup, answer: Answer): Promise<SubscriptionStatus> {
    const row = await read();
    if (row !== null) {
      if (row.age < MAX_AGE) return withAge(row);
      throw new ProviderUnavailable(new Error('The clock of the database has jumped'));
    }
    if (answer === null) return { state: 'unknown' };
    const isOther = hash !== null && answer.reference !== null && !answer.keyHash?.equals(hash);
    return isOther ? { state: 'unknown', reason: 'replaced' } : answer.status;
  }

  /** Goes on when nobody waits any more: the next one finds the row. */
  #request({ request }: Lookup, row: MirroredSubscription | null, notifiesNew: boolean): Promise<Answer> {
    const { clock, service } = this.#options;
    const deadline = {
      clock,
      milliseconds: DEADLINE,
      parent: this.#closing.signal,
      onTimeout: () => new ProviderUnavailable(new Error('The payment service took too long to answer')),
    };
    const requested = withDeadline(deadline, async (signal): Promise<Answer> => {
      const numbered = await this.number();
      const answer = await unlessAborted(
        this.#closing.signal,
        row === null ? request(signal) : service.find(row.reference, signal),
      );
      signal.throwIfAborted();
      if (answer?.reference === null) return answer;
      // A subscription that is not known any more keeps its key, so that it is known as refused.
      const said = answer ?? (row && { ...row, status: { state: 'unknown' as const } });
      if (said === null) return null;
      requireSound(said, row);
      await this.save([said], numbered, { notifiesNew });
      return answer;
    });
    const tracked = requested.catch(() => {}).finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
    return requested;
  }

  async #save(
    tx: Transaction,
    subscriptions: readonly ProviderSubscription[],
    request: NumberedRequest,
    notifiesNew: boolean,
  ): Promise<void> {
    const { service, endGrants } = this.#options;
    const references = subscriptions.map(({ reference }) => reference);
    const before = await lockRows(tx, service.name, references);
    const earlier = subscriptions.filter((each) => {
      const row = before.get(each.reference);
      return row === undefined ? isWorthKeeping(each) : row.number < request.number;
    });
    const holders = await lockHolders(tx, service.name, earlier);
    // Where another subscription has the key since a later request, the answer is out of date as a whole.
    const moved = new Set(
      holders.filter(({ number }) => number > request.number).map(({ keyHash: moved }) => moved),
    );
    const current = earlier.filter(({ keyHash: hash }) => hash === null || !moved.has(hash.toString('hex')));
    const released = holders
      .filter(({ keyHash: given }) => !moved.has(given))
      .map(({ reference }) => reference);
    await releaseKeys(tx, service.name, released);
    const written = await writeRows(tx, service.name, current, request);
    const changed = current.filter((each) => {
      const row = before.get(each.reference);
      const isChanged = row === undefined ? notifiesNew : describe(each) !== describe(row);
      return isChanged && written.has(each.reference);
    });
    const withOtherKey = changed.filter((each) => hasLostKey(each, before.get(each.reference)));
    const ended = [...withOtherKey.map(({ reference }) => reference), ...released];
    for (const reference of new Set(ended.toSorted())) await endGrants(tx, reference);
    await notifyChanges(tx, [...new Set([...changed.map(({ reference }) => reference), ...released])]);
  }
}

/** What belongs to nothing, or to nothing yet, is asked for again each time: it must not fill the table. */
function isWorthKeeping({ status }: ProviderSubscription): boolean {
  return status.state !== 'unknown' || status.reason === 'unpaid' || status.reason === 'paused';
}

/** What keys and owners of this subscription may do, as text. */
function describe({ keyHash: hash, status }: ProviderSubscription): string {
  const { age: _, ...rest } = { age: 0, ...status };
  return JSON.stringify([hash?.toString('hex') ?? null, Object.entries(rest).toSorted()]);
}

function hasLostKey({ keyHash: hash }: ProviderSubscription, row: ProviderSubscription | undefined): boolean {
  if (row === undefined || row.keyHash === null) return false;
  return hash === null || !hash.equals(row.keyHash);
}

function withAge({ status, age }: MirroredSubscription): SubscriptionStatus {
  return { ...status, age: Math.ceil(age) };
}

function unavailable(error: unknown): ProviderUnavailable {
  return error instanceof ProviderUnavailable ? error : new ProviderUnavailable(error);
}

/** Throws ProviderUnavailable for an answer about something else. */
function requireSound(
  { reference, keyHash: hash, status }: ProviderSubscription,
  row: MirroredSubscription | null,
): void {
  const isOther = row !== null && row.reference !== reference;
  const isMixed = status.state === 'active' && status.subscription !== reference;
  const hasOddName = reference === '' || reference.length > 200;
  if (isOther || isMixed || hasOddName || (hash !== null && hash.length !== 32)) {
    throw new ProviderUnavailable(new Error('The payment service answered about something else'));
  }
}
