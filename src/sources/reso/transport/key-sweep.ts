// Sweep of keys: every key that a server has, for what it never says of records that left.

import type { ListedRecord } from '../../source.ts';
import type { UpstreamRecord } from '../mapping/decode.ts';
import type { PageReader, Reading } from './page-reader.ts';
import { sweepUrl } from './query.ts';
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
