// Pages of a RESO server: first everything, link by link, then what changed since.

import { HOUR } from '../../../lib/clock.ts';
import { LiveError, type Position, type SourcePage } from '../../source.ts';
import type { UpstreamRecord } from '../mapping/decode.ts';
import { afterRound, roundOf, windowOf } from './change-window.ts';
import type { KeySweep } from './key-sweep.ts';
import { resolveLink } from './links.ts';
import type { ListingReader } from './listing-reader.ts';
import type { PageReader, Reading } from './page-reader.ts';
import {
  canResume,
  changesUrl,
  loadUrl,
  type QueryOption,
  type QueryProfile,
  type QueryRules,
  type Resumption,
} from './query.ts';
import type { Session } from './session.ts';
import { followLink, type ParsedPage, Trail, walkPages } from './walk.ts';
import { latestModification, Watermarks } from './watermarks.ts';

export interface UpstreamPage extends Omit<SourcePage, 'drafts' | 'gone' | 'skipped'> {
  readonly records: readonly UpstreamRecord[];
}

export interface PagesOptions {
  /** Of timestamps without a zone; null: not known. */
  readonly timeZone: string | null;
  readonly sweep: KeySweep;
  /** The records with these keys, some at a time. */
  readonly readMany: ListingReader['readMany'];
}

/** Records of a page where keys come first. */
const KEYS_A_PAGE = 200;
/** Statuses of a server that no longer knows a link. */
const STALE: readonly number[] = [400, 404, 410];
const LOAD_OPTIONS: readonly QueryOption[] = ['allMedia', 'count', 'select', 'openHouses', 'media'];
const CHANGE_OPTIONS: readonly QueryOption[] = ['allMedia', 'order', 'select', 'openHouses', 'media'];

const isStale = (error: unknown): boolean => error instanceof LiveError && STALE.includes(error.status ?? 0);
const textOf = (value: Position[string] | undefined): string | null =>
  typeof value === 'string' ? value : null;

/** A query whose pages go on behind any of their records, as far as its order allows that. */
interface Walk {
  readonly query: QueryProfile;
  readonly options: readonly QueryOption[];
  readonly url: (rules: QueryRules, from: Resumption | null) => string;
  readonly reading: Reading;
}

export class Pages {
  readonly #session: Session;
  readonly #reader: PageReader;
  readonly #options: PagesOptions;
  readonly #watermarks: Watermarks;

  constructor(session: Session, reader: PageReader, options: PagesOptions) {
    this.#session = session;
    this.#reader = reader;
    this.#options = options;
    this.#watermarks = new Watermarks(session, options.timeZone);
  }

  read(from: Position | null, signal: AbortSignal, slowly = false): AsyncGenerator<UpstreamPage> {
    const { load, changes } = this.#session.profile;
    const since = from?.phase === 'changes' ? textOf(from.since) : null;
    if (since === null && load.mode === 'keys')
      return this.#loadByKeys(from ?? {}, this.#reader.reading(load, signal, slowly));
    return from === null || since === null
      ? this.#load(from ?? {}, this.#reader.reading(load, signal, slowly))
      : this.#changes(from, since, this.#reader.reading(changes, signal, slowly));
  }

