// RESO Web API client: the source port, made of token, metadata, pages, single listings and mapping.

import type { Clock } from '../../../lib/clock.ts';
import { withDeadline } from '../../../lib/clock.ts';
import type { Outbound } from '../../../lib/outbound.ts';
import type { ListingDraft } from '../../../listings/draft.ts';
import { LiveError, type Source, type SourcePage, sourceTimeout } from '../../source.ts';
import { FieldReader, isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import { mapProperty } from '../mapping/map.ts';
import { Pages, type UpstreamPage } from './pages.ts';
import { entityUrl, singleUrl } from './query.ts';
import { listIn, parseBody } from './request.ts';
import { Session } from './session.ts';
import { type ResoCredentials, Tokens } from './token.ts';

export interface ResoOptions {
  readonly id: string;
  readonly name: string;
  /** The service root, which `/Property` follows. */
  readonly url: string;
  readonly credentials: ResoCredentials;
  /** The source's own; closed with it. */
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** ISO 4217; default USD. */
  readonly currency?: string;
  /** Whether single listings can be fetched; default true. */
  readonly live?: boolean;
  /** Default 60: half of what common servers allow for everything. */
  readonly refreshesPerMinute?: number;
  /** Records a page; default 200. */
  readonly pageSize?: number;
  /** Milliseconds that changes are read again; default five minutes. */
  readonly overlap?: number;
}

const REFRESHES_PER_MINUTE = 60;
const CHECK_DEADLINE = 10_000;
const MAX_LISTING_BYTES = 5 * 1024 * 1024;
/** Statuses of servers that do not know the entity, or entities at all. */
const TRY_AS_LIST: readonly number[] = [400, 404, 501];
const NO_ENTITIES: readonly number[] = [400, 501];

/** A source that reads a RESO Web API server. Sends nothing before its first method is called. */
export function resoSource(options: ResoOptions): Source {
  const { clock, outbound, credentials, url, live = true, pageSize = 200, overlap = 300_000 } = options;
  const session = new Session(url, outbound, new Tokens(credentials, outbound, clock), clock);
  const pages = new Pages(session, { pageSize, overlap });
  const listings = new ListingReader(session);
  const fieldErrors = new Map<string, number>();
  const note = (field: string) => void fieldErrors.set(field, (fieldErrors.get(field) ?? 0) + 1);
  const mapping = { currency: options.currency ?? 'USD', note };
  const map = (record: UpstreamRecord) => mapProperty(record, mapping);
  return {
    id: options.id,
    name: options.name,
    live,
    refreshesPerMinute: live ? (options.refreshesPerMinute ?? REFRESHES_PER_MINUTE) : 0,
    fieldErrors,
    async *pages(from, signal) {
      for await (const page of pages.read(from, signal)) yield sourcePage(page, map);
    },
    async fetchOne(listingKey, signal) {
      if (!live) throw new LiveError('live_unsupported', 'The source cannot be asked for one listing.');
      const record = await listings.read(listingKey, signal);
      const draft = map(record);
      if (draft === null) throw new LiveError('parse_failed', 'The source answered without a record.');
      if (draft.listingKey !== listingKey)
        throw new LiveError('parse_failed', 'The source answered another listing.');
      if (isGone(record))
        throw new LiveError('not_found_upstream', 'The source no longer shows this listing.');
      return draft;
    },
    async check(signal) {
      const deadline = { clock, milliseconds: CHECK_DEADLINE, parent: signal, onTimeout: sourceTimeout };
      await withDeadline(deadline, (limited) => pages.newest(limited));
    },
    close: () => outbound.close(),
  };
}

/** One vendor keeps records that may no longer be shown for a week, flagged. */
function isGone(record: UpstreamRecord): boolean {
  return new FieldReader(record, () => {}).flag('MlgCanView') === false;
}

function sourcePage(
  { records, ...page }: UpstreamPage,
  map: (record: UpstreamRecord) => ListingDraft | null,
): SourcePage {
  const drafts: ListingDraft[] = [];
  const gone: string[] = [];
  for (const record of records) {
    const draft = map(record);
    if (draft === null) continue;
    if (isGone(record)) gone.push(draft.listingKey);
    else drafts.push(draft);
  }
  return { ...page, drafts, gone };
}

/** Reader of one listing: as an entity, or as a list of one from servers without entities. */
class ListingReader {
  readonly #session: Session;
  /** Set once the server has refused entities and answered a list. */
  #listsOnly = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The record with this key. Throws LiveError. */
  async read(key: string, signal: AbortSignal): Promise<UpstreamRecord> {
    const { root, clock } = this.#session;
    const options = { signal, maxBytes: MAX_LISTING_BYTES };
    const shape = await this.#session.availableShape(signal);
    let entityStatus: number | null = null;
    if (!this.#listsOnly) {
      const response = await this.#session.get(entityUrl(root, key, shape), options);
      if (!TRY_AS_LIST.includes(response.status)) return parseBody(response, clock.now());
      entityStatus = response.status;
    }
    const response = await this.#session.get(singleUrl(root, key, shape), options);
    const [record] = listIn(parseBody(response, clock.now()));
    if (record === undefined)
      throw new LiveError('not_found_upstream', 'The source no longer has this listing.');
    if (!isRecord(record)) throw new LiveError('parse_failed', 'The source answered without a record.');
    if (entityStatus !== null) this.#listsOnly = NO_ENTITIES.includes(entityStatus);
    return record;
  }
}
