// Reader of one listing: in the forms that the profile has, one after the other.

import type { OutboundAnswer } from '../../../lib/outbound.ts';
import { LiveError } from '../../source.ts';
import { isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import { canJoinKeys } from '../profiles/profile.ts';
import type { Profile } from '../profiles/profile-schema.ts';
import type { PageReader } from './page-reader.ts';
import { entityUrl, keysUrl, type QueryRules, singleUrl } from './query.ts';
import { isRefusal, LONG_QUERY } from './refusals.ts';
import { listIn, parseBody } from './request.ts';
import { batchesOf, readAll } from './resources/by-keys.ts';
import type { Session } from './session.ts';

type Form = Exclude<Profile['live'], false>['forms'][number];

/** A listing by what it is known by. */
export interface ListingNames {
  readonly key: string;
  /** Its public number; null: not known. */
  readonly listingId: string | null;
}

/** Listings that were requested by their keys. */
export interface ReadBatch {
  readonly records: readonly UpstreamRecord[];
  /** Keys of those that the server does not have. */
  readonly absent: readonly string[];
}

const MAX_LISTING_BYTES = 5 * 1024 * 1024;
/** Statuses of servers that do not know the listing by this form, or the form at all. */
const TRY_NEXT: readonly number[] = [400, 404, 501];
const UNKNOWN_FORM: readonly number[] = [400, 501];
/** Statuses of servers that read the beginning of a long query only. */
const TOO_LONG: readonly (number | null)[] = [400, 404, 414];

export class ListingReader {
  readonly #session: Session;
  readonly #reader: PageReader;
  readonly #root: string;
  /** Those that the server has not refused, while another one was answered. */
  #forms: readonly Form[];
  /** Whether the server answers queries by several keys, as far as it is known. */
  #joinsKeys: boolean;

  constructor(session: Session, reader: PageReader) {
    const { live } = session.profile;
    this.#session = session;
    this.#reader = reader;
    this.#root = (live === false ? null : live.root)?.replace(/\/+$/, '') ?? session.root;
    this.#forms = live === false ? [] : live.forms;
    this.#joinsKeys = canJoinKeys(session.profile);
  }

  /** The record with these names. Throws LiveError. */
  async read(names: ListingNames, signal: AbortSignal): Promise<UpstreamRecord> {
    const rules = await this.#session.availableRules(signal);
    const record = await this.#readBy(names, rules, signal).catch(async (error: unknown) => {
      const renewed = await this.#renewedAfter(error, signal);
      if (renewed === null) throw error;
      return this.#readBy(names, renewed, signal);
    });
    const [complete = record] = await this.#reader.complete([record], signal, { kind: 'live' });
    return complete;
  }

  /** The rules in place of those by which a query was refused; null: it was not, or they still hold. */
  async #renewedAfter(error: unknown, signal: AbortSignal): Promise<QueryRules | null> {
    return error instanceof LiveError && UNKNOWN_FORM.includes(error.status ?? 0)
      ? this.#session.renewedRules(signal)
      : null;
  }

  #readBy(names: ListingNames, rules: QueryRules, signal: AbortSignal): Promise<UpstreamRecord> {
    const whole = { ...rules, refused: new Set([...rules.refused, 'select'] as const) };
    // Only a query that the server reads to its end can show that a listing is gone.
    const isLong = singleUrl(this.#root, names.key, rules).length > LONG_QUERY;
    if (!isLong) return this.#find(names, rules, signal);
    return this.#find(names, rules, signal).catch((error: unknown) => {
      if (error instanceof LiveError && TOO_LONG.includes(error.status))
        return this.#find(names, whole, signal);
      throw error;
    });
  }

  /** The records with these keys that the server has, some at a time, with all their children. Throws LiveError. */
  async *readMany(
    keys: readonly string[],
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<ReadBatch> {
    for (const batch of batchesOf(keys, this.#session.profile))
      yield this.#joinsKeys ? await this.#readTogether(batch, signal) : await this.#readEach(batch, signal);
  }

  async #readTogether(keys: readonly string[], signal: AbortSignal): Promise<ReadBatch> {
    const { root } = this.#session;
    const rules = await this.#session.rules(signal);
    const url = keysUrl(root, keys, rules);
    let records: UpstreamRecord[];
    try {
      records = await readAll(url, this.#reader.asking(signal));
    } catch (error) {
      if ((await this.#renewedAfter(error, signal)) !== null) return this.#readTogether(keys, signal);
      if (this.#forms.length === 0 || !isRefusal(error, url)) throw error;
      this.#joinsKeys = false;
      return this.#readEach(keys, signal);
    }
    const found = new Set(records.map((record) => String(record[rules.keyField])));
    const absent = keys.filter((key) => !found.has(key));
    // A server that ignores or misreads the condition would have no listing at all.
    if (absent.length === keys.length && this.#forms.length > 0) return this.#readEach(keys, signal);
    const wanted = records.filter((record) => keys.includes(String(record[rules.keyField])));
    return { records: await this.#reader.complete(wanted, signal, { openHouses: true }), absent };
  }

  async #readEach(keys: readonly string[], signal: AbortSignal): Promise<ReadBatch> {
    const records: UpstreamRecord[] = [];
    const absent: string[] = [];
    for (const key of keys)
      await this.read({ key, listingId: null }, signal).then(
        (record) => void records.push(record),
        (error: unknown) => {
          if (!(error instanceof LiveError) || error.code !== 'not_found_upstream') throw error;
          absent.push(key);
        },
      );
    return { records: await this.#reader.complete(records, signal, { openHouses: true }), absent };
  }

  async #find(names: ListingNames, rules: QueryRules, signal: AbortSignal): Promise<UpstreamRecord> {
    const forms = this.#forms.filter((form) => form !== 'id' || names.listingId !== null);
    const refused: Form[] = [];
    for (const form of forms) {
      const isLast = form === forms.at(-1);
      const response = await this.#get(this.#urlOf(form, names, rules), signal);
      if (!isLast && TRY_NEXT.includes(response.status)) {
        if (UNKNOWN_FORM.includes(response.status)) refused.push(form);
        continue;
      }
      const record = this.#recordIn(response, form);
      if (record === null && !isLast) continue;
      if (record === null)
        throw new LiveError('not_found_upstream', 'The source no longer has this listing.');
      this.#forms = this.#forms.filter((each) => !refused.includes(each));
      return record;
    }
    throw new LiveError('live_unsupported', 'The source cannot be asked for one listing.');
  }

  #urlOf(form: Form, { key, listingId }: ListingNames, rules: QueryRules): string {
    if (form === 'entity') return entityUrl(this.#root, key, rules);
    return form === 'key'
      ? singleUrl(this.#root, key, rules)
      : singleUrl(this.#root, listingId ?? '', rules, 'ListingId');
  }

  /** Null: a list without records. */
  #recordIn(response: OutboundAnswer, form: Form): UpstreamRecord | null {
    const body = parseBody(response, this.#session.clock.now());
    // Some servers answer to an address of an entity that they do not have with an empty list.
    if (form === 'entity' && !(Array.isArray(body.value) && body.value.length === 0)) return body;
    const [record] = listIn(body);
    if (record === undefined) return null;
    if (!isRecord(record)) throw new LiveError('parse_failed', 'The source answered without a record.');
    return record;
  }

  #get(url: string, signal: AbortSignal): Promise<OutboundAnswer> {
    return this.#session.get(url, { kind: 'live', signal, maxBytes: MAX_LISTING_BYTES });
  }
}
