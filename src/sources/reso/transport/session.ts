// Session with one RESO server: the token on each request, renewed once, and what $metadata says.

import { type Clock, DAY, MINUTE } from '../../../lib/clock.ts';
import type { Outbound } from '../../../lib/outbound.ts';
import { SingleFlight } from '../../../lib/single-flight.ts';
import { LiveError } from '../../source.ts';
import { type PropertyShape, propertyShape, UNKNOWN_SHAPE } from './metadata.ts';
import { exchange, refusal, type UpstreamAnswer } from './request.ts';
import type { Tokens } from './token.ts';

interface GetOptions {
  readonly signal: AbortSignal;
  /** Bytes. */
  readonly largest: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface KnownShape {
  readonly shape: PropertyShape;
  /** Monotonic milliseconds. */
  readonly until: number;
}

const MAX_METADATA_BYTES = 32 * 1024 * 1024;
const NO_METADATA: readonly number[] = [400, 404, 405, 410, 501];

export class Session {
  readonly root: string;
  readonly clock: Clock;
  readonly #outbound: Outbound;
  readonly #tokens: Tokens;
  readonly #flights = new SingleFlight<PropertyShape>();
  #known: KnownShape | null = null;

  /** `root` is the address that `/Property` follows. */
  constructor(root: string, outbound: Outbound, tokens: Tokens, clock: Clock) {
    this.root = root.replace(/\/+$/, '');
    this.#outbound = outbound;
    this.#tokens = tokens;
    this.clock = clock;
  }

  /** GET with our token; a refused token is renewed once. The answer has whatever status it has. Throws LiveError. */
  async get(url: string, options: GetOptions): Promise<UpstreamAnswer> {
    const token = await this.#tokens.current(options.signal);
    const answer = await this.#getWith(token, url, options);
    if (answer.status !== 401 || !this.#tokens.refuse(token)) return answer;
    return this.#getWith(await this.#tokens.current(options.signal), url, options);
  }

  #getWith(token: string, url: string, { signal, largest, headers }: GetOptions): Promise<UpstreamAnswer> {
    return exchange(this.#outbound, {
      url,
      headers: { accept: 'application/json', ...headers, authorization: `Bearer ${token}` },
      largest,
      signal,
    });
  }

  /** The shape of Property, asked for once a day; a server that has no $metadata is taken as unknown. Throws LiveError. */
  async shape(signal: AbortSignal): Promise<PropertyShape> {
    const known = this.#known;
    if (known !== null && known.until > this.clock.monotonic()) return known.shape;
    try {
      return await this.#flights.run('metadata', signal, (shared) => this.#learn(shared));
    } catch (error) {
      if (signal.aborted)
        throw new LiveError('timeout', 'The source did not answer in time.', { cause: error });
      // What it answered yesterday still serves.
      if (known !== null) return this.#remember(known.shape, MINUTE);
      throw error;
    }
  }

  /** The shape as far as it can be had at once: one listing waits for no daily refresh, and a broken one is no reason to fail. */
  async shapeAtHand(signal: AbortSignal): Promise<PropertyShape> {
    if (this.#known !== null) return this.#known.shape;
    return this.shape(signal).catch((error: unknown) => {
      if (error instanceof LiveError && error.code === 'fetch_failed')
        return this.#remember(UNKNOWN_SHAPE, MINUTE);
      // Whoever is turned away or kept waiting here would be so a second time.
      throw error;
    });
  }

  async #learn(signal: AbortSignal): Promise<PropertyShape> {
    const url = `${this.root}/$metadata`;
    const answer = await this.get(url, {
      signal,
      largest: MAX_METADATA_BYTES,
      headers: { accept: 'application/xml' },
    });
    if (NO_METADATA.includes(answer.status)) return this.#remember(UNKNOWN_SHAPE, MINUTE);
    const refused = refusal(answer, this.clock.now());
    if (refused !== null) throw refused;
    const shape = propertyShape(answer.text);
    return shape === null ? this.#remember(UNKNOWN_SHAPE, MINUTE) : this.#remember(shape, DAY);
  }

  #remember(shape: PropertyShape, lifetime: number): PropertyShape {
    this.#known = { shape, until: this.clock.monotonic() + lifetime };
    return shape;
  }
}
