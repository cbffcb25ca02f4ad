// Resources that are followed beside listings: what changes of them has their listings read again.

import { type Clock, DAY, HOUR, MINUTE } from '../../../../lib/clock.ts';
import { feedFault, LiveError, type Position } from '../../../source.ts';
import { earliestMoment, type UpstreamRecord } from '../../mapping/decode.ts';
import type { ListingReader } from '../listing-reader.ts';
import type { PageReader, Reading } from '../page-reader.ts';
import { pageSize, type QueryRules } from '../query.ts';
import { firstAccepted } from '../refusals.ts';
import type { Session } from '../session.ts';
import { Trail, walkPages } from '../walk.ts';
import { AffectedListings, type AffectedOptions } from './affected-listings.ts';
import { contactFields, keyIn } from './contacts.ts';
import { readEvents, sequenceOf } from './event-log.ts';
import { type FollowedResource, followedResources, readsEvents } from './offered.ts';
import { changedUrl, eventsUrl, newestEventUrl } from './resource-queries.ts';

/** Listings that were read again, with the position after them. */
export interface FollowedPage {
  readonly records: readonly UpstreamRecord[];
  /** Keys of listings that the server no longer has. */
  readonly gone: readonly string[];
  readonly next: Position;
  readonly last: false;
  /** The resource whose changes have all been read now. */
  readonly followed?: string;
}

export interface FollowedOptions extends AffectedOptions {
  /** Of timestamps without a zone; null: not known. */
  readonly timeZone: string | null;
  readonly readMany: ListingReader['readMany'];
}

/** Milliseconds between two rounds of a resource. Agents and offices change often, and seldom what is shown of them. */
const INTERVALS: Readonly<Record<FollowedResource, number>> = {
  EntityEvent: 0,
  OpenHouse: 0,
  Member: 10 * MINUTE,
  Office: 10 * MINUTE,
};
/** Milliseconds without requests for a resource that could not be read. */
const REST = HOUR;
/** Records of which it is remembered that their change was followed. */
const MAX_SEEN = 50_000;
/** Listings that are read again at once because of agents, offices or photos. */
const MAX_KEYS = 500;
const OPEN_HOUSE_FIELDS: readonly string[] = ['OpenHouseKey', 'ListingKey'];

const restOf = (resource: FollowedResource): string => `${resource}Until`;
const textOf = (value: Position[string] | undefined): string | null =>
  typeof value === 'string' ? value : null;
const iso = (moment: number): string => new Date(Math.max(0, moment)).toISOString();

export class FollowedResources {
  readonly #session: Session;
  readonly #options: FollowedOptions;
  /** When each was last read to its end, in monotonic milliseconds. */
  readonly #readAt = new Map<FollowedResource, number>();
  /** The watermarks of records whose changes were followed. */
  readonly #seen = new Map<string, string>();
  /** When changes of listings were last read by their watermark, in monotonic milliseconds. */
  #changesAt = Number.NEGATIVE_INFINITY;
  readonly #affected: AffectedListings;

  constructor(session: Session, reader: PageReader, options: FollowedOptions) {
    this.#session = session;
    this.#options = options;
    this.#affected = new AffectedListings(session.root, reader, options);
  }

  /** Events since the start, by what became of them. */
  get eventCounts(): ReadonlyMap<string, number> {
    return this.#affected.eventCounts;
  }

