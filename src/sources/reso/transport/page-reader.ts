// Reader of pages: one request to a list of records, and its answer as records and a link.

import { withDeadline } from '../../../lib/clock.ts';
import type { OutboundAnswer } from '../../../lib/outbound.ts';
import { LiveError, sourceTimeout } from '../../source.ts';
import { isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import { linkIn, nextInHeader } from './links.ts';
import { pageSize, type QueryOption, type QueryProfile, type QueryRules } from './query.ts';
import { firstAccepted, isTooSlow } from './refusals.ts';
import { listIn, parseBody, type RequestKind } from './request.ts';
import type { Asking } from './resources/by-keys.ts';
import { completeChildren, hasMoreChildren } from './resources/children.ts';
import type { ContactReader } from './resources/contacts.ts';
import { isCut, type MediaReader, withoutPhotos } from './resources/media.ts';
import { withOpenHouses } from './resources/open-houses.ts';
import type { Session } from './session.ts';
import type { ParsedPage, ReadPage } from './walk.ts';

/** One read of pages. */
export interface Reading {
  readonly signal: AbortSignal;
  readonly slowly: boolean;
  readonly page: ReadPage;
}

/** How the pages of a query are requested, and end. */
export type PageForm = Pick<QueryProfile, 'links' | 'end' | 'size'> & { readonly kind?: RequestKind };

/** Readers of what a record does not bring itself. */
export interface ChildReaders {
  readonly media: MediaReader;
  readonly contacts: ContactReader;
}

const MAX_PAGE_BYTES = 64 * 1024 * 1024;
const DEADLINE = 60_000;

export class PageReader {
  readonly #session: Session;
  readonly #children: ChildReaders;

  constructor(session: Session, children: ChildReaders) {
    this.#session = session;
    this.#children = children;
  }

  reading(form: PageForm, signal: AbortSignal, slowly = false): Reading {
    return { signal, slowly, page: (url, slow) => this.#page(url, form, signal, slowly || slow) };
  }

  /** The first page of a query, without the options that the server refuses, which are remembered, and no larger than it can send. */
  async first(
    url: (rules: QueryRules) => string,
    options: readonly QueryOption[],
    reading: Reading,
  ): Promise<ParsedPage> {
    const rules = await this.#session.rules(reading.signal, reading.slowly);
    const learning = {
      learn: (refused: ReadonlySet<QueryOption>) => this.#session.refuse(refused),
      renew: () => this.#session.renewedRules(reading.signal, true),
    };
    const page = await firstAccepted(url, options, rules, reading.page, learning).catch((error: unknown) => {
      if (this.isTooSlow(error)) return 'smaller' as const;
      throw error;
    });
    if (page === 'smaller') return this.first(url, options, { ...reading, slowly: true });
    if (page === null)
      throw new LiveError('fetch_failed', 'The source refuses every form of the query for its listings.', {
        fault: 'refused_query',
      });
    const sendsPart = page.records.some((record) => hasMoreChildren(record) || isCut(record));
    return sendsPart && this.#session.expandAll() ? this.first(url, options, reading) : page;
  }

  /** Whether a page took the server too long, and a smaller one can be requested. */
  isTooSlow(error: unknown): boolean {
    return isTooSlow(error, this.#session.profile.query.slowErrors) && this.#session.shrinkPages();
  }

  /** How resources are asked for. */
  asking(signal: AbortSignal, kind: RequestKind = 'bulk'): Asking {
    const get = async (url: string) => (await this.#get(url, signal, kind !== 'live', { kind })).body;
    return { root: this.#session.root, rules: this.#session.knownRules(), get };
  }

  /**
   * Records with all their children, as far as the profile has them. Open houses of a resource of their own come with `openHouses`:
   * their changes are followed by themselves. Throws LiveError.
   */
  async complete(
    records: readonly UpstreamRecord[],
    signal: AbortSignal,
    {
      kind = 'bulk',
      openHouses = false,
    }: { readonly kind?: RequestKind; readonly openHouses?: boolean } = {},
  ): Promise<readonly UpstreamRecord[]> {
    const { root, profile } = this.#session;
    const { media, contacts } = this.#children;
    const asking = this.asking(signal, kind);
    const shown = records.map((record) => withoutPhotos(record, profile));
    const whole = await completeChildren(shown, root, asking.get);
    const pictured = await media.complete(whole, asking);
    const named = await contacts.complete(pictured, asking);
    return openHouses ? withOpenHouses(named, asking) : named;
  }

  async #page(url: string, form: PageForm, signal: AbortSignal, slowly: boolean): Promise<ParsedPage> {
    const { root } = this.#session;
    const { body, headers } = await this.#get(url, signal, slowly, form);
    const total = body['@odata.count'];
    const records = listIn(body).filter(isRecord);
    const stated = form.links === 'header' ? nextInHeader(headers.link) : body['@odata.nextLink'];
    const isEnd = form.end === 'empty-page' && records.length === 0;
    const link = isEnd ? null : linkIn(root, stated);
    return { records, link, ...(typeof total === 'number' && { total }) };
  }

  async #get(
    url: string,
    signal: AbortSignal,
    slowly: boolean,
    { kind = 'bulk', size = null }: Partial<PageForm> = {},
  ): Promise<{ body: UpstreamRecord; headers: OutboundAnswer['headers'] }> {
    const { clock, profile } = this.#session;
    const rules = this.#session.knownRules();
    const headers: Record<string, string> =
      profile.page.by === 'prefer' ? { prefer: `odata.maxpagesize=${pageSize(rules, size)}` } : {};
    const response = await withDeadline(
      { clock, milliseconds: DEADLINE, parent: signal, onTimeout: sourceTimeout },
      (limited) =>
        this.#session.get(url, { kind, signal: limited, slowly, maxBytes: MAX_PAGE_BYTES, headers }),
    );
    return { body: parseBody(response, clock.now()), headers: response.headers };
  }
}
