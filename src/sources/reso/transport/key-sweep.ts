// Sweep of keys: every key that a server has, for what it never says of records that left.

import type { ListedKeys } from '../../source.ts';
import type { PageReader } from './page-reader.ts';
import { sweepUrl } from './query.ts';
import type { Session } from './session.ts';
import { Trail, walkPages } from './walk.ts';
import { Watermarks } from './watermarks.ts';

export class KeySweep {
  readonly #session: Session;
  readonly #reader: PageReader;
  readonly #watermarks: Watermarks;

  constructor(session: Session, reader: PageReader) {
    this.#session = session;
    this.#reader = reader;
    this.#watermarks = new Watermarks(session, null);
  }

  /** Milliseconds from one sweep to the next; null: there is none. */
  get interval(): number | null {
    const { sweep } = this.#session.profile.deletes;
    return sweep === null ? null : sweep.hours * 3_600_000;
  }

  /** Every key, and the number of records that the server counts. Throws LiveError. */
  async list(signal: AbortSignal): Promise<ListedKeys> {
    const { root, profile } = this.#session;
    const { load, deletes, watermark } = profile;
    const path = deletes.sweep?.path ?? load.path;
    const links = path === load.path ? load.links : 'body';
    const size = deletes.sweep?.size ?? null;
    const reading = this.#reader.reading({ links, end: 'no-link', size, kind: 'key-sweep' }, signal, true);
    const first = await this.#reader.first((rules) => sweepUrl(root, rules), [], reading);
    const { keyField } = this.#session.knownRules();
    const keys = new Set<string>();
    for await (const { records } of walkPages(first, new Trail(watermark.field), reading.page))
      for (const record of records) {
        const key = record[keyField];
        if (typeof key === 'string' || typeof key === 'number') keys.add(String(key));
      }
    return { keys: [...keys], total: load.count === 'none' ? null : await this.#watermarks.count(reading) };
  }
}
