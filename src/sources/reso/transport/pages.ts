// Pages of a RESO server: first everything, link by link, then what changed since.

import { isDeepStrictEqual } from 'node:util';
import type { Position, SourcePage } from '../../source.ts';
import type { UpstreamRecord } from '../mapping/decode.ts';
import type { Profile } from '../profiles/profile-schema.ts';
import { afterRound, roundOf, windowOf } from './change-window.ts';
import type { KeySweep } from './key-sweep.ts';
import type { ListingReader } from './listing-reader.ts';
import type { PageReader, Reading } from './page-reader.ts';
import { changesUrl, loadUrl, type QueryOption, type QueryRules } from './query.ts';
import type { FollowedResources } from './resources/followed.ts';
import { ResumableWalk, type Walk } from './resumable-walk.ts';
import type { Session } from './session.ts';
import { latestModification, Watermarks } from './watermarks.ts';

export interface UpstreamPage extends Omit<SourcePage, 'drafts' | 'gone' | 'skipped'> {
  readonly records: readonly UpstreamRecord[];
  /** Keys of listings that the server no longer has; default: it names none. */
  readonly gone?: readonly string[];
}

export interface PagesOptions {
  /** Of timestamps without a zone; null: not known. */
  readonly timeZone: string | null;
  readonly sweep: KeySweep;
  /** The records with these keys, some at a time. */
  readonly readMany: ListingReader['readMany'];
  readonly followed: FollowedResources;
}

/** Records of a page where keys come first. */
const KEYS_A_PAGE = 200;
const LOAD_OPTIONS: readonly QueryOption[] = ['allMedia', 'count', 'select', 'openHouses', 'media'];
const CHANGE_OPTIONS: readonly QueryOption[] = ['allMedia', 'order', 'select', 'openHouses', 'media'];

const textOf = (value: Position[string] | undefined): string | null =>
  typeof value === 'string' ? value : null;

/** Whether a load in no order can be sorted as changes are, so that it goes on where its links end. */
const canSort = ({ load, changes, query }: Profile): boolean =>
  load.order === 'none' &&
  query.orderBy &&
  load.path === changes.path &&
  Object.keys(load.parameters).length === 0;

const sortedLoad = (rules: QueryRules): QueryRules => ({
  ...rules,
  profile: { ...rules.profile, load: { ...rules.profile.load, order: 'requested' } },
});

export class Pages {
  readonly #session: Session;
  readonly #reader: PageReader;
  readonly #options: PagesOptions;
  readonly #watermarks: Watermarks;
  readonly #walk: ResumableWalk;
  /** The position after the last page that was handed on, which need not have been written; null: there was none. */
  #reached: Position | null = null;

  constructor(session: Session, reader: PageReader, options: PagesOptions) {
    this.#session = session;
    this.#reader = reader;
    this.#options = options;
    this.#watermarks = new Watermarks(session, options.timeZone);
    this.#walk = new ResumableWalk(session, reader);
  }

  /** Goes on from a position, with what is remembered of the pages before where this is the one that they ended with. */
  async *read(from: Position | null, signal: AbortSignal, slowly = false): AsyncGenerator<UpstreamPage> {
    if (!isDeepStrictEqual(from, this.#reached)) this.#options.followed.forgetAll();
    for await (const page of this.#pages(from, signal, slowly)) {
      this.#reached = page.next;
      yield page;
    }
  }

  #pages(from: Position | null, signal: AbortSignal, slowly: boolean): AsyncGenerator<UpstreamPage> {
    const { load, changes } = this.#session.profile;
    const since = from?.phase === 'changes' ? textOf(from.since) : null;
    if (since === null && load.mode === 'keys')
      return this.#loadByKeys(from ?? {}, this.#reader.reading(load, signal, slowly));
    return from === null || since === null
      ? this.#load(from ?? {}, this.#reader.reading(load, signal, slowly))
      : this.#round(from, since, this.#reader.reading(changes, signal, slowly));
  }

  /** Changes of listings, then those of what is followed beside them. */
  async *#round(from: Position, since: string, reading: Reading): AsyncGenerator<UpstreamPage> {
    const { followed } = this.#options;
    let position = from;
    if (from.from || !(await followed.replacesChanges(from, reading))) {
      for await (const page of this.#changes(from, since, reading)) {
        position = page.next;
        yield page;
      }
      followed.hasReadChanges();
    }
    for await (const page of followed.read(position, reading)) {
      position = page.next;
      yield page;
    }
    yield { records: [], last: true, next: position };
  }

