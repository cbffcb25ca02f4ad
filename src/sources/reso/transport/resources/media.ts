// Photos of records that an expansion does not bring, or not all of them: read as a resource of their own.

import type { Clock } from '../../../../lib/clock.ts';
import { MINUTE } from '../../../../lib/clock.ts';
import { LiveError } from '../../../source.ts';
import type { UpstreamRecord } from '../../mapping/decode.ts';
import { canJoinKeys } from '../../profiles/profile.ts';
import type { Profile } from '../../profiles/profile-schema.ts';
import { keysUrl, type QueryRules } from '../query.ts';
import { type Asking, batchesOf, readAll } from './by-keys.ts';
import { hasMediaResource, readsMedia } from './offered.ts';
import { mediaUrl } from './resource-queries.ts';

/** Listings of which it is remembered which photos were read. */
const MAX_KNOWN = 200_000;
/** Reads of the photos of a listing that may fail; after that they wait for its next change. */
const MAX_TRIES = 3;
const MAX_PARKED = 10_000;
/** Milliseconds without requests for photos after one that failed. */
const REST = MINUTE;
/** Photos that servers expand where no number is requested. */
const USUAL_CAP = 10;

/** Whether photos that an expansion lacks can be requested. */
const isCompletable = ({ profile }: QueryRules): boolean =>
  profile.media.from === 'expand' && canJoinKeys(profile);

const withoutMedia = ({ Media: _, ...rest }: UpstreamRecord): UpstreamRecord => rest;

/** A record without photos where their addresses must not be stored, or are not read. */
export function withoutPhotos(record: UpstreamRecord, { media }: Profile): UpstreamRecord {
  if (!media.singleUse && media.from !== 'none') return record;
  return record.Media === undefined ? record : withoutMedia(record);
}

/** Whether a record seems to have more photos than were expanded, though the server says nothing of it. */
export const isCut = ({ Media: media, PhotosCount: count }: UpstreamRecord): boolean =>
  Array.isArray(media) && media.length === USUAL_CAP && Number(count) > USUAL_CAP;

export class MediaReader {
  readonly #clock: Pick<Clock, 'now'>;
  /** What the last photos of a listing were read for, by its key. */
  readonly #known = new Map<string, string>();
  /** Listings whose photos could not be read, and how often that was tried. */
  readonly #parked = new Map<string, number>();
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Keys of listings whose photos are due once more. */
  due(max: number): string[] {
    return this.#clock.now() < this.#restUntil ? [] : [...this.#parked.keys()].slice(0, max);
  }

  /** Nothing is known any more: what was read may not have been written. */
  forgetAll(): void {
    this.#known.clear();
  }

  /** The photos of these listings are read again, whatever their records say. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.#known.delete(key);
  }

  /**
   * The records with the photos of those that need a request for them; the others as they are. Photos that cannot be read are
   * left out, as not sent, and are tried again later: they keep no listing from being read. Throws LiveError.
   */
  async complete(records: readonly UpstreamRecord[], asking: Asking): Promise<readonly UpstreamRecord[]> {
    const { rules } = asking;
    const keyOf = (record: UpstreamRecord) => String(record[rules.keyField]);
    const due = new Map(
      records
        .filter((record) => this.#isDue(record, keyOf(record), rules))
        .map((record) => [keyOf(record), stateOf(record)]),
    );
    const read = new Map<string, readonly UpstreamRecord[]>();
    for (const batch of batchesOf([...due.keys()], rules.profile))
      for (const [key, photos] of await this.#read(batch, due, asking)) read.set(key, photos);
    return records.map((record) => {
      const key = keyOf(record);
      const photos = read.get(key);
      // A part of the photos would replace all of them.
      if (photos === undefined) return isCut(record) && isCompletable(rules) ? withoutMedia(record) : record;
      this.#remember(key, stateOf(record));
      return { ...record, Media: photos };
    });
  }

  #isDue(record: UpstreamRecord, key: string, rules: QueryRules): boolean {
    return readsMedia(rules)
      ? this.#known.get(key) !== stateOf(record)
      : isCut(record) && isCompletable(rules);
  }

  async #read(
    keys: readonly string[],
    states: ReadonlyMap<string, string>,
    asking: Asking,
  ): Promise<ReadonlyMap<string, readonly UpstreamRecord[]>> {
    if (this.#clock.now() < this.#restUntil) return this.#park(keys, states, false);
    try {
      const read = await readPhotos(keys, asking);
      for (const key of keys) this.#parked.delete(key);
      return read;
    } catch (error) {
      if (!isOfMedia(error)) throw error;
      this.#restUntil = this.#clock.now() + REST;
      return this.#park(keys, states, true);
    }
  }

  #park(
    keys: readonly string[],
    states: ReadonlyMap<string, string>,
    isTried: boolean,
  ): ReadonlyMap<string, readonly UpstreamRecord[]> {
    for (const key of keys) {
      const tries = (this.#parked.get(key) ?? 0) + (isTried ? 1 : 0);
      this.#parked.delete(key);
      if (tries === MAX_TRIES) this.#remember(key, states.get(key) ?? '');
      else if (this.#parked.size < MAX_PARKED) this.#parked.set(key, tries);
    }
    return new Map();
  }

  #remember(key: string, state: string): void {
    this.#known.delete(key);
    this.#known.set(key, state);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Photos by the keys of their listings: of the resource, or of these listings with all that can be expanded. */
async function readPhotos(
  keys: readonly string[],
  asking: Asking,
): Promise<ReadonlyMap<string, readonly UpstreamRecord[]>> {
  const { root, rules } = asking;
  if (!readsMedia(rules) && !hasMediaResource(rules)) {
    const records = await readAll(keysUrl(root, keys, { ...rules, expandsAll: true }), asking);
    return new Map(
      records.flatMap((record) =>
        Array.isArray(record.Media) ? [[String(record[rules.keyField]), record.Media] as const] : [],
      ),
    );
  }
  const photos = Map.groupBy(await readAll(mediaUrl(root, keys, rules), asking), (medium) =>
    String(medium.ResourceRecordKey),
  );
  return new Map(keys.map((key) => [key, photos.get(key) ?? []]));
}

/** Whether a failure is that of the photos alone: the server would refuse anything else too where it limits or knows us not. */
const isOfMedia = (error: unknown): boolean =>
  error instanceof LiveError &&
  error.retryAfter === null &&
  error.code !== 'upstream_rate_limited' &&
  error.code !== 'upstream_unauthorized';

/** What moves when the photos of a listing change. */
const stateOf = (record: UpstreamRecord): string =>
  `${String(record.PhotosChangeTimestamp)} ${String(record.PhotosCount)}`;
