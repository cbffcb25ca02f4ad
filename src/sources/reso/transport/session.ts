// Session with one RESO server: the token on each request, renewed once, and the shape from $metadata.

import { type Clock, DAY, MINUTE, pause } from '../../../lib/clock.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../lib/outbound.ts';
import { SingleFlight } from '../../../lib/single-flight.ts';
import { LiveError, sourceTimeout } from '../../source.ts';
import { type PropertyShape, propertyShape, UNKNOWN_SHAPE } from './metadata.ts';
import { type QueryOption, type QueryRules, refusedParts } from './query.ts';
import { requireSuccess, sendRequest } from './request.ts';
import type { Tokens } from './token.ts';

interface GetOptions extends Pick<OutboundRequest, 'headers' | 'maxBytes'> {
  readonly signal: AbortSignal;
  /** A second after the request before, not earlier. */
  readonly slowly?: boolean;
}

/** Milliseconds between two requests to a server that misbehaves, or that is to be spared. */
const SLOW = 1_000;

const MAX_METADATA_BYTES = 32 * 1024 * 1024;
const NO_METADATA: readonly number[] = [400, 404, 405, 410, 501];

export class Session {
  readonly root: string;
  readonly clock: Clock;
  readonly #outbound: Outbound;
  readonly #tokens: Tokens;
  readonly #flights = new SingleFlight<PropertyShape>();
  /** `until`: monotonic milliseconds. */
  #cached: { readonly shape: PropertyShape; readonly until: number } | null = null;
  /** Parts of queries that the server refuses; known for as long as its shape. */
  #refused: ReadonlySet<QueryOption> = new Set();
  #expandsAll = false;
  /** When the last request was sent, in monotonic milliseconds. */
  #lastAt = Number.NEGATIVE_INFINITY;

  /** `root` is the address that `/Property` follows. */
  constructor(root: string, outbound: Outbound, tokens: Tokens, clock: Clock) {
    this.root = root.replace(/\/+$/, '');
    this.#outbound = outbound;
    this.#tokens = tokens;
    this.clock = clock;
  }

  /** GET with our token; a refused token is renewed once. Returns the response, whatever its status. Throws LiveError. */
  async get(url: string, { slowly = false, ...options }: GetOptions): Promise<OutboundAnswer> {
    if (slowly) await pause(this.clock, this.#lastAt + SLOW - this.clock.monotonic(), options.signal);
    this.#lastAt = this.clock.monotonic();
    const token = await this.#tokens.current(options.signal);
    const response = await this.#getWith(token, url, options);
    if (response.status !== 401 || !this.#tokens.refuse(token)) return response;
    return this.#getWith(await this.#tokens.current(options.signal), url, options);
  }

  #getWith(
    token: string,
    url: string,
    { headers, ...options }: Omit<GetOptions, 'slowly'>,
  ): Promise<OutboundAnswer> {
    return sendRequest(this.#outbound, {
      ...options,
      url,
      headers: { accept: 'application/json', ...headers, authorization: `Bearer ${token}` },
    });
  }

  /** What queries to the server may hold. Throws LiveError. */
  async rules(signal: AbortSignal, slowly = false): Promise<QueryRules> {
    const shape = await this.#shape(signal, slowly);
    return { ...shape, refused: this.#refused, expandsAll: this.#expandsAll };
  }

  /** Remembers which parts of queries the server refuses. */
  refuse(options: ReadonlySet<QueryOption>): void {
    this.#refused = options;
  }

  /** What the server refuses to send beside its listings. */
  refusedParts(): readonly string[] {
    return refusedParts(this.#refused);
  }

  /** From now on all media of a listing are requested at once; false when they are already. */
  expandAll(): boolean {
    const isNew = !this.#expandsAll;
    this.#expandsAll = true;
    return isNew;
  }

  /** The shape of Property, fetched once a day; unknown for a server without $metadata. Throws LiveError. */
  async #shape(signal: AbortSignal, slowly = false): Promise<PropertyShape> {
    const cached = this.#cached;
    if (cached !== null && cached.until > this.clock.monotonic()) return cached.shape;
    try {
      return await this.#flights.run('metadata', signal, (shared) => this.#fetchShape(shared, slowly));
    } catch (error) {
      if (signal.aborted) throw sourceTimeout({ cause: error });
      // Yesterday's answer is still good enough.
      if (cached !== null) return this.#cache(cached.shape, MINUTE);
      throw error;
    }
  }

  /** The rules that are available at once: one listing waits for no daily refresh, and does not fail for a broken one. */
  async availableRules(signal: AbortSignal): Promise<QueryRules> {
    const shape = await this.#availableShape(signal);
    return { ...shape, refused: this.#refused, expandsAll: this.#expandsAll };
  }

  async #availableShape(signal: AbortSignal): Promise<PropertyShape> {
    if (this.#cached !== null) return this.#cached.shape;
    return this.#shape(signal).catch((error: unknown) => {
      if (error instanceof LiveError && error.code === 'fetch_failed')
        return this.#cache(UNKNOWN_SHAPE, MINUTE);
      // Refused or slow here, the listing itself would be so too.
      throw error;
    });
  }

  async #fetchShape(signal: AbortSignal, slowly: boolean): Promise<PropertyShape> {
    const headers = { accept: 'application/xml' };
    const options = { signal, slowly, maxBytes: MAX_METADATA_BYTES, headers };
    const response = await this.get(`${this.root}/$metadata`, options);
    if (NO_METADATA.includes(response.status)) return this.#cache(UNKNOWN_SHAPE, MINUTE);
    requireSuccess(response, this.clock.now());
    const shape = propertyShape(response.body.toString('utf8'));
    if (shape === null) return this.#cache(UNKNOWN_SHAPE, MINUTE);
    this.#refused = new Set();
    return this.#cache(shape, DAY);
  }

  #cache(shape: PropertyShape, lifetime: number): PropertyShape {
    this.#cached = { shape, until: this.clock.monotonic() + lifetime };
    return shape;
  }
}