  /** Everything there is. A saved link goes on where an earlier run stopped; one that has gone stale means going on behind the last record, or starting over, once. */
  async *#load(from: Position, reading: Reading): AsyncGenerator<UpstreamPage> {
    const { load } = this.#session.profile;
    const isOrdered = load.order === 'watermark';
    // Read before the first page: what changes while pages are read is then read again as a change.
    const mark =
      textOf(from.mark) ??
      (isOrdered ? this.#watermarks.anHourAgo() : await this.#watermarks.newest(reading));
    const places = await this.#placesOf(from, reading);
    let reached = textOf(from.at);
    let isSorted = from.sorted === 1;
    const walkOf = (sorted: boolean): Walk => ({
      query: sorted ? { ...load, order: 'requested' } : load,
      options: sorted ? ['order', ...LOAD_OPTIONS] : LOAD_OPTIONS,
      url: (rules, behind) => loadUrl(this.#session.root, sorted ? sortedLoad(rules) : rules, behind),
      reading,
      at: () => reached,
    });
    const walk = canSort(this.#session.profile)
      ? { ...walkOf(isSorted), again: walkOf(true) }
      : walkOf(false);
    const total = load.count === 'apart' ? await this.#watermarks.count(reading) : null;
    let isCounted = total !== null;
    for await (const { page, isRestart, key } of this.#walk.pages(walk, from)) {
      const { records, link } = page;
      isSorted ||= isRestart && walk.again !== undefined;
      isCounted ||= page.total !== undefined;
      reached = records.reduce((known, record) => later(known, this.#watermarks.of(record)), reached);
      const last = link === null;
      const stated = page.total ?? total ?? undefined;
      const known = last && isCounted ? ((await this.#watermarks.count(reading)) ?? stated) : stated;
      yield {
        records: await this.#reader.complete(records, reading.signal),
        last,
        // Records in the order of their changes say themselves how far changes are known.
        next: last
          ? { phase: 'changes', since: (isOrdered ? reached : null) ?? mark, ...places }
          : {
              phase: 'load',
              mark,
              link,
              key,
              at: isOrdered || isSorted ? reached : null,
              ...(isSorted && { sorted: 1 }),
              ...places,
            },
        ...(known !== undefined && { total: known }),
        ...(isRestart && { restarted: true }),
      };
    }
  }

  /** Every key first, then the records of some keys at a time. What an earlier run has passed is left out. */
  async *#loadByKeys(from: Position, reading: Reading): AsyncGenerator<UpstreamPage> {
    const { sweep, readMany } = this.#options;
    const mark = textOf(from.mark) ?? (await this.#watermarks.newest(reading));
    const places = await this.#placesOf(from, reading);
    const passed = textOf(from.key) ?? '';
    const left: string[] = [];
    for await (const page of sweep.pages(reading.signal))
      for (const { key } of page) if (key > passed) left.push(key);
    left.sort();
    for (let at = 0; at === 0 || at < left.length; at += KEYS_A_PAGE) {
      const batch = left.slice(at, at + KEYS_A_PAGE);
      const records: UpstreamRecord[] = [];
      for await (const read of readMany(batch, reading.signal)) records.push(...read.records);
      const last = at + KEYS_A_PAGE >= left.length;
      const next = last
        ? { phase: 'changes', since: mark, ...places }
        : { phase: 'load', mark, link: null, key: batch.at(-1) ?? passed, ...places };
      yield { records, last, next };
    }
  }

  /** What changed since, oldest first, so that each page moves the mark on. A server that cannot sort moves it at the end. */
  async *#changes(from: Position, stated: string, reading: Reading): AsyncGenerator<UpstreamPage> {
    const { profile, clock, root } = this.#session;
    const now = clock.now();
    const at = Date.parse(stated);
    // A mark from the future would leave out all that changes until then.
    const start = new Date(at <= latestModification(now) ? at : now).toISOString();
    const before = windowOf(from, start, now);
    // An interrupted round goes on where it stopped.
    const own = roundOf(before, profile.watermark.overlap * 1_000, now);
    const round = { from: textOf(from.from) ?? own.from, isWide: from.from ? from.isWide === 1 : own.isWide };
    const walk: Walk = {
      query: profile.changes,
      options: CHANGE_OPTIONS,
      url: (rules, behind) => changesUrl(root, round.from, rules, behind),
      reading,
      at: () => lastAt,
    };
    const places = this.#options.followed.placesIn(from);
    let pages = typeof from.pages === 'number' && from.from ? from.pages : 0;
    let reached = later(start, textOf(from.reached));
    let lastAt = textOf(from.at);
    for await (const { page, key } of this.#walk.pages(walk, from)) {
      const { records, link } = page;
      pages += 1;
      const moments = records.flatMap((record) => this.#watermarks.of(record) ?? []);
      reached = moments.reduce((known, moment) => later(known, moment), reached);
      lastAt = moments.at(-1) ?? lastAt;
      const last = link === null;
      const { refused } = this.#session.knownRules();
      const isOrdered =
        profile.changes.order === 'watermark' ||
        (profile.changes.order === 'requested' && !refused.has('order'));
      const since = last || isOrdered ? reached : start;
      const done = last
        ? afterRound(before, { isWide: round.isWide, pages, since, now: clock.now() })
        : { ...before, since };
      const next: Position = {
        phase: 'changes',
        since: done.since,
        ...places,
        ...(done.floor !== null && { floor: done.floor }),
        ...(done.pending !== null && { pending: done.pending, pendingAt: done.pendingAt }),
        ...(!last && { ...round, isWide: round.isWide ? 1 : 0, pages, reached, link, key, at: lastAt }),
      };
      yield { records: await this.#reader.complete(records, reading.signal), last: false, next };
    }
  }

  /** Where what is followed beside listings stands; at the beginning of a load: where it is followed from. */
  async #placesOf(from: Position, reading: Reading): Promise<Position> {
    const { followed } = this.#options;
    return textOf(from.mark) === null ? followed.start(reading) : followed.placesIn(from);
  }

  /** Resolves when the server answers. Throws LiveError. */
  async check(signal: AbortSignal): Promise<void> {
    const { load } = this.#session.profile;
    const reading = this.#reader.reading({ ...load, links: 'body' }, signal);
    const { query } = this.#session.profile;
    if (query.orderBy) await this.#watermarks.newest(reading);
    else
      await reading.page(
        changesUrl(this.#session.root, this.#watermarks.anHourAgo(), await this.#session.rules(signal)),
        false,
      );
  }
}

function later(a: string, b: string | null): string;
function later(a: string | null, b: string | null): string | null;
function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}