  /** Everything there is. A saved link goes on where an earlier run stopped; one that has gone stale means going on behind the last record, or starting over, once. */
  async *#load(from: Position, reading: Reading): AsyncGenerator<UpstreamPage> {
    const { load } = this.#session.profile;
    const isOrdered = load.order === 'watermark';
    // Read before the first page: what changes while pages are read is then read again as a change.
    const mark =
      textOf(from.mark) ??
      (isOrdered ? this.#watermarks.anHourAgo() : await this.#watermarks.newest(reading));
    const walk: Walk = {
      query: load,
      options: LOAD_OPTIONS,
      url: (rules, behind) => loadUrl(this.#session.root, rules, behind),
      reading,
    };
    let reached = textOf(from.at);
    const total = load.count === 'apart' ? await this.#watermarks.count(reading) : null;
    let isCounted = total !== null;
    for await (const { page, isRestart, key } of this.#walk(walk, from, () => reached)) {
      const { records, link } = page;
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
          ? { phase: 'changes', since: (isOrdered ? reached : null) ?? mark, ...this.#sweptAt() }
          : { phase: 'load', mark, link, key, at: isOrdered ? reached : null },
        ...(known !== undefined && { total: known }),
        ...(isRestart && { restarted: true }),
      };
    }
  }

  /** Every key first, then the records of some keys at a time. What an earlier run has passed is left out. */
  async *#loadByKeys(from: Position, reading: Reading): AsyncGenerator<UpstreamPage> {
    const { sweep, readMany } = this.#options;
    const mark = textOf(from.mark) ?? (await this.#watermarks.newest(reading));
    const { keys } = await sweep.list(reading.signal);
    const passed = textOf(from.key) ?? '';
    const left = keys.filter((key) => key > passed).sort();
    for (let at = 0; at === 0 || at < left.length; at += KEYS_A_PAGE) {
      const batch = left.slice(at, at + KEYS_A_PAGE);
      const records: UpstreamRecord[] = [];
      for await (const some of readMany(batch, reading.signal)) records.push(...some);
      const last = at + KEYS_A_PAGE >= left.length;
      const next = last
        ? { phase: 'changes', since: mark, ...this.#sweptAt() }
        : { phase: 'load', mark, link: null, key: batch.at(-1) ?? passed };
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
    };
    // Keys that were compared in the future were compared while our clock was ahead.
    const swept =
      typeof from.sweptAt === 'number' ? { sweptAt: Math.min(from.sweptAt, now) } : this.#sweptAt();
    let position: Position = from;
    let pages = typeof from.pages === 'number' && from.from ? from.pages : 0;
    let reached = later(start, textOf(from.reached));
    let lastAt = textOf(from.at);
    for await (const { page, key } of this.#walk(walk, from, () => lastAt)) {
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
      position = {
        phase: 'changes',
        since: done.since,
        ...swept,
        ...(done.floor !== null && { floor: done.floor }),
        ...(done.pending !== null && { pending: done.pending, pendingAt: done.pendingAt }),
        ...(!last && { ...round, isWide: round.isWide ? 1 : 0, pages, reached, link, key, at: lastAt }),
      };
      const isDue = last && this.#isSweepDue(swept.sweptAt ?? now);
      yield {
        records: await this.#reader.complete(records, reading.signal),
        last: last && !isDue,
        next: position,
      };
      if (isDue) yield* this.#sweep(position, reading.signal);
    }
  }

  #sweptAt(): { readonly sweptAt?: number } {
    return this.#options.sweep.interval === null ? {} : { sweptAt: this.#session.clock.now() };
  }

  #isSweepDue(sweptAt: number): boolean {
    const { interval } = this.#options.sweep;
    return interval !== null && this.#session.clock.now() >= sweptAt + interval;
  }

  /** All keys. A server that does not send them is asked again after an hour, and changes go on meanwhile. */
  async *#sweep(position: Position, signal: AbortSignal): AsyncGenerator<UpstreamPage> {
    const { sweep } = this.#options;
    const now = this.#session.clock.now();
    const page = { records: [], last: true };
    try {
      const listed = await sweep.list(signal);
      yield { ...page, next: { ...position, sweptAt: now }, listed };
    } catch (error) {
      if (!(error instanceof LiveError) || signal.aborted) throw error;
      yield { ...page, next: { ...position, sweptAt: now - (sweep.interval ?? 0) + HOUR } };
      throw error;
    }
  }

  /**
   * The pages of a query from a position on. A link that the server does not know any more is replaced once by a query that
   * goes on behind the last record; where the order of the pages does not allow that, a walk that a former run left starts over.
   */
  async *#walk(
    walk: Walk,
    from: Position,
    at: () => string | null,
  ): AsyncGenerator<{ page: ParsedPage; isRestart: boolean; key: string | null }> {
    const { reading, query } = walk;
    const { field } = this.#session.profile.watermark;
    const trail = new Trail(field, textOf(from.key));
    const behind = async (): Promise<ParsedPage | null> => {
      const rules = await this.#session.rules(reading.signal, reading.slowly);
      const place = { at: at(), key: trail.lastKey };
      if (!canResume(query, place, rules)) return null;
      trail.goBack();
      return this.#reader.first((changed) => walk.url(changed, place), walk.options, reading);
    };
    const hasLink = typeof from.link === 'string';
    const resumed = hasLink ? ((await this.#resume(from, trail, reading)) ?? (await behind())) : null;
    const first =
      resumed ?? (await this.#reader.first((rules) => walk.url(rules, null), walk.options, reading));
    let isRestart = hasLink && resumed === null;
    const known = isRestart ? new Trail(field) : trail;
    const recover = async (error: unknown, isProgress: boolean) =>
      isProgress && (isStale(error) || this.#reader.isTooSlow(error)) ? behind() : null;
    for await (const page of walkPages(first, known, reading.page, recover)) {
      yield { page, isRestart, key: known.lastKey };
      isRestart = false;
    }
  }

  /** The page of the saved link; null where there is none, or where the server no longer knows it. */
  async #resume(
    { link }: Position,
    trail: Trail,
    { page, signal, slowly }: Reading,
  ): Promise<ParsedPage | null> {
    // The server may have moved since: a link of its old address would be refused in every round.
    if (typeof link !== 'string' || resolveLink(this.#session.root, link) !== link) return null;
    // A process that has just started does not know yet what its records are made of.
    await this.#session.rules(signal, slowly);
    return followLink(link, trail, page).catch((error: unknown) => {
      if (isStale(error) || this.#reader.isTooSlow(error)) return null;
      throw error;
    });
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
