// Small RESO server for tests: it serves the records it is given, and fails in any way a test asks for.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closing } from '../database/database.ts';

export type UpstreamRecord = Readonly<Record<string, unknown>> & { readonly ListingKey: string };

/** What the server does with the requests for one path instead of answering them. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

export const FAULTS = {
  reset: (_, response) => void response.socket?.resetAndDestroy(),
  hang: () => {},
  truncated: (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"ListingKey":', () => response.socket?.destroy());
  },
  truncatedChunks: (_, response) => {
    response.write('{"ListingKey":', () => response.socket?.destroy());
  },
  drip: (_, response) => void response.write('{"List'),
  html: (_, response) => void response.end('<html>Gateway</html>'),
  notAnObject: (_, response) => void response.end('"listing"'),
  errorInside: (_, response) => void response.end('{"error":{"code":"x","message":"no"}}'),
  noList: (_, response) => void response.end('{"value":{}}'),
  nothingFound: (_, response) => void response.end('{"value":[]}'),
  anotherListing: (_, response) => void response.end('{"ListingKey":"another","ListPrice":1}'),
  noKey: (_, response) => void response.end('{"ListPrice":1}'),
  huge: (_, response) => void response.end(`{"ListingKey":"1","PublicRemarks":"${'x'.repeat(6_000_000)}"}`),
  badGzip: (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end('this is not gzip');
  },
} satisfies Record<string, Fault>;

/** A status without a body. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Fault {
  return (_, response) => {
    response.writeHead(code, headers);
    response.end();
  };
}

export interface Upstream {
  readonly url: string;
  readonly tokenUrl: string;
  readonly records: Map<string, UpstreamRecord>;
  /** Paths with queries as they came, tokens and metadata included. */
  readonly requests: string[];
  /** Requests for listings, decoded. */
  readonly listingRequests: string[];
  /** Tokens handed out; only the last one is good. */
  tokens: number;
  /** Failures by the kind of request: `token`, `metadata`, `entity` or `list`. */
  readonly faults: Partial<Record<RequestKind, Fault>>;
  /** Records on a page, whatever a client prefers. */
  pageSize: number;
  /** A token that is refused from now on, as if it had been revoked. */
  revoke(): void;
  /** Resolves once so many requests for listings have come. */
  untilRequested(times: number): Promise<void>;
}

type RequestKind = 'token' | 'metadata' | 'entity' | 'list';

const METADATA = `<?xml version="1.0"?><edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
<edmx:DataServices><Schema Namespace="org.reso.metadata" xmlns="http://docs.oasis-open.org/odata/ns/edm">
<EntityType Name="Property"><Key><PropertyRef Name="ListingKey"/></Key>
${[
  'ListingKey',
  'ListPrice',
  'StandardStatus',
  'PropertyType',
  'ModificationTimestamp',
  'PublicRemarks',
  'PhotosCount',
]
  .map((name) => `<Property Name="${name}" Type="Edm.String"/>`)
  .join('\n')}
<NavigationProperty Name="Media" Type="Collection(org.reso.metadata.Media)"/></EntityType>
<EntityType Name="Media"><Property Name="MediaURL" Type="Edm.String"/></EntityType>
<EntityContainer Name="Default"><EntitySet Name="Property" EntityType="org.reso.metadata.Property"/></EntityContainer>
</Schema></edmx:DataServices></edmx:Edmx>`;

/** Starts the server; it ends with the test. */
export async function startUpstream(t: Closing): Promise<Upstream> {
  let waiting: { readonly times: number; readonly resolve: () => void }[] = [];
  const upstream: Upstream = {
    url: '',
    tokenUrl: '',
    records: new Map(),
    requests: [],
    listingRequests: [],
    tokens: 0,
    faults: {},
    pageSize: 3,
    revoke() {
      upstream.tokens += 1_000;
    },
    untilRequested: (times) =>
      new Promise((resolve) => {
        waiting.push({ times, resolve });
        wake();
      }),
  };
  const wake = () => {
    for (const { resolve } of waiting.filter(({ times }) => upstream.listingRequests.length >= times))
      resolve();
    waiting = waiting.filter(({ times }) => upstream.listingRequests.length < times);
  };
  const server = createServer((request, response) => {
    answer(upstream, request, response);
    wake();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(upstream, { url: `${root}/odata`, tokenUrl: `${root}/token` });
}

function answer(upstream: Upstream, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://upstream');
  const kind = requestKindOf(url);
  upstream.requests.push(`${url.pathname}${url.search}`);
  if (kind === 'entity' || kind === 'list')
    upstream.listingRequests.push(decodeURIComponent(url.pathname + url.search));
  const fault = upstream.faults[kind];
  if (fault !== undefined) fault(request, response);
  else serve(upstream, kind, url, request, response);
}

function serve(
  upstream: Upstream,
  kind: RequestKind,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (kind === 'token') giveToken(upstream, response);
  else if (request.headers.authorization !== `Bearer t${upstream.tokens}`) status(401)(request, response);
  else if (kind === 'metadata') response.end(METADATA);
  else if (kind === 'list') send(response, list(upstream, url));
  else sendEntity(upstream, url, request, response);
}

function sendEntity(upstream: Upstream, url: URL, request: IncomingMessage, response: ServerResponse): void {
  const [, key = ''] = /^\/odata\/Property\('(.*)'\)$/.exec(decodeURIComponent(url.pathname)) ?? [];
  const record = upstream.records.get(key.replaceAll("''", "'"));
  if (record === undefined) status(404)(request, response);
  else send(response, record);
}

function requestKindOf(url: URL): RequestKind {
  if (url.pathname === '/token') return 'token';
  if (url.pathname === '/odata/$metadata') return 'metadata';
  return url.pathname === '/odata/Property' ? 'list' : 'entity';
}

function giveToken(upstream: Upstream, response: ServerResponse): void {
  upstream.tokens += 1;
  send(response, { access_token: `t${upstream.tokens}`, expires_in: 3_600, token_type: 'Bearer' });
}

function send(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

const byTime = (a: UpstreamRecord, b: UpstreamRecord) =>
  String(a.ModificationTimestamp).localeCompare(String(b.ModificationTimestamp)) ||
  a.ListingKey.localeCompare(b.ListingKey);

/** Pages are cut by position; `skiptoken` goes on behind it. */
function list(upstream: Upstream, url: URL): unknown {
  const filter = url.searchParams.get('$filter') ?? '';
  const key = /^ListingKey eq '(.*)'$/.exec(filter)?.[1]?.replaceAll("''", "'");
  const since = /^ModificationTimestamp ge (.*)$/.exec(filter)?.[1] ?? '';
  const order = url.searchParams.get('$orderby') ?? '';
  const fitting = [...upstream.records.values()].filter(
    (record) =>
      (key === undefined || record.ListingKey === key) && String(record.ModificationTimestamp) >= since,
  );
  if (order !== '') fitting.sort(byTime);
  if (order.endsWith(' desc')) fitting.reverse();
  const from = Number(url.searchParams.get('$skiptoken') ?? '0');
  const size = Math.min(upstream.pageSize, Number(url.searchParams.get('$top') ?? Number.POSITIVE_INFINITY));
  const next = new URL(url);
  next.searchParams.set('$skiptoken', String(from + size));
  const more = from + size < fitting.length && !url.searchParams.has('$top');
  return {
    ...(url.searchParams.has('$count') ? { '@odata.count': fitting.length } : {}),
    value: fitting.slice(from, from + size),
    ...(more ? { '@odata.nextLink': `${upstream.url}/Property${next.search}` } : {}),
  };
}
