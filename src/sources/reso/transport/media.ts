// Photos of records where they are no expansion: left out, or read as a resource of their own.

import { isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import type { Profile } from '../profiles/profile-schema.ts';
import { linkIn } from './links.ts';
import { mediaUrl, type QueryRules } from './query.ts';
import { listIn } from './request.ts';

/** Listings whose photos are requested at once. */
const BATCH = 50;
const MAX_PAGES = 200;
/** Listings of which it is remembered which photos were read. */
const MAX_KNOWN = 200_000;

/** A record without photos where their addresses must not be stored, or are not read. */
export function withoutPhotos(record: UpstreamRecord, { media }: Profile): UpstreamRecord {
  if (!media.singleUse && media.from !== 'none') return record;
  if (record.Media === undefined) return record;
  const { Media: _, ...rest } = record;
  return rest;
}

export class MediaReader {
  /** What the last photos of a listing were read for, by its key. */
  readonly #known = new Map<string, string>();

  /** The records with the photos of those whose photos changed, where they are a resource; the others as they are. Throws LiveError. */
  async complete(
    records: readonly UpstreamRecord[],
    root: string,
    rules: QueryRules,
    get: (url: string) => Promise<UpstreamRecord>,
  ): Promise<readonly UpstreamRecord[]> {
    const { media } = rules.profile;
    if (media.from !== 'resource') return records;
    const due = new Map<string, unknown[]>();
    for (const record of records) {
      const key = String(record[rules.keyField]);
      if (this.#known.get(key) !== stateOf(record)) due.set(key, []);
    }
    const keys = [...due.keys()];
    for (let from = 0; from < keys.length; from += BATCH)
      await this.#read(keys.slice(from, from + BATCH), due, root, rules, get);
    return records.map((record) => {
      const key = String(record[rules.keyField]);
      const photos = due.get(key);
      if (photos === undefined) return record;
      this.#remember(key, stateOf(record));
      return { ...record, Media: photos };
    });
  }

  /** Photos of these listings are read again, whether they change or not. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.#known.delete(key);
  }

  async #read(
    keys: readonly string[],
    due: ReadonlyMap<string, unknown[]>,
    root: string,
    rules: QueryRules,
    get: (url: string) => Promise<UpstreamRecord>,
  ): Promise<void> {
    let link: string | null = mediaUrl(root, keys, rules);
    for (let pages = 0; link !== null && pages < MAX_PAGES; pages++) {
      const body: UpstreamRecord = await get(link);
      for (const medium of listIn(body))
        if (isRecord(medium)) due.get(String(medium.ResourceRecordKey))?.push(medium);
      link = linkIn(root, body['@odata.nextLink']);
    }
  }

  #remember(key: string, state: string): void {
    this.#known.delete(key);
    this.#known.set(key, state);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** What moves when the photos of a listing change. */
const stateOf = (record: UpstreamRecord): string =>
  `${String(record.PhotosChangeTimestamp)} ${String(record.PhotosCount)}`;
