// Watermarks of a server: that of a record, the newest there is, and how many records there are.

import { HOUR, MINUTE } from '../../../lib/clock.ts';
import { earliestMoment, type UpstreamRecord } from '../mapping/decode.ts';
import type { Reading } from './page-reader.ts';
import { countUrl, newestUrl, type QueryRules } from './query.ts';
import { firstAccepted } from './refusals.ts';
import type { Session } from './session.ts';

const BEGINNING = '1970-01-01T00:00:00.000Z';
/** Milliseconds by which the clock of a server may be ahead of ours. */
const MAX_AHEAD = 15 * MINUTE;

/** The latest moment that counts as one of a modification, in milliseconds since the epoch. */
export const latestModification = (now: number): number => now + MAX_AHEAD;

export class Watermarks {
  readonly #session: Session;
  /** Of timestamps without a zone; null: not known. */
  readonly #timeZone: string | null;

  constructor(session: Session, timeZone: string | null) {
    this.#session = session;
    this.#timeZone = timeZone;
  }

  /** The newest watermark that the server has; our own clock's, an hour ago, where it cannot sort. */
  async newest(reading: Reading): Promise<string> {
    if (!this.#session.profile.query.orderBy) return this.anHourAgo();
    const latest = new Date(latestModification(this.#session.clock.now())).toISOString();
    for (const until of [null, latest]) {
      const newest = await this.#newestUntil(until, reading);
      if (newest === undefined) break;
      if (newest === null) return BEGINNING;
      if (newest <= latest) return newest;
    }
    return this.anHourAgo();
  }

  anHourAgo(): string {
    return new Date(this.#session.clock.now() - HOUR).toISOString();
  }

  /** The newest timestamp up to a time; null without records, undefined where the server cannot say. */
  async #newestUntil(until: string | null, reading: Reading): Promise<string | null | undefined> {
    const rules = await this.#session.rules(reading.signal, reading.slowly);
    const url = (changed: QueryRules) => newestUrl(this.#session.root, changed, until);
    const page = await firstAccepted(url, ['select'], rules, reading.page);
    if (page === null) return undefined;
    const [record] = page.records;
    return record === undefined ? null : (this.of(record, Number.POSITIVE_INFINITY) ?? null);
  }

  /** How many records there are now; null where the server does not say. */
  async count({ signal, slowly, page }: Reading): Promise<number | null> {
    const rules = await this.#session.rules(signal, slowly);
    const answer = await firstAccepted(
      (changed) => countUrl(this.#session.root, changed),
      ['select'],
      rules,
      page,
    );
    return answer?.total ?? null;
  }

  /** The earliest moment that the watermark of a record can mean; null without one, or where it lies in the future. */
  of(record: UpstreamRecord, latest = latestModification(this.#session.clock.now())): string | null {
    const at = earliestMoment(record[this.#session.profile.watermark.field], this.#timeZone);
    return at === null || at > latest ? null : new Date(at).toISOString();
  }
}
