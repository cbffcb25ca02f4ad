// RESO server under test that answers as a test says, request by request, and what replication makes of it on a clock by hand.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound } from '../../../src/lib/outbound.ts';
import { wholeRecord } from '../../../src/listings/lean-record.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { Replication } from '../../../src/sources/replicate.ts';
import { type ResoOptions, resoSource } from '../../../src/sources/reso/transport/client.ts';
import type { Source } from '../../../src/sources/source.ts';
import { type Closing, testDatabase } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { replicateSource } from './replica.ts';

export type FeedRecord = Readonly<Record<string, unknown>>;

export interface FeedAnswer {
  readonly status?: number;
  /** JSON; a text is sent as it is. */
  readonly body?: unknown;
}

export interface FeedRequest {
  readonly url: URL;
  /** Path and query, decoded. */
  readonly path: string;
  readonly authorization: string | undefined;
  /** Milliseconds of the test's clock. */
  readonly at: number;
}

export interface StrictFeed {
  readonly url: string;
  readonly requests: FeedRequest[];
  /** Requests for listings alone. */
  listRequests(): FeedRequest[];
  answer: (request: FeedRequest) => FeedAnswer;
}

/** Starts the server; it ends with the test. Without an answer of the test, there is no `$metadata`. */
export async function startFeed(
  t: Closing,
  clock: ManualClock,
  answer: StrictFeed['answer'],
): Promise<StrictFeed> {
  const feed = {
    url: '',
    requests: [] as FeedRequest[],
    listRequests: () => feed.requests.filter(({ url }) => url.pathname.endsWith('/Property')),
    answer,
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', feed.url);
    const { authorization } = request.headers;
    const seen = { url, path: decodeURIComponent(url.pathname + url.search), authorization, at: clock.now() };
    feed.requests.push(seen);
    const { status = 200, body = {} } = feed.answer(seen);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  feed.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/odata`;
  return feed;
}

export const NO_METADATA: FeedAnswer = { status: 404 };
export const isMetadata = ({ url }: FeedRequest): boolean => url.pathname.endsWith('/$metadata');

/** Metadata of a Property with these fields, and what can be expanded. */
export const metadataOf = (fields: readonly string[], expandable: readonly string[] = []): string =>
  `<edmx:Edmx xmlns:edmx="e"><edmx:DataServices><Schema Namespace="m"><EntityType Name="Property">
  ${fields.map((name) => `<Property Name="${name}" Type="Edm.String"/>`).join('')}
  ${expandable.map((name) => `<NavigationProperty Name="${name}" Type="Collection(m.${name})"/>`).join('')}
  </EntityType></Schema></edmx:DataServices></edmx:Edmx>`;

export interface ListOptions {
  readonly pageSize?: number;
  /** The link to the records behind `skip`; null: none. Default: `$skip`, while there are more. */
  readonly link?: (skip: number, url: URL) => string | null;
  /** False: the server counts nothing; or the number that it says. */
  readonly count?: number | false;
}

/** What a plain server gives: one record by its key, or a list, filtered and sorted where requested, page by page. */
export function listOf(
  records: readonly FeedRecord[],
  { url }: Pick<FeedRequest, 'url'>,
  options: ListOptions = {},
): FeedAnswer {
  const { searchParams: query } = url;
  const [, one] = /\/Property\('?(.*?)'?\)$/.exec(decodeURIComponent(url.pathname)) ?? [];
  if (one !== undefined) {
    const record = records.find(
      ({ ListingKey, ListingKeyNumeric }) => String(ListingKey ?? ListingKeyNumeric) === one,
    );
    return record === undefined ? { status: 404 } : { body: record };
  }
  const { pageSize = 3, count, link } = options;
  const filter = query.get('$filter') ?? '';
  const [, edge = '', bound = ''] = /^ModificationTimestamp (ge|le) (.*)$/.exec(filter) ?? [];
  const [, key] = /^ListingKey(?:Numeric)? eq '?(.*?)'?$/.exec(filter) ?? [];
  const at = (record: FeedRecord) => Date.parse(String(record.ModificationTimestamp));
  const found = records.filter((record) => {
    if (key !== undefined) return String(record.ListingKey ?? record.ListingKeyNumeric) === key;
    if (edge === '') return true;
    return edge === 'ge' ? at(record) >= Date.parse(bound) : at(record) <= Date.parse(bound);
  });
  const order = query.get('$orderby') ?? '';
  if (order !== '') found.sort((a, b) => at(a) - at(b));
  if (order.endsWith(' desc')) found.reverse();
  const skip = Number(query.get('$skip') ?? 0);
  const size = Math.min(pageSize, Number(query.get('$top') ?? pageSize));
  const more = skip + size < found.length && !query.has('$top');
  const next = new URL(url);
  next.searchParams.set('$skip', String(skip + size));
  const stated = link === undefined ? (more ? next.href : null) : link(skip + size, url);
  return {
    body: {
      ...(query.has('$count') && count !== false ? { '@odata.count': count ?? found.length } : {}),
      value: found.slice(skip, skip + size),
      ...(stated === null ? {} : { '@odata.nextLink': stated }),
    },
  };
}

/** Records with the keys k0, k1 …, a second apart. */
export const recordsOf = (count: number, more: FeedRecord = {}): FeedRecord[] =>
  Array.from({ length: count }, (_, at) => ({
    ListingKey: `k${at}`,
    ListPrice: 100_000 + at,
    StandardStatus: 'Active',
    PropertyType: 'Residential',
    ModificationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(),
    ...more,
  }));

export interface ReplicatedFeed {
  readonly feed: StrictFeed;
  readonly clock: ManualClock;
  readonly database: Database;
  readonly source: Source;
  readonly replication: Replication;
  /** Keys of the stored listings, sorted. */
  keys(): Promise<string[]>;
  /** A stored listing. */
  listing(key: string): Promise<StoredRow>;
  /** Lets time pass, while nobody waits for an answer, until the condition holds. */
  passUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
  /** Lets so many seconds pass. */
  pass(seconds: number): Promise<void>;
  /** Starts one more replication on the same database, after the first was stopped. */
  restart(options?: Partial<ResoOptions>): Promise<ReplicatedFeed>;
}

export interface StoredRow {
  readonly displayed: boolean;
  readonly addressDisplayed: boolean;
  readonly listingType: string;
  readonly record: Readonly<Record<string, unknown>> & {
    readonly price: number | null;
    readonly photos: readonly unknown[];
    readonly openHouses: readonly { readonly startsAt: string }[];
  };
}

/** Replicates what the server answers, from its first request on. */
export async function replicateFeed(
  t: Closing,
  answer: StrictFeed['answer'],
  options: Partial<ResoOptions> = {},
): Promise<ReplicatedFeed> {
  const clock = manualClock(Date.UTC(2026, 0, 5, 12));
  const { database } = await testDatabase(t);
  return replicateOn(t, { clock, database, feed: await startFeed(t, clock, answer) }, options);
}

async function replicateOn(
  t: Closing,
  parts: Pick<ReplicatedFeed, 'clock' | 'database' | 'feed'>,
  options: Partial<ResoOptions>,
): Promise<ReplicatedFeed> {
  const { clock, database, feed } = parts;
  const replica = await replicateSource(t, parts, (counted) =>
    resoSource({
      id: 'reso',
      name: 'Feed',
      url: feed.url,
      credentials: { kind: 'bearer', token: 'secret' },
      outbound: counted(createOutbound({ clock })),
      clock,
      ...options,
    }),
  );
  const { source, replication, passUntil, pass } = replica;
  return {
    ...parts,
    source,
    replication,
    passUntil,
    keys: async () => {
      const rows = await database.read(
        (sql) => sql<{ key: string }[]>`select listing_key as key from listing order by listing_key`,
      );
      return rows.map(({ key }) => key);
    },
    async listing(key) {
      const [row] = await database.read(
        (sql) => sql<StoredRow[]>`select displayed, address_displayed as "addressDisplayed",
          listing_type as "listingType", record from listing where listing_key = ${key}`,
      );
      assert.ok(row !== undefined, key);
      return { ...row, record: wholeRecord(row.record) };
    },
    pass,
    async restart(more) {
      await replication.stop();
      return replicateOn(t, parts, { ...options, ...more });
    },
  };
}

/** Asserts that no two of these requests came within the same second. */
export function assertSpared(requests: readonly FeedRequest[]): void {
  const gaps = requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0));
  assert.deepEqual(
    gaps.filter((gap) => gap < 1_000),
    [],
    'at most one request a second',
  );
}
