// RESO Web API client: the source port, made of token, metadata, pages, single listings and mapping.

import type { Clock } from '../../../lib/clock.ts';
import { withDeadline } from '../../../lib/clock.ts';
import type { Outbound, OutboundAnswer } from '../../../lib/outbound.ts';
import { isOlder, type ListingDraft } from '../../../listings/draft.ts';
import { feedFault, LiveError, type Source, type SourcePage, sourceTimeout } from '../../source.ts';
import { REFUSED_PART, ValueCounts } from '../../value-counts.ts';
import { FieldReader, isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import { mapProperty } from '../mapping/map.ts';
import { readProfile, STANDARD } from '../profiles/profile.ts';
import type { Profile } from '../profiles/profile-schema.ts';
import { completeChildren } from './children.ts';
import { latestModification, Pages, type UpstreamPage } from './pages.ts';
import { entityUrl, type QueryRules, singleUrl } from './query.ts';
import { LONG_QUERY } from './refusals.ts';
import { listIn, parseBody } from './request.ts';
import { Session } from './session.ts';
import { type ResoCredentials, Tokens } from './token.ts';

export interface ResoOptions {
  readonly id: string;
  readonly name: string;
  /** What is particular to the server; default: nothing that is known. */
  readonly profile?: Profile;
  /** The service root, which `/Property` follows. */
  readonly url: string;
  readonly credentials: ResoCredentials;
  /** The source's own; closed with it. */
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** ISO 4217; default USD. */
  readonly currency?: string;
  /** IANA name of the zone of clocks that the server writes without one; default: not known. */
  readonly timeZone?: string | null;
  /** Whether listings without a display rule are shown; default true. */
  readonly showsByDefault?: boolean;
  /** Whether single listings can be fetched; default true. */
  readonly live?: boolean;
  /** Default 60: half of what common servers allow for everything. */
  readonly refreshesPerMinute?: number;
  /** Records a page; default 200. */
  readonly pageSize?: number;
  /** Milliseconds that changes are read again; default five minutes. */
  readonly overlap?: number;
}

/** Changes when the same records make other listings than before. */
const READING = '1';
const REFRESHES_PER_MINUTE = 60;
const CHECK_DEADLINE = 10_000;
const MAX_LISTING_BYTES = 5 * 1024 * 1024;
/** Statuses of servers that do not know the entity, or entities at all. */
const TRY_AS_LIST: readonly number[] = [400, 404, 501];
/** Records of a page, after the first of a load, of which at least one must have a key. */
const MANY = 10;
const NO_ENTITIES: readonly number[] = [400, 501];
/** Statuses of servers that read the beginning of a long query only. */
const TOO_LONG: readonly (number | null)[] = [400, 404, 414];

/** A source that reads a RESO Web API server. Sends nothing before its first method is called. */
export function resoSource(options: ResoOptions): Source {
  const { clock, outbound, credentials, url, live = true, pageSize = 200, overlap = 300_000 } = options;
  const {
    profile = readProfile(STANDARD),
    currency = 'USD',
    timeZone = null,
    showsByDefault = true,
  } = options;
  const session = new Session(url, outbound, new Tokens(credentials, outbound, clock), clock);
  const pages = new Pages(session, { pageSize, overlap, timeZone });
  const listings = new ListingReader(session);
  const { flag: viewFlag } = profile.deletes;
  const fieldErrors = new Map<string, number>();
  const withheldValues = new ValueCounts();
  const note = (field: string) => void fieldErrors.set(field, (fieldErrors.get(field) ?? 0) + 1);
  const map = (record: UpstreamRecord) => {
    const values: [field: string, value: unknown][] = session
      .refusedParts()
      .map((part) => [REFUSED_PART, part]);
    const withheld = (field: string, value: unknown) => void values.push([field, value]);
    const latest = latestModification(clock.now());
    const draft = mapProperty(record, {
      currency,
      timeZone,
      showsByDefault,
      viewFlag,
      note,
      withheld,
      latest,
    });
    if (draft !== null) withheldValues.set(draft.listingKey, values);
    return draft;
  };
  return {
    id: options.id,
    name: options.name,
    live,
    refreshesPerMinute: live ? (options.refreshesPerMinute ?? REFRESHES_PER_MINUTE) : 0,
    fieldErrors,
    withheldValues,
    reading: [READING, showsByDefault ? 'show' : 'withhold', timeZone ?? 'local'].join(' '),
    async *pages(from, signal, slowly) {
      let isFirst = from?.phase !== 'changes' && typeof from?.link !== 'string';
      for await (const page of pages.read(from, signal, slowly)) {
        yield sourcePage(page, { map, viewFlag }, isFirst ? 1 : MANY);
        isFirst = false;
      }
    },
    async fetchOne(listingKey, signal) {
      if (!live) throw new LiveError('live_unsupported', 'The source cannot be asked for one listing.');
      const record = await listings.read(listingKey, signal);
      const draft = map(record);
      if (draft === null) throw new LiveError('parse_failed', 'The source answered without a record.');
      if (draft.listingKey !== listingKey)
        throw new LiveError('parse_failed', 'The source answered another listing.');
      if (isGone(record, viewFlag))
        throw new LiveError('not_found_upstream', 'The source no longer shows this listing.');
      return draft;
    },
    async check(signal) {
      const deadline = { clock, milliseconds: CHECK_DEADLINE, parent: signal, onTimeout: sourceTimeout };
      await withDeadline(deadline, (limited) => pages.check(limited));
    },
    close: () => outbound.close(),
  };
}

/** Some servers keep records that may no longer be shown for a while, flagged. */
function isGone(record: UpstreamRecord, viewFlag: string | null): boolean {
  return viewFlag !== null && new FieldReader(record, () => {}).flag(viewFlag) === false;
}

/** Of several records of one listing the newest counts. Throws the LiveError of so many records of which none has a key. */
function sourcePage(
  { records, ...page }: UpstreamPage,
  { map, viewFlag }: { map: (record: UpstreamRecord) => ListingDraft | null; viewFlag: string | null },
  many: number,
): SourcePage {
  const newest = new Map<string, { readonly draft: ListingDraft; readonly isGone: boolean }>();
  let skipped = 0;
  for (const record of records) {
    const draft = map(record);
    if (draft === null) skipped += 1;
    else if (!isOlder(draft, newest.get(draft.listingKey)?.draft ?? null))
      newest.set(draft.listingKey, { draft, isGone: isGone(record, viewFlag) });
  }
  if (records.length >= many && newest.size === 0)
    throw feedFault('missing_keys', `None of ${records.length} records on a page has a ListingKey.`);
  const listings = [...newest.values()];
  const gone = listings.flatMap(({ draft, isGone }) => (isGone ? [draft.listingKey] : []));
  const drafts = listings.flatMap(({ draft, isGone }) => (isGone ? [] : [draft]));
  return { ...page, drafts, gone, skipped: skipped + gone.length };
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
    const rules = await this.#session.availableRules(signal);
    const whole = { ...rules, refused: new Set([...rules.refused, 'select'] as const) };
    // Only a query that the server reads to its end can show that a listing is gone.
    const isLong = singleUrl(this.#session.root, key, rules).length > LONG_QUERY;
    const record = isLong
      ? await this.#find(key, rules, signal).catch((error: unknown) => {
          if (error instanceof LiveError && TOO_LONG.includes(error.status))
            return this.#find(key, whole, signal);
          throw error;
        })
      : await this.#find(key, rules, signal);
    const get = async (url: string) => parseBody(await this.#get(url, signal), this.#session.clock.now());
    const [complete = record] = await completeChildren([record], this.#session.root, get);
    return complete;
  }

  async #find(key: string, rules: QueryRules, signal: AbortSignal): Promise<UpstreamRecord> {
    const { root, clock } = this.#session;
    let entityStatus: number | null = null;
    if (!this.#listsOnly) {
      const response = await this.#get(entityUrl(root, key, rules), signal);
      if (!TRY_AS_LIST.includes(response.status)) return parseBody(response, clock.now());
      entityStatus = response.status;
    }
    const response = await this.#get(singleUrl(root, key, rules), signal);
    const [record] = listIn(parseBody(response, clock.now()));
    if (record === undefined)
      throw new LiveError('not_found_upstream', 'The source no longer has this listing.');
    if (!isRecord(record)) throw new LiveError('parse_failed', 'The source answered without a record.');
    if (entityStatus !== null) this.#listsOnly = NO_ENTITIES.includes(entityStatus);
    return record;
  }

  #get(url: string, signal: AbortSignal): Promise<OutboundAnswer> {
    return this.#session.get(url, { signal, maxBytes: MAX_LISTING_BYTES });
  }
}
