// Client of one service: searches, listings, events, and every operation of its API.

import { createClient } from './generated/client/index.ts';
import { Operations } from './generated/sdk.gen.ts';
import type { SearchRentalsData, SearchSalesData } from './generated/types.gen.ts';
import { Search } from './pages.ts';
import { type FeedOptions, feed, streamListing } from './streams.ts';
import {
  type Attempt,
  type CallOptions,
  createTransport,
  isBrowser,
  type Limit,
  type Transport,
} from './transport.ts';

export interface FreeholdOptions {
  /** Where the service is, without `/v1`. Default: FREEHOLD_URL of the environment, and with it FREEHOLD_KEY. */
  readonly baseUrl?: string | undefined;
  /** An API key. Never in a browser, where everybody can read it. */
  readonly key?: string | undefined;
  /** An access token, asked for before each request: in browsers, and after a sign-in. */
  readonly token?: (() => Promise<string>) | undefined;
  /** Milliseconds until an answer must be complete, or of a stream until it must have begun; default 30,000. */
  readonly timeout?: number | undefined;
  /** The longest silence of a stream in milliseconds, heartbeats counted; default 60,000. */
  readonly idleTimeout?: number | undefined;
  /** How often a request is repeated at most; default 2. */
  readonly maxRetries?: number | undefined;
  /** The longest Retry-After, in seconds, that is waited for; default 30. */
  readonly maxWait?: number | undefined;
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch | undefined;
  /** Called after each try of a request with what was asked, how long it took and the headers of the answer. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}

export type SalesQuery = Omit<NonNullable<SearchSalesData['query']>, 'format'>;
export type RentalsQuery = Omit<NonNullable<SearchRentalsData['query']>, 'format'>;

const environment: Readonly<Record<string, string | undefined>> =
  (globalThis as { process?: { env?: Record<string, string> } }).process?.env ?? {};

export class Freehold {
  /** Every operation of the API by its name, typed: what the rest of this client does not make shorter. */
  readonly operations: Operations;
  readonly #options: FreeholdOptions;
  readonly #transport: Transport;

  /** Throws TypeError without an address, for a key in a browser, and for a key beside a token. */
  constructor(options: FreeholdOptions = {}) {
    const { baseUrl = environment.FREEHOLD_URL, token } = options;
    // A key of the environment goes nowhere but to the address beside it.
    const isOfEnvironment = options.baseUrl === undefined && token === undefined;
    const key = options.key ?? (isOfEnvironment ? environment.FREEHOLD_KEY : undefined);
    if (baseUrl === undefined) throw new TypeError('Say where the service is: `baseUrl`, or FREEHOLD_URL');
    if (key !== undefined && isBrowser())
      throw new TypeError('A key in a browser is a key for everybody: give `token` instead of `key`');
    if (key !== undefined && token !== undefined) throw new TypeError('Give `key` or `token`, not both');
    const send = options.fetch ?? fetch;
    this.#options = options;
    this.#transport = createTransport({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      credential: token ?? (async () => key ?? null),
      timeout: options.timeout ?? 30_000,
      idleTimeout: options.idleTimeout ?? 60_000,
      maxRetries: options.maxRetries ?? 2,
      maxWait: options.maxWait ?? 30,
      // Workers and browsers refuse a fetch that has lost its `this`.
      fetch: (...call) => send(...call),
      onAttempt: options.onAttempt,
    });
    this.operations = new Operations({
      client: createClient({
        baseUrl: this.#transport.options.baseUrl,
        throwOnError: true,
        fetch: (request) => this.#transport.send(request as Request),
      }),
    });
  }

  /** The same client with other options, for one request or many: `freehold.withOptions({ timeout: 5_000 })`. */
  withOptions(options: FreeholdOptions): Freehold {
    return new Freehold({ ...this.#options, ...options });
  }

  /** What is left of the limits, as the last answer said. */
  get limits(): readonly Limit[] {
    return this.#transport.limits;
  }

  readonly search = {
    sales: (query: SalesQuery = {}, call: CallOptions = {}) =>
      new Search(this.#transport, '/v1/search/sales', query, call),
    rentals: (query: RentalsQuery = {}, call: CallOptions = {}) =>
      new Search(this.#transport, '/v1/search/rentals', query, call),
  };

  readonly listing = {
    /** The stored record. */
    get: (id: string, { signal }: CallOptions = {}) =>
      this.operations.getListing({ ...(signal && { signal }), path: { id } }),
    /** The copy at once, then the listing as its source has it now. */
    stream: (id: string, call: CallOptions = {}) => streamListing(this.#transport, id, call),
  };

  readonly events = {
    /** Events of your watchers as they happen, over cuts. */
    feed: (options: FeedOptions = {}) => feed(this.#transport, options),
  };
}
