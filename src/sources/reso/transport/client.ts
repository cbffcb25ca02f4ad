// RESO Web API client: the source port, made of token, metadata, pages, single listings and mapping.

import type { Clock } from '../../../lib/clock.ts';
import { withDeadline } from '../../../lib/clock.ts';
import type { Outbound } from '../../../lib/outbound.ts';
import type { ListingDraft } from '../../../listings/draft.ts';
import { LiveError, type Source, type SourcePage, sourceTimeout } from '../../source.ts';
import { FieldReader, isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import { mapProperty } from '../mapping/map.ts';
import type { PropertyShape } from './metadata.ts';
import { Pages, type UpstreamPage } from './pages.ts';
import { entityUrl, singleUrl } from './query.ts';
import { bodyOf, refusal, type UpstreamAnswer, valuesOf } from './request.ts';
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
  /** Whether the server may be asked for one listing at a time; default true. */
  readonly live?: boolean;
  /** Records a page; default 200. */
  readonly pageSize?: number;
  /** Milliseconds that changes are read again; default five minutes. */
  readonly overlap?: number;
}

const CHECK_DEADLINE = 10_000;

/** A source that reads a RESO Web API server. Nothing is sent before it is first asked. */
export function resoSource(options: ResoOptions): Source {
  const { clock, outbound, credentials, url, live = true, pageSize = 200, overlap = 300_000 } = options;
  const session = new Session(url, outbound, new Tokens(credentials, outbound, clock), clock);
  const pages = new Pages(session, { pageSize, overlap });
  const one = new OneListing(session);
  const fieldErrors = new Map<string, number>();
  const note = (field: string) => void fieldErrors.set(field, (fieldErrors.get(field) ?? 0) + 1);
  const mapping = { currency: options.currency ?? 'USD', note };
  const map = (record: UpstreamRecord) => mapProperty(record, mapping);
  return {
    id: options.id,
    name: options.name,
    live,
    fieldErrors,
    async *pages(from, signal) {
      for await (const page of pages.read(from, signal)) yield sourcePage(page, map);
    },
    async fetchOne(listingKey, signal) {
      if (!live) throw new LiveError('live_unsupported', 'The source cannot be asked for one listing.');
      return draftOf(listingKey, await one.fetch(listingKey, signal), map);
    },
    check: (signal) =>
      withDeadline(
        { clock, milliseconds: CHECK_DEADLINE, parent: signal, onTimeout: sourceTimeout },
        async (limited) => {
          await pages.newest(limited);
        },
      ),
    close: () => outbound.close(),
  };
}

type Mapped = (record: UpstreamRecord) => ListingDraft | null;

/** One vendor keeps records that we may no longer show for a week, flagged. */
function isGone(record: UpstreamRecord): boolean {
  return new FieldReader(record, () => {}).flag('MlgCanView') === false;
}

function sourcePage({ records, ...page }: UpstreamPage, map: Mapped): SourcePage {
  const mapped = records.map((record) => ({ gone: isGone(record), draft: map(record) }));
  return {
    ...page,
    drafts: mapped.flatMap(({ gone, draft }) => (gone || draft === null ? [] : [draft])),
    gone: mapped.flatMap(({ gone, draft }) => (gone && draft !== null ? [draft.listingKey] : [])),
  };
}

function draftOf(listingKey: string, record: UpstreamRecord, map: Mapped): ListingDraft {
  const draft = map(record);
  if (draft === null) throw new LiveError('parse_failed', 'The source answered without a record.');
  if (draft.listingKey !== listingKey)
    throw new LiveError('parse_failed', 'The source answered another listing.');
  if (isGone(record)) throw new LiveError('not_found_upstream', 'The source no longer shows this listing.');
  return draft;
}

const MAX_LISTING_BYTES = 5 * 1024 * 1024;

/** How servers say that they do not know the entity, or entities at all. */
const TRY_AS_LIST: readonly number[] = [400, 404, 501];

const NO_ENTITIES: readonly number[] = [400, 501];

export class OneListing {
  readonly #session: Session;
  /** Set once the server has refused entities and answered a list. */
  #listsOnly = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The record with this key. Throws LiveError. */
  async fetch(key: string, signal: AbortSignal): Promise<UpstreamRecord> {
    const shape = await this.#session.shapeAtHand(signal);
    if (this.#listsOnly) return this.#fromList(key, shape, signal);
    const answer = await this.#get(entityUrl(this.#session.root, key, shape), signal);
    if (!TRY_AS_LIST.includes(answer.status)) return bodyOf(this.#accepted(answer));
    const record = await this.#fromList(key, shape, signal);
    this.#listsOnly = NO_ENTITIES.includes(answer.status);
    return record;
  }

  async #fromList(key: string, shape: PropertyShape, signal: AbortSignal): Promise<UpstreamRecord> {
    const answer = await this.#get(singleUrl(this.#session.root, key, shape), signal);
    const [record] = valuesOf(bodyOf(this.#accepted(answer)));
    if (record === undefined)
      throw new LiveError('not_found_upstream', 'The source no longer has this listing.');
    if (!isRecord(record)) throw new LiveError('parse_failed', 'The source answered without a record.');
    return record;
  }

  #get(url: string, signal: AbortSignal): Promise<UpstreamAnswer> {
    return this.#session.get(url, { signal, largest: MAX_LISTING_BYTES });
  }

  #accepted(answer: UpstreamAnswer): UpstreamAnswer {
    const refused = refusal(answer, this.#session.clock.now());
    if (refused !== null) throw refused;
    return answer;
  }
}
