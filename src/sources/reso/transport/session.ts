// Session with one RESO server: the token on each request, renewed once, and the shape from $metadata.

import { type Clock, DAY, MINUTE } from '../../../lib/clock.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../lib/outbound.ts';
import { SingleFlight } from '../../../lib/single-flight.ts';
import { LiveError, sourceTimeout } from '../../source.ts';
import { type PropertyShape, propertyShape, UNKNOWN_SHAPE } from './metadata.ts';
import { requireSuccess, sendRequest } from './request.ts';
import type { Tokens } from './token.ts';

type GetOptions = Pick<OutboundRequest, 'headers' | 'maxBytes'> & { readonly signal: AbortSignal };

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

  /** `root` is the address that `/Property` follows. */
  constructor(root: string, outbound: Outbound, tokens: Tokens, clock: Clock) {
    this.root = root.replace(/\/+$/, '');
    this.#outbound = outbound;
    this.#tokens = tokens;
    this.clock = clock;
  }

  /** GET with our token; a refused token is renewed once. Returns the response, whatever its status. Throws LiveError. */
  async get(url: string, options: GetOptions): Promise<OutboundAnswer> {
    const token = await this.#tokens.current(options.signal);
    const response = await this.#getWith(token, url, options);
    if (response.status !== 401 || !this.#tokens.refuse(token)) return response;
    return this.#getWith(await this.#tokens.current(options.signal), url, options);
  }

  #getWith(token: string, url: string, { headers, ...options }: GetOptions): Promise<OutboundAnswer> {
    return sendRequest(this.#outbound, {
      ...options,
      url,
      headers: { accept: 'application/json', ...headers, authorization: `Bearer ${token}` },
    });
  }

  /** The shape of Property, fetched once a day; unknown for a server without $metadata. Throws LiveError. */
  async shape(signal: AbortSignal): Promise<PropertyShape> {
    const cached = this.#cached;
    if (cached !== null && cached.until > this.clock.monotonic()) return cached.shape;
    try {
      return await this.#flights.run('metadata', signal, (shared) => this.#fetchShape(shared));
    } catch (error) {
      if (signal.aborted) throw sourceTimeout({ cause: error });
      // Yesterday's answer still serves.
      if (cached !== null) return this.#cache(cached.shape, MINUTE);
      throw error;
    }
  }

  /** The shape that is available at once: one listing waits for no daily refresh, and does not fail for a broken one. */
  async availableShape(signal: AbortSignal): Promise<PropertyShape> {
    if (this.#cached !== null) return this.#cached.shape;
    return this.shape(signal).catch((error: unknown) => {
      if (error instanceof LiveError && error.code === 'fetch_failed')
        return this.#cache(UNKNOWN_SHAPE, MINUTE);
      // Refused or slow here, the listing itself would be so too.
      throw error;
    });
  }

  async #fetchShape(signal: AbortSignal): Promise<PropertyShape> {
    const headers = { accept: 'application/xml' };
    const options = { signal, maxBytes: MAX_METADATA_BYTES, headers };
    const response = await this.get(`${this.root}/$metadata`, options);
    if (NO_METADATA.includes(response.status)) return this.#cache(UNKNOWN_SHAPE, MINUTE);
    requireSuccess(response, this.clock.now());
    const shape = propertyShape(response.body.toString('utf8'));
    return shape === null ? this.#cache(UNKNOWN_SHAPE, MINUTE) : this.#cache(shape, DAY);
  }

  #cache(shape: PropertyShape, lifetime: number): PropertyShape {
    this.#cached = { shape, until: this.clock.monotonic() + lifetime };
    return shape;
  }
}
