// Client of one service: searches, listings, events, and every operation of its API.

import { createClient } from './generated/client/index.ts';
import { Operations } from './generated/sdk.gen.ts';
import type { SearchRentalsData, SearchSalesData } from './generated/types.gen.ts';
import { type ReadPage, Search } from './pages.ts';
import { type CallOptions, type FeedOptions, feed, streamListing } from './streams.ts';
import { createTransport, type Limit, type Transport } from './transport.ts';

export interface FreeholdOptions {
  /** Where the service is, without `/v1`. */
  readonly baseUrl: string;
  /** An API key. Never in a browser, where everybody can read it. */
  readonly key?: string;
  /** An access token, asked for before each request: in browsers, and after a sign-in. */
  readonly token?: () => Promise<string>;
  /** Milliseconds; default 30,000. */
  readonly timeout?: number;
  /** Default 2. */
  readonly maxRetries?: number;
  /** The longest Retry-After, in seconds, that is waited for; default 30. */
  readonly maxWait?: number;
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch;
}

export type SalesQuery = NonNullable<SearchSalesData['query']>;
export type RentalsQuery = NonNullable<SearchRentalsData['query']>;

export class Freehold {
  /** Every operation of the API by its name, typed: what the rest of this client does not make shorter. */
  readonly operations: Operations;
  readonly #transport: Transport;

  /** Throws TypeError for a key in a browser, and for a key beside a token. */
  constructor(options: FreeholdOptions) {
    const { baseUrl, key, token } = options;
    if (key !== undefined && 'document' in globalThis)
      throw new TypeError('A key in a browser is a key for everybody: give `token` instead of `key`');
    if (key !== undefined && token !== undefined) throw new TypeError('Give `key` or `token`, not both');
    const send = options.fetch ?? fetch;
    this.#transport = createTransport({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      credential: token ?? (async () => key ?? null),
      timeout: options.timeout ?? 30_000,
      maxRetries: options.maxRetries ?? 2,
      maxWait: options.maxWait ?? 30,
      // Workers and browsers refuse a fetch that has lost its `this`.
      fetch: (...call) => send(...call),
    });
    this.operations = new Operations({
      client: createClient({
        baseUrl: this.#transport.options.baseUrl,
        throwOnError: true,
        fetch: (request) => this.#send(request as Request),
      }),
    });
  }

  /** What is left of the limits, as the last answer said. */
  get limits(): readonly Limit[] {
    return this.#transport.limits;
  }

  readonly search = {
    sales: (query: SalesQuery = {}, options: CallOptions = {}): Search =>
      this.#search('/v1/search/sales', query, options, (cursor, call) =>
        this.operations.searchSales({
          ...call,
          query: { ...query, ...(cursor !== undefined && { cursor }) },
        }),
      ),
    rentals: (query: RentalsQuery = {}, options: CallOptions = {}): Search =>
      this.#search('/v1/search/rentals', query, options, (cursor, call) =>
        this.operations.searchRentals({
          ...call,
          query: { ...query, ...(cursor !== undefined && { cursor }) },
        }),
      ),
  };

  readonly listing = {
    /** The stored record. */
    get: (id: string, options: CallOptions = {}) => this.operations.getListing({ ...options, path: { id } }),
    /** The copy at once, then the listing as its source has it now. */
    stream: (id: string, options: CallOptions = {}) => streamListing(this.#transport, id, options),
  };

  readonly events = {
    /** Events of your watchers as they happen, over cuts. */
    feed: (options: FeedOptions = {}) => feed(this.#transport, options),
  };

  #search(
    path: string,
    query: SalesQuery | RentalsQuery,
    options: CallOptions,
    read: ReadPage<Awaited<ReturnType<Search['page']>>>,
  ): Search {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return new Search(this.#transport, text === '' ? path : `${path}?${text}`, read, options);
  }

  /** A new watcher names itself, so that a repeat makes no second one. */
  #send(request: Request): Promise<Response> {
    const { method, url, headers, signal } = request;
    const isNew = method === 'POST' && new URL(url).pathname.endsWith('/v1/watchers');
    if (isNew && !headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID());
    return this.#transport.send(request, signal);
  }
}
