// Pages of a RESO server: first everything, link by link, then what changed since.

import { HOUR, MINUTE, withDeadline } from '../../../lib/clock.ts';
import { LiveError, type Position, type SourcePage, sourceTimeout } from '../../source.ts';
import { earliestMoment, isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import { completeChildren, hasMoreChildren } from './children.ts';
import { linkIn, resolveLink } from './links.ts';
import { changesUrl, countUrl, loadUrl, newestUrl, type QueryOption, type QueryRules } from './query.ts';
import { firstAccepted } from './refusals.ts';
import { listIn, parseBody } from './request.ts';
import type { Session } from './session.ts';
import { followLink, type ParsedPage, type ReadPage, Trail, walkPages } from './walk.ts';

export interface UpstreamPage extends Omit<SourcePage, 'drafts' | 'gone' | 'skipped'> {
  readonly records: readonly UpstreamRecord[];
}

export interface PagesOptions {
  readonly pageSize: number;
  /** Milliseconds that changes are read again, for servers that publish them late. */
  readonly overlap: number;
  /** Of timestamps without a zone; null: not known. */
  readonly timeZone: string | null;
}

/** One read of pages. */
interface Reading {
  readonly signal: AbortSignal;
  readonly slowly: boolean;
  readonly page: ReadPage;
}

const MAX_PAGE_BYTES = 64 * 1024 * 1024;
const DEADLINE = 60_000;
const BEGINNING = '1970-01-01T00:00:00.000Z';
/** Milliseconds by which the clock of a server may be ahead of ours. */
const MAX_AHEAD = 15 * MINUTE;
/** Statuses of a server that no longer knows a link. */
const STALE: readonly number[] = [400, 404, 410];
const LOAD_OPTIONS: readonly QueryOption[] = ['allMedia', 'count', 'select', 'openHouses', 'media'];
const CHANGE_OPTIONS: readonly QueryOption[] = ['allMedia', 'order', 'select', 'openHouses', 'media'];

/** The latest moment that counts as one of a modification, in milliseconds since the epoch. */
export const latestModification = (now: number): number => now + MAX_AHEAD;

export class Pages {
  readonly #session: Session;
  readonly #options: PagesOptions;

  constructor(session: Session, options: PagesOptions) {
    this.#session = session;
    this.#options = options;
  }

  read(from: Position | null, signal: AbortSignal, slowly = false): AsyncGenerator<UpstreamPage> {
    const reading: Reading = { signal, slowly, page: (url, slow) => this.#page(url, signal, slowly || slow) };
    const since = from?.phase === 'changes' ? from.since : null;
    return typeof since === 'string' ? this.#changes(since, reading) : this.#load(from ?? {}, reading);
  }

  /** Everything there is. A saved link goes on where an earlier run stopped; one that has gone stale means starting over, once. */
  async *#load(from: Position, reading: Reading): AsyncGenerator<UpstreamPage> {
    // Read before the first page: what changes while pages are read is then read again as a change.
    const mark = typeof from.mark === 'string' ? from.mark : await this.#newest(reading);
    const trail = new Trail(typeof from.key === 'string' ? from.key : null);
    const resumed = await this.#resume(from, trail, reading);
    const isRestart = typeof from.link === 'string' && resumed === null;
    const first =
      resumed ?? (await this.#first((rules) => loadUrl(this.#session.root, rules), LOAD_OPTIONS, reading));
    let isFirst = true;
    let isCounted = false;
    for await (const { records, link, total } of walkPages(
      first,
      isRestart ? new Trail() : trail,
      reading.page,
    )) {
      isCounted ||= total !== undefined;
      const last = link === null;
      const known = last && isCounted ? ((await this.#count(reading)) ?? total) : total;
      yield {
        records: await this.#complete(records, reading.signal),
        last,
        next: last ? { phase: 'changes', since: mark } : { phase: 'load', mark, link, key: trail.lastKey },
        ...(known !== undefined && { total: known }),
        ...(isFirst && isRestart && { restarted: true }),
      };
      isFirst = false;
    }
  }

  /** The page of the saved link; null where there is none, or where the server no longer knows it. */
  async #resume({ link }: Position, trail: Trail, { page }: Reading): Promise<ParsedPage | null> {
    // The server may have moved since: a link of its old address would be refused in every round.
    if (typeof link !== 'string' || resolveLink(this.#session.root, link) !== link) return null;
    return followLink(link, trail, page).catch((error: unknown) => {
      if (error instanceof LiveError && STALE.includes(error.status ?? 0)) return null;
      throw error;
    });
  }

  /** What changed since, oldest first, so that each page moves the mark on. A server that cannot sort moves it at the end. */
  async *#changes(since: string, reading: Reading): AsyncGenerator<UpstreamPage> {
    const latest = latestModification(this.#session.clock.now());
    const stated = Date.parse(since);
    // A mark from the future would leave out all that changes until then.
    const start = stated <= latest ? stated : this.#session.clock.now();
    const from = new Date(Math.max(0, start - this.#options.overlap)).toISOString();
    const first = await this.#first(
      (rules) => changesUrl(this.#session.root, from, rules),
      CHANGE_OPTIONS,
      reading,
    );
    const { refused } = await this.#session.rules(reading.signal, reading.slowly);
    let mark = new Date(start).toISOString();
    let reached = mark;
    for await (const { records, link } of walkPages(first, new Trail(), reading.page)) {
      const last = link === null;
      reached = records.reduce((known, record) => later(known, this.#modifiedAt(record)), reached);
      if (last || !refused.has('order')) mark = reached;
      const complete = await this.#complete(records, reading.signal);
      yield { records: complete, next: { phase: 'changes', since: mark }, last };
    }
  }

  /** Resolves when the server answers. Throws LiveError. */
  async check(signal: AbortSignal): Promise<void> {
    await this.#newest({ signal, slowly: false, page: (url, slowly) => this.#page(url, signal, slowly) });
  }

  /** The newest timestamp that the server has; our own clock's, an hour ago, where it cannot sort. */
  async #newest(reading: Reading): Promise<string> {
    const now = this.#session.clock.now();
    const latest = new Date(latestModification(now)).toISOString();
    for (const until of [null, latest]) {
      const newest = await this.#newestUntil(until, reading);
      if (newest === undefined) break;
      if (newest === null) return BEGINNING;
      if (newest <= latest) return newest;
    }
    return new Date(now - HOUR).toISOString();
  }

  /** The newest timestamp up to a time; null without records, undefined where the server cannot say. */
  async #newestUntil(until: string | null, reading: Reading): Promise<string | null | undefined> {
    const rules = await this.#session.rules(reading.signal, reading.slowly);
    const url = (changed: QueryRules) => newestUrl(this.#session.root, changed, until);
    const page = await firstAccepted(url, ['select'], rules, reading.page);
    if (page === null) return undefined;
    const [record] = page.records;
    return record === undefined ? null : (this.#modifiedAt(record, Number.POSITIVE_INFINITY) ?? null);
  }

  /** How many records there are now; null where the server does not say. */
  async #count({ signal, slowly, page }: Reading): Promise<number | null> {
    const rules = await this.#session.rules(signal, slowly);
    const answer = await firstAccepted(
      (changed) => countUrl(this.#session.root, changed),
      ['select'],
      rules,
      page,
    );
    return answer?.total ?? null;
  }

  /** The first page of a query, without the options that the server refuses, which are remembered. */
  async #first(
    url: (rules: QueryRules) => string,
    options: readonly QueryOption[],
    reading: Reading,
  ): Promise<ParsedPage> {
    const rules = await this.#session.rules(reading.signal, reading.slowly);
    const page = await firstAccepted(url, options, rules, reading.page, (refused) =>
      this.#session.refuse(refused),
    );
    if (page === null)
      throw new LiveError('fetch_failed', 'The source refuses every form of the query for its listings.', {
        fault: 'refused_query',
      });
    const sendsPart = page.records.some(hasMoreChildren);
    return sendsPart && this.#session.expandAll() ? this.#first(url, options, reading) : page;
  }

  async #page(url: string, signal: AbortSignal, slowly: boolean): Promise<ParsedPage> {
    const { root } = this.#session;
    const body = await this.#get(url, signal, slowly);
    const total = body['@odata.count'];
    const records = listIn(body).filter(isRecord);
    const link = linkIn(root, body['@odata.nextLink']);
    return { records, link, ...(typeof total === 'number' && { total }) };
  }

  #complete(records: readonly UpstreamRecord[], signal: AbortSignal): Promise<readonly UpstreamRecord[]> {
    return completeChildren(records, this.#session.root, (url) => this.#get(url, signal, true));
  }

  async #get(url: string, signal: AbortSignal, slowly: boolean): Promise<UpstreamRecord> {
    const { clock } = this.#session;
    const headers = { prefer: `odata.maxpagesize=${this.#options.pageSize}` };
    const response = await withDeadline(
      { clock, milliseconds: DEADLINE, parent: signal, onTimeout: sourceTimeout },
      (limited) => this.#session.get(url, { signal: limited, slowly, maxBytes: MAX_PAGE_BYTES, headers }),
    );
    return parseBody(response, clock.now());
  }

  /** The earliest moment that the time of a modification can mean; null without one, or where it lies in the future. */
  #modifiedAt(record: UpstreamRecord, latest = latestModification(this.#session.clock.now())): string | null {
    const at = earliestMoment(record.ModificationTimestamp, this.#options.timeZone);
    return at === null || at > latest ? null : new Date(at).toISOString();
  }
}

function later(a: string, b: string | null): string {
  return b !== null && b > a ? b : a;
}
