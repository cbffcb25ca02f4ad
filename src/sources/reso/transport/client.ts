// RESO Web API client: the source port, made of token, metadata, pages and mapping.

import type { Clock } from '../../../lib/clock.ts';
import { withDeadline } from '../../../lib/deadline.ts';
import type { Outbound } from '../../../lib/outbound.ts';
import type { ListingDraft } from '../../../listings/draft.ts';
import { LiveError, type Source, type SourcePage, sourceTimeout } from '../../source.ts';
import { FieldReader, type UpstreamRecord } from '../mapping/decode.ts';
import { mapProperty } from '../mapping/map.ts';
import { OneListing } from './one.ts';
import { Pages, type UpstreamPage } from './pages.ts';
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