  get #clock(): Clock {
    return this.#session.clock;
  }

  /** What a position says of these resources, which goes on from page to page. */
  placesIn(position: Position): Position {
    const names: readonly FollowedResource[] = ['EntityEvent', 'OpenHouse', 'Member', 'Office'];
    const own = new Set(names.flatMap((name) => [name, restOf(name)]));
    return Object.fromEntries(Object.entries(position).filter(([name]) => own.has(name)));
  }

  /** Where the resources are to be followed from once all listings are loaded. What the server refuses begins later. */
  async start(reading: Reading): Promise<Position> {
    const rules = await this.#session.rules(reading.signal, reading.slowly);
    const since = iso(this.#clock.now() - HOUR);
    const places: Record<string, string> = {};
    for (const resource of followedResources(rules)) {
      if (resource === 'Member' || resource === 'Office') places[resource] = since;
      if (resource === 'EntityEvent') {
        const newest = await this.#newestEvent(rules, reading).catch((error: unknown) => {
          if (isOfResource(error)) return null;
          throw error;
        });
        if (newest !== null) places.EntityEvent = newest;
      }
    }
    return places;
  }

  /** Whether events say what changes, so that the watermark of listings need not be asked in this round. */
  async replacesChanges(position: Position, { signal, slowly }: Reading): Promise<boolean> {
    const rules = await this.#session.rules(signal, slowly);
    return (
      readsEvents(rules) &&
      textOf(position.EntityEvent) !== null &&
      !this.#isResting('EntityEvent', position) &&
      this.#clock.monotonic() < this.#changesAt + rules.profile.events.backstop * 1_000
    );
  }

  /** Nothing is known any more of what was read: it may not have been written. */
  forgetAll(): void {
    this.#seen.clear();
    this.#options.media.forgetAll();
    this.#options.contacts.forgetAll();
  }

  /** Changes of listings were read by their watermark. */
  hasReadChanges(): void {
    this.#changesAt = this.#clock.monotonic();
  }

  /** The listings of what changed since the position. Throws LiveError. */
  async *read(from: Position, reading: Reading): AsyncGenerator<FollowedPage> {
    const rules = await this.#session.rules(reading.signal, reading.slowly);
    let position = from;
    for (const resource of followedResources(rules)) {
      const now = this.#clock.now();
      const readAt = this.#readAt.get(resource) ?? Number.NEGATIVE_INFINITY;
      const monotonic = this.#clock.monotonic();
      if (this.#isResting(resource, position) || monotonic < readAt + INTERVALS[resource]) continue;
      try {
        for await (const page of this.#follow(resource, position, rules, reading)) {
          position = page.next;
          yield page;
        }
      } catch (error) {
        if (!isOfResource(error)) throw error;
        yield this.#page([], [], { ...position, [restOf(resource)]: now + REST });
        throw error;
      }
      this.#readAt.set(resource, monotonic);
      yield { ...this.#page([], [], position), followed: resource };
    }
    const due = this.#options.media.due(MAX_KEYS);
    if (due.length > 0) yield* this.#readAgain(due, position, position, reading.signal);
  }

  #isResting(resource: FollowedResource, position: Position): boolean {
    const until = position[restOf(resource)];
    const now = this.#clock.now();
    // A rest that is longer than any began while our clock was ahead.
    return typeof until === 'number' && now < until && until <= now + REST;
  }

  #page(records: readonly UpstreamRecord[], gone: readonly string[], next: Position): FollowedPage {
    return { records, gone, next, last: false };
  }

  #follow(
    resource: FollowedResource,
    position: Position,
    rules: QueryRules,
    reading: Reading,
  ): AsyncGenerator<FollowedPage> {
    return resource === 'EntityEvent'
      ? this.#events(position, rules, reading)
      : this.#changes(resource, position, rules, reading);
  }

  /** Events behind the sequence of the position, which moves on with the last of the listings that they caused to be read. */
  async *#events(from: Position, rules: QueryRules, reading: Reading): AsyncGenerator<FollowedPage> {
    const { root } = this.#session;
    let after = textOf(from.EntityEvent);
    let position = from;
    if (after === null) {
      const EntityEvent = await this.#newestEvent(rules, reading);
      yield this.#page([], [], { ...position, EntityEvent });
      return;
    }
    for (;;) {
      const page = await reading.page(eventsUrl(root, after, rules), false);
      const { named, reached, isSorted, unreadable } = readEvents(page.records, after);
      const isPart = page.link !== null || page.records.length >= pageSize(rules, null);
      if (isPart && !isSorted) throw feedFault('refused_query', 'The source sends its events in no order.');
      this.#affected.count('unreadable', unreadable);
      if (reached === null) return;
      const keys = await this.#affected.of(named, rules, reading.signal);
      const next = { ...position, EntityEvent: reached };
      yield* this.#readAgain(keys, position, next, reading.signal);
      [position, after] = [next, reached];
      if (!isPart) return;
    }
  }

  async #newestEvent(rules: QueryRules, reading: Reading): Promise<string> {
    const { records } = await reading.page(newestEventUrl(this.#session.root, rules), false);
    const [newest] = records;
    return (newest === undefined ? null : sequenceOf(newest)) ?? '0';
  }

  /** What changed of a resource by its watermark. The position moves on at the end, since pages may come in any order. */
  async *#changes(
    resource: Exclude<FollowedResource, 'EntityEvent'>,
    from: Position,
    rules: QueryRules,
    reading: Reading,
  ): AsyncGenerator<FollowedPage> {
    const { root, profile } = this.#session;
    const { field, overlap } = profile.watermark;
    const now = this.#clock.now();
    const known = textOf(from[resource]);
    const begin = resource === 'OpenHouse' ? null : iso(now - HOUR);
    const since = known === null ? begin : iso(Date.parse(known) - overlap * 1_000);
    const fields = resource === 'OpenHouse' ? OPEN_HOUSE_FIELDS : contactFields(resource);
    // Open houses of today may be those of yesterday by the clocks of the server.
    const range = { since, now: iso(now - DAY), fields };
    const first = await firstAccepted(
      (changed) => changedUrl(root, resource, range, changed),
      ['order'],
      rules,
      reading.page,
    );
    if (first === null)
      throw feedFault('refused_query', `The source refuses every form of the query for ${resource}.`);
    let reached = known ?? iso(since === null ? now - HOUR : Date.parse(since));
    for await (const { records } of walkPages(first, new Trail(field), reading.page)) {
      const fresh = records.filter((record) => !this.#isSeen(resource, record));
      const keys =
        resource === 'OpenHouse'
          ? new Set(fresh.flatMap((house) => keyIn(house.ListingKey) ?? []))
          : new Set(await this.#affected.showing(resource, fresh));
      if (keys.size > 0) yield* this.#readAgain([...keys], from, from, reading.signal);
      for (const record of records) {
        const moment = earliestMoment(record[field], this.#options.timeZone);
        if (moment !== null && moment <= now && iso(moment) > reached) reached = iso(moment);
        this.#remember(resource, record);
      }
    }
    if (reached !== known) yield this.#page([], [], { ...from, [resource]: reached });
  }

  /** Listings by their keys, some at a time; the last of them lead to the position after them. */
  async *#readAgain(
    keys: readonly string[],
    before: Position,
    next: Position,
    signal: AbortSignal,
  ): AsyncGenerator<FollowedPage> {
    let known: FollowedPage | null = null;
    for await (const { records, absent } of this.#options.readMany(keys, signal)) {
      if (known !== null) yield known;
      known = this.#page(records, absent, before);
    }
    yield { ...(known ?? this.#page([], [], next)), next };
  }

  #isSeen(resource: FollowedResource, record: UpstreamRecord): boolean {
    const key = keyIn(record[`${resource}Key`]);
    return key !== null && this.#seen.get(`${resource} ${key}`) === this.#watermarkOf(record);
  }

  #remember(resource: FollowedResource, record: UpstreamRecord): void {
    const name = `${resource} ${keyIn(record[`${resource}Key`])}`;
    this.#seen.delete(name);
    this.#seen.set(name, this.#watermarkOf(record));
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest);
  }

  #watermarkOf(record: UpstreamRecord): string {
    return String(record[this.#session.profile.watermark.field]);
  }
}

/** Whether a failure is that of one resource, which others need not share: what limits or refuses us as a whole is none. */
function isOfResource(error: unknown): boolean {
  if (!(error instanceof LiveError) || error.retryAfter !== null) return false;
  if (error.status === 403) return true;
  return (
    error.code === 'fetch_failed' || error.code === 'not_found_upstream' || error.code === 'parse_failed'
  );
}
