// Pages of a RESO server: first everything, link by link, then what changed since.

import { withDeadline } from '../../../lib/clock.ts';
import type { OutboundAnswer } from '../../../lib/outbound.ts';
import { LiveError, type Position, type SourcePage, sourceTimeout } from '../../source.ts';
import { isRecord, parseTime, type UpstreamRecord } from '../mapping/decode.ts';
import { changesUrl, loadUrl, newestUrl } from './query.ts';
import { listIn, parseBody } from './request.ts';
import type { Session } from './session.ts';

export interface UpstreamPage extends Omit<SourcePage, 'drafts' | 'gone'> {
  readonly records: readonly UpstreamRecord[];
}

export interface PagesOptions {
  readonly pageSize: number;
  /** Milliseconds that changes are read again, for servers that publish them late. */
  readonly overlap: number;
}

interface ParsedPage extends Pick<UpstreamPage, 'records' | 'total'> {
  readonly link: string | null;
}

const MAX_PAGE_BYTES = 64 * 1024 * 1024;
const DEADLINE = 60_000;
const BEGINNING = '1970-01-01T00:00:00.000Z';
/** Statuses of a server that no longer knows a link. */
const STALE: readonly number[] = [400, 404, 410];

export class Pages {
  readonly #session: Session;
  readonly #options: PagesOptions;

  constructor(session: Session, options: PagesOptions) {
    this.#session = session;
    this.#options = options;
  }

  read(from: Position | null, signal: AbortSignal): AsyncGenerator<UpstreamPage> {
    const since = from?.phase === 'changes' ? from.since : null;
    return typeof since === 'string' ? this.#changes(since, signal) : this.#load(from ?? {}, signal);
  }

  /** Everything there is. A saved link goes on where an earlier run stopped; one that has gone stale means starting over, once. */
  async *#load(from: Position, signal: AbortSignal): AsyncGenerator<UpstreamPage> {
    const shape = await this.#session.shape(signal);
    // Read before the first page: what changes while pages are read is then read again as a change.
    const mark = typeof from.mark === 'string' ? from.mark : await this.newest(signal);
    const saved = typeof from.link === 'string' ? from.link : null;
    let link = saved === null ? null : this.#resolveOwn(saved);
    // The server has moved since: a link of its old address would be refused in every round.
    let restarted = saved !== null && link === null;
    for (;;) {
      const response = await this.#get(link ?? loadUrl(this.#session.root, shape), signal);
      if (link !== null && !restarted && STALE.includes(response.status)) {
        [link, restarted] = [null, true];
        continue;
      }
      const page = this.#parse(response, link);
      const last = page.link === null;
      const next = last ? { phase: 'changes', since: mark } : { phase: 'load', mark, link: page.link };
      yield { ...page, next, last, ...(restarted && link === null ? { restarted } : {}) };
      if (last) return;
      link = page.link;
    }
  }

  /** What changed since, oldest first, so that each page moves the mark on. */
  async *#changes(since: string, signal: AbortSignal): AsyncGenerator<UpstreamPage> {
    const shape = await this.#session.shape(signal);
    const from = new Date(Math.max(0, Date.parse(since) - this.#options.overlap)).toISOString();
    let url: string | null = changesUrl(this.#session.root, from, shape);
    let mark = since;
    while (url !== null) {
      const page = this.#parse(await this.#get(url, signal), url);
      mark = page.records.reduce((latest, record) => later(latest, modifiedAt(record)), mark);
      url = page.link;
      yield { records: page.records, next: { phase: 'changes', since: mark }, last: url === null };
    }
  }

  /** The newest timestamp that the server has; our own clock's where it cannot sort. */
  async newest(signal: AbortSignal): Promise<string> {
    const response = await this.#get(newestUrl(this.#session.root), signal);
    if (response.status === 400 || response.status === 501)
      return new Date(this.#session.clock.now()).toISOString();
    const [newest] = this.#parse(response, null).records;
    return (newest === undefined ? null : modifiedAt(newest)) ?? BEGINNING;
  }

  #get(url: string, signal: AbortSignal): Promise<OutboundAnswer> {
    const headers = { prefer: `odata.maxpagesize=${this.#options.pageSize}` };
    return withDeadline(
      { clock: this.#session.clock, milliseconds: DEADLINE, parent: signal, onTimeout: sourceTimeout },
      (limited) => this.#session.get(url, { signal: limited, maxBytes: MAX_PAGE_BYTES, headers }),
    );
  }

  #parse(response: OutboundAnswer, url: string | null): ParsedPage {
    const body = parseBody(response, this.#session.clock.now());
    const total = body['@odata.count'];
    const stated = body['@odata.nextLink'];
    const hasLink = typeof stated === 'string' && stated !== '';
    const link = hasLink ? this.#resolveOwn(stated) : null;
    // Our token goes along with every link.
    if (hasLink && link === null)
      throw new LiveError('parse_failed', 'The source links to a page on another server.');
    if (link !== null && link === url)
      throw new LiveError('parse_failed', 'The source links a page to itself.');
    const records = listIn(body).filter(isRecord);
    return { records, link, ...(typeof total === 'number' ? { total } : {}) };
  }

  /** The address of a link; null where it leads to another server. */
  #resolveOwn(link: string): string | null {
    const root = new URL(`${this.#session.root}/`);
    const target = URL.parse(link, root);
    if (target === null || target.origin !== root.origin || target.username !== '') return null;
    return /^https?:/i.test(link) ? link : target.href;
  }
}

function modifiedAt(record: UpstreamRecord): string | null {
  const stated = record.ModificationTimestamp;
  return typeof stated === 'string' ? parseTime(stated) : null;
}

function later(a: string, b: string | null): string {
  return b !== null && b > a ? b : a;
}
