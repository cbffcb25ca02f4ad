// RESO Web API client: the source port, made of token, metadata, pages, single listings and mapping.

import { hash } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import { withDeadline } from '../../../lib/clock.ts';
import type { Outbound } from '../../../lib/outbound.ts';
import { isOlder, type ListingDraft } from '../../../listings/draft.ts';
import type { RawRecord } from '../../../listings/raw-record.ts';
import type { LookupTable } from '../../lookups/source-lookups.ts';
import {
  feedFault,
  LiveError,
  type ShownContact,
  type Source,
  type SourceBudget,
  type SourcePage,
  sourceTimeout,
} from '../../source.ts';
import { FieldReader, type UpstreamRecord } from '../mapping/decode.ts';
import { canJoinKeys, mediaModeOf, readProfile, STANDARD, usualFlag } from '../profiles/profile.ts';
import type { Profile } from '../profiles/profile-schema.ts';
import { wholeRecord } from './kept-record.ts';
import { KeySweep } from './key-sweep.ts';
import { ListingReader } from './listing-reader.ts';
import { LookupReader } from './lookup-reader.ts';
import { PageReader } from './page-reader.ts';
import { Pages, type UpstreamPage } from './pages.ts';
import { wantedFields } from './query.ts';
import { RecordMapper } from './record-mapper.ts';
import { type RequestHooks, Requests } from './request.ts';
import { ContactReader } from './resources/contacts.ts';
import { FollowedResources } from './resources/followed.ts';
import { MediaReader } from './resources/media.ts';
import { pictureRequests } from './resources/picture-requests.ts';
import { sampleOf } from './sample.ts';
import { Session } from './session.ts';
import { type ResoCredentials, Tokens } from './token.ts';

export interface ResoOptions extends RequestHooks {
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
  /** Whether single listings may be fetched, where the profile allows it; default true. */
  readonly live?: boolean;
  /** Default 60: half of what common servers allow for everything. */
  readonly refreshesPerMinute?: number;
  /** Keys of stored listings of this source that show one of these; default: nobody knows, so that they wait for their own change. */
  readonly findShowing?: (contacts: readonly ShownContact[]) => Promise<readonly string[]>;
  /** The lookups that are kept of this source; null: they are those of the version that is known, or there are none. Default: none are kept. */
  readonly findLookups?: (known: number | null) => Promise<LookupTable | null>;
  /** Where its requests are counted; default: they are not. */
  readonly budget?: SourceBudget;
}

/** Changes when the same records make other listings than before. */
const READING = '1';
const REFRESHES_PER_MINUTE = 60;
const CHECK_DEADLINE = 10_000;
/** Records of a page, after the first of a load, of which at least one must have a key. */
const MANY = 10;

