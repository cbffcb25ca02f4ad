// Counter of use in one process: bounded rows by hour, caller and operation, which are taken once a minute. Pure.

import { HOUR } from '../lib/clock.ts';

/** Who called which operation how, and how it ended. */
export interface UsageKey {
  readonly account: string;
  /** The OAuth client; empty: none. */
  readonly client: string;
  readonly tier: string;
  /** Empty: the operation shows no listings. */
  readonly channel: string;
  readonly operation: string;
  /** First digit of the status; 0: there was no answer. */
  readonly status: number;
}

/** What was used. */
export interface UsageAmounts {
  readonly requests: number;
  readonly bytes: number;
  /** Listings that the answers showed, by source. */
  readonly shown: ReadonlyMap<string, number>;
}

/** A row of the record. One of a source has listings alone; the other one, whose source is empty, requests and bytes. */
export interface UsageRow extends UsageKey {
  /** Milliseconds since the epoch. */
  readonly hour: number;
  readonly source: string;
  readonly requests: number;
  readonly listings: number;
  readonly bytes: number;
}

/** In place of an account, a client or an operation where there are too many. */
export const OTHER = '(other)';

interface Entry {
  readonly key: UsageKey;
  requests: number;
  bytes: number;
  readonly shown: Map<string, number>;
}

export class UsageCounter {
  readonly #max: number;
  readonly #hours = new Map<number, Map<string, Entry>>();
  #size = 0;

  /** @param max entries at once; further ones are summed up for each tier, channel and outcome */
  constructor(max: number) {
    this.#max = max;
  }

  /** Entries that wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds what was used at a time in milliseconds. */
  add(at: number, key: UsageKey, { requests, bytes, shown }: UsageAmounts): void {
    const entry = this.#entry(at - (at % HOUR), key);
    entry.requests += requests;
    entry.bytes += bytes;
    for (const [source, listings] of shown)
      entry.shown.set(source, (entry.shown.get(source) ?? 0) + listings);
  }

  /** Everything that was added since the last time, each row once. */
  take(): UsageRow[] {
    const rows: UsageRow[] = [];
    for (const [hour, entries] of this.#hours)
      for (const { key, requests, bytes, shown } of entries.values()) {
        if (requests > 0 || bytes > 0) rows.push({ ...key, hour, source: '', requests, bytes, listings: 0 });
        for (const [source, listings] of shown)
          rows.push({ ...key, hour, source, requests: 0, bytes: 0, listings });
      }
    this.#hours.clear();
    this.#size = 0;
    return rows;
  }

  /** Adds rows that could not be written. */
  restore(rows: readonly UsageRow[]): void {
    for (const { hour, source, requests, listings, bytes, ...key } of rows)
      this.add(hour, key, { requests, bytes, shown: source === '' ? NONE : new Map([[source, listings]]) });
  }

  #entry(hour: number, key: UsageKey): Entry {
    let entries = this.#hours.get(hour);
    if (entries === undefined) {
      entries = new Map();
      this.#hours.set(hour, entries);
    }
    const found = entries.get(nameOf(key));
    if (found !== undefined) return found;
    const isFull = this.#size >= this.#max && key.account !== OTHER;
    if (isFull) return this.#entry(hour, { ...key, account: OTHER, client: '', operation: OTHER });
    const entry = { key, requests: 0, bytes: 0, shown: new Map<string, number>() };
    entries.set(nameOf(key), entry);
    this.#size += 1;
    return entry;
  }
}

const NONE: ReadonlyMap<string, number> = new Map();

const nameOf = ({ account, client, tier, channel, operation, status }: UsageKey): string =>
  `${account}\n${client}\n${tier}\n${channel}\n${operation}\n${status}`;
