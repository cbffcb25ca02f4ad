// Statuses of subscriptions: requested of the provider, and kept in memory until what they were read from is ten minutes old.

import { LRUCache } from 'lru-cache';
import { type Clock, withDeadline } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { hashSecret } from '../../lib/secrets.ts';
import { SingleFlight } from '../../lib/single-flight.ts';
import {
  ProviderUnavailable,
  type StatusRequest,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../tiers/provider.ts';

/** Milliseconds after which no status counts. */
const MAX_AGE = 600_000;
/** Milliseconds after which one that is used is fetched again in the background, and between two attempts at that. */
const RENEWAL_AGE = 480_000;
const RENEWAL_PAUSE = 30_000;
/** Milliseconds for which a refusal counts of which nothing is stored; of a key that is not paid for yet. */
const REFUSAL_LIFETIME = 30_000;
const PENDING_LIFETIME = 2_000;
/** Milliseconds until the next attempt after one that failed. */
const FAILURE_PAUSE = 1_000;
const MAX_ENTRIES = 200_000;

export interface SubscriptionCacheOptions {
  readonly provider: SubscriptionProvider;
  readonly clock: Clock;
  /** Called with the first error of an outage that nobody waits for. */
  readonly report: (error: unknown) => void;
}

interface Entry {
  readonly result: SubscriptionStatus | ProviderUnavailable;
  /** Monotonic times. */
  readonly validUntil: number;
  renewAt: number;
  /** Entries that name no subscription end with any notification, since it may be about them. */
  readonly generation: number;
}

/** What is looked up, and how the provider is asked about it. */
interface Lookup {
  readonly id: string;
  readonly request: (request: StatusRequest) => Promise<SubscriptionStatus>;
}

/**
 * Keeps hashes, never keys. It is right without notifications, which only make changes count sooner: an entry ends by the
 * monotonic clock, counted from before the row was read.
 */
export class SubscriptionCache {
  readonly #options: SubscriptionCacheOptions;
  readonly #entries = new LRUCache<string, Entry>({
    max: MAX_ENTRIES,
    dispose: ({ result }, id) => this.#unlink(result, id),
  });
  /** The entries of each subscription: its own, and that of its key. */
  readonly #idsOf = new Map<string, Set<string>>();
  readonly #flights = new SingleFlight<SubscriptionStatus>();
  /** Grows with each notification: what was requested before it is not kept. */
  #generation = 0;
  #isFailing = false;

  constructor(options: SubscriptionCacheOptions) {
    this.#options = options;
  }

  /**
   * The status of the subscription of a key in upper case. Throws ProviderUnavailable.
   * @param onUnknown called before a payment service is asked about a key of which nothing is stored
   */
  findByKey(key: string, onUnknown?: () => Promise<void> | undefined): Promise<SubscriptionStatus> {
    return this.#find(this.#keyLookup(key), onUnknown);
  }

  /** The status of a subscription by its reference. Throws ProviderUnavailable. */
  find(subscription: string): Promise<SubscriptionStatus> {
    return this.#find(this.#subscriptionLookup(subscription));
  }

  /** The same at this moment, past what is kept and stored. */
  fetchByKey(key: string, onUnknown?: () => Promise<void> | undefined): Promise<SubscriptionStatus> {
    return this.#fetch(this.#keyLookup(key), { maxAge: 0, onUnknown });
  }

  fetch(subscription: string): Promise<SubscriptionStatus> {
    return this.#fetch(this.#subscriptionLookup(subscription), { maxAge: 0 });
  }

  /** Drops what is kept of a subscription that changed. */
  invalidate(subscription: string): void {
    this.#generation++;
    for (const id of [...(this.#idsOf.get(subscription) ?? [])]) this.#entries.delete(id);
  }

  /** Drops everything: notifications may have been missed. */
  clear(): void {
    this.#generation++;
    this.#entries.clear();
  }

  async #find(lookup: Lookup, onUnknown?: () => Promise<void> | undefined): Promise<SubscriptionStatus> {
    const entry = this.#entries.get(lookup.id);
    const isValid = entry !== undefined && this.#isValid(entry);
    const result = isValid ? entry.result : await this.#share(lookup, { maxAge: MAX_AGE, onUnknown });
    if (result instanceof ProviderUnavailable) throw result;
    this.#renewIfOld(lookup);
    return result;
  }

  /** What is old counts meanwhile. */
  #renewIfOld(lookup: Lookup): void {
    const entry = this.#entries.peek(lookup.id);
    const now = this.#options.clock.monotonic();
    if (entry === undefined || now < entry.renewAt || !this.#isValid(entry)) return;
    entry.renewAt = now + RENEWAL_PAUSE;
    this.#share(lookup, { maxAge: RENEWAL_AGE }).then(
      () => {
        this.#isFailing = false;
      },
      (error: unknown) => {
        if (!this.#isFailing) this.#options.report(error);
        this.#isFailing = true;
      },
    );
  }

  #isValid({ result, validUntil, generation }: Entry): boolean {
    if (this.#options.clock.monotonic() >= validUntil) return false;
    const isNamed = !(result instanceof ProviderUnavailable) && result.state === 'active';
    return isNamed || generation === this.#generation;
  }

  /** Whoever asks after a notification does not join a request from before it. */
  #share(lookup: Lookup, options: Omit<StatusRequest, 'signal'>): Promise<SubscriptionStatus> {
    return this.#flights.run(`${this.#generation} ${lookup.id}`, null, () => this.#fetch(lookup, options));
  }

  async #fetch(lookup: Lookup, options: Omit<StatusRequest, 'signal'>): Promise<SubscriptionStatus> {
    const { clock } = this.#options;
    const times = { sentAt: clock.monotonic(), date: clock.now(), generation: this.#generation };
    try {
      const status = await requestStatus(clock, (signal) => lookup.request({ ...options, signal }));
      this.#keep(lookup.id, status, times);
      return status;
    } catch (error) {
      if (error instanceof Problem) throw error;
      const failure = error instanceof ProviderUnavailable ? error : new ProviderUnavailable(error);
      this.#keepFailure(lookup.id, failure);
      throw failure;
    }
  }

  #keep(
    id: string,
    status: SubscriptionStatus,
    times: { readonly sentAt: number; readonly date: number; readonly generation: number },
  ): void {
    const { sentAt, date, generation } = times;
    if (generation !== this.#generation) return;
    const { age = 0 } = status;
    let lifetime = MAX_AGE - age;
    if (status.state === 'active' && status.endsAt !== null) {
      // The end becomes monotonic time here, once: a wall clock that jumps later moves nothing.
      lifetime = Math.min(lifetime, status.endsAt - date);
    } else if (status.state !== 'active' && status.age === undefined) {
      const isPending = status.state === 'unknown' && status.reason === 'pending';
      lifetime = isPending ? PENDING_LIFETIME : REFUSAL_LIFETIME;
    }
    const renewAt = sentAt + RENEWAL_AGE - age;
    this.#entries.set(id, { result: status, validUntil: sentAt + lifetime, renewAt, generation });
    if (status.state !== 'active') return;
    const ids = this.#idsOf.get(status.subscription) ?? new Set();
    this.#idsOf.set(status.subscription, ids.add(id));
  }

  /** A status that still counts is not replaced by a failure. */
  #keepFailure(id: string, failure: ProviderUnavailable): void {
    const known = this.#entries.peek(id);
    if (known !== undefined && this.#isValid(known)) return;
    const validUntil = this.#options.clock.monotonic() + FAILURE_PAUSE;
    const generation = this.#generation;
    this.#entries.set(id, { result: failure, validUntil, renewAt: validUntil, generation });
  }

  #unlink(result: Entry['result'], id: string): void {
    if (result instanceof ProviderUnavailable || result.state !== 'active') return;
    const ids = this.#idsOf.get(result.subscription);
    ids?.delete(id);
    if (ids?.size === 0) this.#idsOf.delete(result.subscription);
  }

  #keyLookup(key: string): Lookup {
    const { provider } = this.#options;
    return { id: `key ${hashSecret(key)}`, request: (request) => provider.validate(key, request) };
  }

  #subscriptionLookup(subscription: string): Lookup {
    const { provider } = this.#options;
    return { id: `sub ${subscription}`, request: (request) => provider.refresh(subscription, request) };
  }
}

/** Of a request to the provider. */
const TIMEOUT = {
  milliseconds: 5_000,
  onTimeout: () => new ProviderUnavailable(new Error('The subscription provider did not answer in time')),
};

/** The status that a request gives; throws ProviderUnavailable for an answer that is late. */
async function requestStatus(
  clock: Clock,
  request: (signal: AbortSignal) => Promise<SubscriptionStatus>,
): Promise<SubscriptionStatus> {
  const date = clock.now();
  const status = await withDeadline({ clock, ...TIMEOUT }, request);
  // A subscription whose end has passed is over, even if the provider still calls it active.
  const isOver = status.state === 'active' && status.endsAt !== null && status.endsAt <= date;
  return isOver ? { state: 'expired' } : status;
}

/** The status of a subscription at this moment, for decisions that must see its end at once. */
export function fetchStatus(
  { provider, clock }: { readonly provider: SubscriptionProvider; readonly clock: Clock },
  subscription: string,
): Promise<SubscriptionStatus> {
  return requestStatus(clock, (signal) => provider.refresh(subscription, { signal, maxAge: 0 }));
}