/** A source that reads a RESO Web API server. Sends nothing before its first method is called. */
export function resoSource(options: ResoOptions): Source {
  const { clock, outbound, credentials, url, profile = readProfile(STANDARD) } = options;
  const { permit, observed, failed } = options;
  const live = options.live !== false && profile.live !== false;
  const { currency = 'USD', timeZone = null, showsByDefault = true } = options;
  const requests = new Requests({
    outbound,
    clock,
    spacing: spacingOf(profile),
    ...(permit !== undefined && { permit }),
    ...(observed !== undefined && { observed }),
    ...(failed !== undefined && { failed }),
  });
  const session = new Session(
    url,
    profile,
    requests,
    new Tokens(credentials, requests, clock, profile.authentication.scope),
    clock,
  );
  const media = new MediaReader(clock);
  const contacts = new ContactReader();
  const reader = new PageReader(session, { media, contacts });
  const listings = new ListingReader(session, reader);
  const sweep = new KeySweep(session, reader, timeZone);
  const readMany: ListingReader['readMany'] = (keys, signal) => listings.readMany(keys, signal);
  const { findShowing } = options;
  const followed = new FollowedResources(session, reader, {
    timeZone,
    readMany,
    media,
    contacts,
    ...(findShowing !== undefined && { findShowing }),
  });
  const pages = new Pages(session, reader, { timeZone, sweep, readMany, followed });
  const { flag: viewFlag } = profile.deletes;
  const mapper = new RecordMapper(profile, session, clock, { currency, timeZone, showsByDefault });
  const map = (upstream: UpstreamRecord) => mapper.map(upstream);
  const lookups = new LookupReader(session, reader);
  /** Another process may have read them. */
  const renewLookups = async (): Promise<void> => {
    const table = await options.findLookups?.(mapper.lookupVersion).catch(withoutLookups);
    if (table) mapper.use(table);
  };
  const pictures = pictureRequests({ ...options, session, reader, map: (record) => mapper.pictures(record) });
  return {
    id: options.id,
    name: options.name,
    live,
    refreshesPerMinute: live ? (options.refreshesPerMinute ?? REFRESHES_PER_MINUTE) : 0,
    fieldErrors: mapper.fieldErrors,
    withheldValues: mapper.withheldValues,
    eventCounts: followed.eventCounts,
    unknownValues: mapper.unknownValues,
    unreadFields: mapper.unreadFields,
    get reading() {
      return readingOf(profile, showsByDefault, timeZone, mapper.vocabulary);
    },
    ...(options.budget !== undefined && { budget: options.budget }),
    requested: requestedOf(profile),
    licence: profile.licence,
    ...(profile.raw === 'keep' && {
      map(sent: readonly RawRecord[]) {
        const record = wholeRecord(sent);
        return { draft: mapper.mapKept(record), isGone: isGone(record, viewFlag) };
      },
    }),
    ...(hasLookups(profile) && {
      lookups: {
        read: (...args: Parameters<LookupReader['read']>) => lookups.read(...args),
        use: (table: LookupTable) => mapper.use(table),
      },
    }),
    async *pages(from, signal, slowly) {
      let isFirst = from?.phase !== 'changes' && typeof from?.link !== 'string';
      for await (const page of pages.read(from, signal, slowly)) {
        yield sourcePage(page, { map, viewFlag }, isFirst ? 1 : MANY);
        isFirst = false;
      }
    },
    ...(canFetchKeys(profile) && {
      async *records(keys: readonly string[], signal?: AbortSignal) {
        for await (const { records } of readMany(keys, signal)) {
          await renewLookups();
          const { drafts, gone } = sourcePage({ records, next: {}, last: false }, { map, viewFlag }, MANY);
          yield { drafts, gone };
        }
      },
    }),
    ...(pictures !== undefined && { media: pictures }),
    ...(profile.media.from === 'resource' && {
      forget: (keys: readonly string[]) => media.forget(keys),
    }),
    ...(sweep.interval !== null && {
      keys: {
        interval: sweep.interval,
        late: profile.watermark.overlap * 1_000,
        read: (signal: AbortSignal) => sweep.pages(signal),
        count: (signal: AbortSignal) => sweep.count(signal),
        openHouses: (signal: AbortSignal) => sweep.openHouses(signal),
      },
    }),
    async fetchOne(listingKey, signal, listingId = null) {
      if (!live) throw new LiveError('live_unsupported', 'The source cannot be asked for one listing.');
      const record = await listings.read({ key: listingKey, listingId }, signal);
      await renewLookups();
      const draft = map(record);
      if (draft?.listingKey !== listingKey)
        throw new LiveError(
          'parse_failed',
          draft === null ? 'The source answered without a record.' : 'The source answered another listing.',
          { sample: sampleOf(record, profile.watermark.field) },
        );
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

function withoutLookups(cause: unknown): never {
  throw new LiveError('fetch_failed', 'What is known of the values of the source cannot be read.', { cause });
}

/** Milliseconds between two requests that keep to the shortest window of the profile. */
function spacingOf({ limits }: Profile): number {
  const short = limits.windows.filter(({ seconds }) => seconds <= 60);
  return Math.max(
    0,
    ...short.map(({ seconds, requests }) => (seconds * 1_000) / (requests ?? Number.POSITIVE_INFINITY)),
  );
}

/** Whether anything is read of what the source says of its values. */
const hasLookups = (profile: Profile): boolean =>
  profile.lookups.from !== 'none' || profile.enumerationTexts === 'metadata';

/** Whether listings can be requested by their keys, several at a time or one by one. */
const canFetchKeys = (profile: Profile): boolean => profile.live !== false || canJoinKeys(profile);

/** Listings that were read by another profile are read again. */
function readingOf(
  profile: Profile,
  showsByDefault: boolean,
  timeZone: string | null,
  vocabulary: string,
): string {
  const { name, fields, enumerations, licence } = profile;
  const parts = [READING, showsByDefault ? 'show' : 'withhold', timeZone ?? 'local'];
  if (name !== STANDARD) parts.push(name);
  const mode = mediaModeOf(profile, 'link');
  if (mode === 'proxy' || mode === 'copy') parts.push(`media=${mode}`);
  const renamed = JSON.stringify([fields, enumerations]);
  if (renamed !== '[{},{}]') parts.push(`renames=${hash('sha256', renamed, 'hex').slice(0, 8)}`);
  if (vocabulary !== '') parts.push(`lookups=${vocabulary}`);
  if (licence.marks !== null) parts.push(`marks=${licence.marks.field},${licence.marks.missing}`);
  return [...parts, ...ownFlag(profile), ...partOf(profile)].join(' ');
}

/**
 * All fields, or those that are selected; and an own flag, or which part of the data is read: of listings that were left out until now
 * nothing is kept, so that they can only be read again.
 */
function requestedOf(profile: Profile): string {
  const fields = profile.query.select
    ? hash('sha256', wantedFields(profile).join(), 'hex').slice(0, 8)
    : 'all';
  return [fields, ...ownFlag(profile), ...partOf(profile)].join(' ');
}

/** The part of a server's data that is read, where it is not all of it. */
function partOf({ originatingSystem, filter }: Profile): readonly string[] {
  if (originatingSystem === null && filter === null) return [];
  return [`part=${hash('sha256', JSON.stringify([originatingSystem, filter]), 'hex').slice(0, 8)}`];
}

/** The flag of what may no longer be shown, where it is another than that of the profile's file. */
function ownFlag({ name, deletes }: Profile): readonly string[] {
  return deletes.flag === usualFlag(name) ? [] : [`flag=${deletes.flag ?? 'none'}`];
}

/** Some servers keep records that may no longer be shown for a while, flagged. */
function isGone(record: UpstreamRecord, viewFlag: string | null): boolean {
  return viewFlag !== null && new FieldReader(record, () => {}).flag(viewFlag) === false;
}

/** Of several records of one listing the newest counts. Throws the LiveError of so many records of which none has a key. */
function sourcePage(
  { records, gone: absent = [], ...page }: UpstreamPage,
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
    throw feedFault('missing_keys', `None of ${records.length} records on a page has a ListingKey.`, {
      sample: sampleOf(records[0]),
    });
  const listings = [...newest.values()];
  const gone = listings.flatMap(({ draft, isGone }) => (isGone ? [draft.listingKey] : []));
  const drafts = listings.flatMap(({ draft, isGone }) => (isGone ? [] : [draft]));
  return { ...page, drafts, gone: [...gone, ...absent], skipped: skipped + gone.length };
}
