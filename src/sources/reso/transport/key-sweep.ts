// Sweep of keys: every key that a server has, for what it never says of records that left.

import { DAY } from '../../../lib/clock.ts';
import type { ListedRecord, OpenHouseList } from '../../source.ts';
import type { UpstreamRecord } from '../mapping/decode.ts';
import type { PageReader, Reading } from './page-reader.ts';
import { sweepUrl } from './query.ts';
import { readAll } from './resources/by-keys.ts';
import { keyIn } from './resources/contacts.ts';
import { listsOpenHouses, openHousesFrom } from './resources/offered.ts';
import { changedUrl } from './resources/resource-queries.ts';
import type { Session } from './session.ts';
import { Trail, walkPages } from './walk.ts';
import { Watermarks } from './watermarks.ts';

export class KeySweep {
  readonly #session: Session;
  readonly #reader: PageReader;
  readonly #watermarks: Watermarks;

  /** `timeZone`: of timestamps without a zone; null: not known. */
  constructor(session: Session, reader: PageReader, timeZone: string | null) {
    this.#session = session;
    this.#reader = reader;
    this.#watermarks = new Watermarks(session, timeZone);
  }

  /** Milliseconds from one sweep to the next; null: there is none. */
  get interval(): number | null {
    const { sweep } = this.#session.profile.deletes;
    return sweep === null ? null : sweep.hours * 3_600_000;
  }

  /** Every key, page by page, with its watermark where the profile has it. Throws LiveError. */
  async *pages(signal: AbortSignal): AsyncGenerator<readonly ListedRecord[]> {
    const { root, profile } = this.#session;
    const reading = this.#reading(signal);
    const first = await this.#reader.first((rules) => sweepUrl(root, rules), [], reading);
    const { keyField } = this.#session.knownRules();
    for await (const { records } of walkPages(first, new Trail(profile.watermark.field), reading.page))
      yield records.flatMap((record) => this.#listed(record, keyField));
  }

  /** How many records the server has now; null where it does not say. Throws LiveError. */
  async count(signal: AbortSignal): Promise<number | null> {
    return this.#session.profile.load.count === 'none' ? null : this.#watermarks.count(this.#reading(signal));
  }

  /** The keys of all open houses to come, by listing, as far as the server has them apart from listings. Throws LiveError. */
  async openHouses(signal: AbortSignal): Promise<OpenHouseList | null> {
    const rules = await this.#session.rules(signal, true);
    if (openHousesFrom(rules) === null) return null;
    if (!listsOpenHouses(rules)) return 'unlisted';
    const { root, clock, profile } = this.#session;
    const { flag } = profile.deletes;
    // Open houses of today may be those of yesterday by the clocks of the server.
    const now = new Date(clock.now() - DAY).toISOString();
    const fields = ['OpenHouseKey', 'OpenHouseId', 'ListingKey', ...(flag === null ? [] : [flag])];
    const url = changedUrl(root, 'OpenHouse', { since: null, now, fields }, rules);
    const listed = new Map<string, Set<string | null>>();
    for (const house of await readAll(url, this.#reader.asking(signal, 'key-sweep'))) {
      const listing = keyIn(house.ListingKey);
      if (listing === null || (flag !== null && house[flag] === false)) continue;
      const id = keyIn(house.OpenHouseKey) ?? keyIn(house.OpenHouseId);
      listed.set(listing, (listed.get(listing) ?? new Set()).add(id));
    }
    return listed;
  }

  #reading(signal: AbortSignal): Reading {
    const { load, deletes } = this.#session.profile;
    const path = deletes.sweep?.path ?? load.path;
    const links = path === load.path ? load.links : 'body';
    const size = deletes.sweep?.size ?? null;
    return this.#reader.reading({ links, end: 'no-link', size, kind: 'key-sweep' }, signal, true);
  }

  #listed(record: UpstreamRecord, keyField: string): ListedRecord[] {
    const key = record[keyField];
    if (typeof key !== 'string' && typeof key !== 'number') return [];
    const moment = this.#watermarks.of(record);
    return [{ key: String(key), modifiedAt: moment === null ? null : Date.parse(moment) }];
  }
}
