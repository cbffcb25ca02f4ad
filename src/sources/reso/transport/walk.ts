// Walk from page to page: never in a circle, never on and on behind the end, and past no record that moved up meanwhile.

import { createHash } from 'node:crypto';
import { feedFault, LiveError } from '../../source.ts';
import type { UpstreamRecord } from '../mapping/decode.ts';
import { skipOf, withSkip } from './links.ts';

export interface ParsedPage {
  readonly records: readonly UpstreamRecord[];
  /** The address of the next page; null: there is none. */
  readonly link: string | null;
  /** Records of all pages, where the server says. */
  readonly total?: number;
}

/** Reads a page; `slowly`: a second after the request before. Throws LiveError. */
export type ReadPage = (url: string, slowly: boolean) => Promise<ParsedPage>;

/** The page in place of one that could not be read; null: there is none. `isProgress`: whether new records came since the last call. */
export type RecoverPage = (error: unknown, isProgress: boolean) => Promise<ParsedPage | null>;

/** Pages in a row without a new record after which what a server still links to is nothing more. */
const MAX_IDLE = 5;
/** Pages whose records are remembered one by one, and pages that are remembered at all. */
const RECENT_PAGES = 10;
const MAX_PAGES = 100_000;
/** Records that a walk goes back at most to find one that it knows. */
const MAX_BACK = 20_000;
/** Statuses of a server that signs its links, or knows them only as they are. */
const UNALTERABLE: readonly number[] = [400, 401, 403, 404, 410];

const keyOf = (record: UpstreamRecord): string | null => {
  const key = record.ListingKey ?? record.ListingKeyNumeric;
  return typeof key === 'string' || typeof key === 'number' ? String(key) : null;
};

/** What a walk has seen. */
export class Trail {
  readonly #links = new Set<string>();
  readonly #pages = new Set<string>();
  /** Ages of the records of the last pages, by their keys. */
  readonly #recent: Map<string, string>[] = [];
  lastKey: string | null;
  /** Whether links can be altered. */
  isAlterable = true;

  readonly #watermark: string;

  /** `watermark`: the field that moves with each change; `lastKey`: the key of the last record of an earlier walk. */
  constructor(watermark: string, lastKey: string | null = null) {
    this.#watermark = watermark;
    this.lastKey = lastKey;
    if (lastKey !== null) this.#recent.push(new Map([[lastKey, '']]));
  }

  /** Throws the LiveError of a link that was followed already. */
  follow(link: string): void {
    if (this.#links.has(link))
      throw feedFault('cyclic_links', 'The source links back to a page that was read already.');
    if (this.#links.size < MAX_PAGES) this.#links.add(link);
  }

  /** Pages are about to be read again, so that their links come again. */
  goBack(): void {
    this.#links.clear();
  }

  knows(record: UpstreamRecord): boolean {
    const key = keyOf(record);
    return key !== null && this.#recent.some((page) => page.has(key));
  }

  /** The records that are not those of the last pages, each at the same age. */
  fresh(records: readonly UpstreamRecord[]): readonly UpstreamRecord[] {
    return records.filter((record) => {
      const key = keyOf(record);
      return key === null || !this.#recent.some((page) => page.get(key) === this.#ageOf(record));
    });
  }

  #ageOf(record: UpstreamRecord): string {
    return `${keyOf(record)} ${String(record[this.#watermark])}`;
  }

  /** Remembers a page; false when it was there before. */
  add(records: readonly UpstreamRecord[]): boolean {
    if (records.length === 0) return false;
    const digest = createHash('sha1')
      .update(records.map((record) => this.#ageOf(record)).join('\n'))
      .digest('base64');
    const isNew = !this.#pages.has(digest);
    if (this.#pages.size < MAX_PAGES) this.#pages.add(digest);
    this.#recent.push(new Map(records.map((record) => [keyOf(record) ?? '', this.#ageOf(record)])));
    if (this.#recent.length > RECENT_PAGES) this.#recent.shift();
    this.lastKey = records.map(keyOf).findLast((key) => key !== null) ?? this.lastKey;
    return isNew;
  }
}

/** The first page and those that it leads to; the last one has no link. `recover` may replace one. Throws LiveError. */
export async function* walkPages(
  first: ParsedPage,
  trail: Trail,
  read: ReadPage,
  recover: RecoverPage = async () => null,
): AsyncGenerator<ParsedPage> {
  let idle = 0;
  let isProgress = true;
  for (let page = first; ; ) {
    const records = trail.fresh(page.records);
    const isNew = trail.add(page.records);
    idle = isNew && records.length > 0 ? 0 : idle + 1;
    isProgress ||= idle === 0;
    const link = idle < MAX_IDLE ? page.link : null;
    if (link !== null) trail.follow(link);
    yield { ...page, records, link };
    if (link === null) return;
    page = await followLink(link, trail, (url, slowly) => read(url, slowly || idle > 0)).catch(
      async (error: unknown) => {
        const recovered = await recover(error, isProgress);
        if (recovered === null) throw error;
        isProgress = false;
        return recovered;
      },
    );
  }
}

/**
 * The page that a link leads to. Where it skips a number of records, the record before it must still be there: records that
 * left meanwhile have moved others up, which would never be read. Throws LiveError.
 */
export async function followLink(link: string, trail: Trail, read: ReadPage): Promise<ParsedPage> {
  const skip = skipOf(link);
  if (skip === null || skip === 0 || trail.lastKey === null || !trail.isAlterable) return read(link, false);
  for (let back = 1; back <= MAX_BACK; back *= 5) {
    const from = Math.max(0, skip - back);
    const page = await read(withSkip(link, from), false).catch((error: unknown) => {
      if (error instanceof LiveError && UNALTERABLE.includes(error.status ?? 0)) return null;
      throw error;
    });
    if (page === null) {
      trail.isAlterable = false;
      return read(link, false);
    }
    if (from === 0 || page.records.some((record) => trail.knows(record))) return page;
    trail.goBack();
  }
  throw feedFault('shifting_pages', 'The pages of the source shift while they are read.');
}
