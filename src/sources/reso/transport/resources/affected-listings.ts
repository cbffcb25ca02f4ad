// Listings that changes of other resources concern: those that records are a part of, or that show them.

import type { ShownContact } from '../../../source.ts';
import type { UpstreamRecord } from '../../mapping/decode.ts';
import type { PageReader } from '../page-reader.ts';
import type { QueryRules } from '../query.ts';
import { batchesOf, readAll } from './by-keys.ts';
import { type ContactReader, contactFields, keyIn } from './contacts.ts';
import type { NamedRecord } from './event-log.ts';
import type { MediaReader } from './media.ts';
import { type ContactResource, followedResources } from './offered.ts';
import { contactsUrl, parentsUrl } from './resource-queries.ts';

export interface AffectedOptions {
  readonly media: MediaReader;
  readonly contacts: ContactReader;
  /** Keys of stored listings that show one of these; absent: nobody knows. */
  readonly findShowing?: (contacts: readonly ShownContact[]) => Promise<readonly string[]>;
}

/** Events by what became of them. */
type EventOutcome = 'followed' | 'ignored' | 'unreadable';

export class AffectedListings {
  readonly #root: string;
  readonly #reader: PageReader;
  readonly #options: AffectedOptions;
  /** Events since the start. */
  readonly eventCounts = new Map<EventOutcome, number>();

  constructor(root: string, reader: PageReader, options: AffectedOptions) {
    this.#root = root;
    this.#reader = reader;
    this.#options = options;
  }

  /** Keys of the listings that named records are, or belong to. */
  async of(
    named: readonly NamedRecord[],
    rules: QueryRules,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const followed = new Set(followedResources(rules));
    const keys = new Set<string>();
    for (const [name, records] of Map.groupBy(named, ({ resource }) => resource)) {
      const own = records.map(({ key }) => key);
      if (name === 'Property') for (const key of own) keys.add(key);
      else if ((name === 'Media' || name === 'OpenHouse') && rules.resources.has(name)) {
        const parents = await this.#parentsOf(name, own, rules, signal);
        if (name === 'Media') this.#options.media.forget(parents);
        for (const key of parents) keys.add(key);
      } else if ((name === 'Member' || name === 'Office') && followed.has(name)) {
        const url = (batch: readonly string[]) =>
          contactsUrl(this.#root, name, batch, contactFields(name), rules);
        const found = await this.#byKeys(own, url, rules, signal);
        for (const key of await this.showing(name, found)) keys.add(key);
      } else {
        this.count('ignored', own.length);
        continue;
      }
      this.count('followed', own.length);
    }
    return [...keys];
  }

  async #parentsOf(
    resource: 'Media' | 'OpenHouse',
    keys: readonly string[],
    rules: QueryRules,
    signal: AbortSignal,
  ): Promise<string[]> {
    const url = (batch: readonly string[]) => parentsUrl(this.#root, resource, batch, rules);
    const parent = resource === 'Media' ? 'ResourceRecordKey' : 'ListingKey';
    const found = await this.#byKeys(keys, url, rules, signal);
    return found.flatMap((record) => keyIn(record[parent]) ?? []);
  }

  async #byKeys(
    keys: readonly string[],
    url: (batch: readonly string[]) => string,
    rules: QueryRules,
    signal: AbortSignal,
  ): Promise<UpstreamRecord[]> {
    const asking = this.#reader.asking(signal);
    const found: UpstreamRecord[] = [];
    for (const batch of batchesOf(keys, rules.profile)) found.push(...(await readAll(url(batch), asking)));
    return found;
  }

  /** Keys of listings that show agents or offices of which something else is to be shown now. */
  async showing(resource: ContactResource, records: readonly UpstreamRecord[]): Promise<readonly string[]> {
    const { contacts, findShowing } = this.#options;
    const changed = contacts.changed(resource, records);
    return changed.length === 0 || findShowing === undefined ? [] : findShowing(changed);
  }

  /** Counts events. */
  count(outcome: EventOutcome, count: number): void {
    if (count > 0) this.eventCounts.set(outcome, (this.eventCounts.get(outcome) ?? 0) + count);
  }
}
