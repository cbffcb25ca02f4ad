// Session with one RESO server: the token on each request, renewed once, and the shape from $metadata.

import { type Clock, DAY, MINUTE, pause } from '../../../lib/clock.ts';
import type { OutboundAnswer, OutboundRequest } from '../../../lib/outbound.ts';
import { SingleFlight } from '../../../lib/single-flight.ts';
import { LiveError, sourceTimeout } from '../../source.ts';
import type { Profile } from '../profiles/profile-schema.ts';
import { type PropertyShape, propertyShape, UNKNOWN_SHAPE } from './metadata.ts';
import { metadataUrl, type QueryOption, type QueryRules, refusedParts } from './query.ts';
import { type RequestKind, type Requests, requireSuccess } from './request.ts';
import type { Tokens } from './token.ts';

interface GetOptions extends Pick<OutboundRequest, 'headers' | 'maxBytes'> {
  readonly signal: AbortSignal;
  /** Default: pages. */
  readonly kind?: RequestKind;
  /** A second after the request before, not earlier. */
  readonly slowly?: boolean;
}

/** Milliseconds between two requests to a server that misbehaves, or that is to be spared. */
const SLOW = 1_000;

/** Milliseconds in which $metadata is not read again because a query is refused. */
const RENEWED_AFTER = 10 * MINUTE;
const MAX_DIVISOR = 64;
const MAX_METADATA_BYTES = 32 * 1024 * 1024;
const NO_METADATA: readonly number[] = [400, 404, 405, 410, 501];

export class Session {
  readonly root: string;
  readonly clock: Clock;
  readonly profile: Profile;
  readonly #requests: Requests;
  readonly #tokens: Tokens;
  readonly #flights = new SingleFlight<PropertyShape>();
  /** Times in monotonic milliseconds. */
  #cached: { readonly shape: PropertyShape; readonly readAt: number; readonly until: number } | null = null;
  /** Parts of queries that the server refuses; known for as long as its shape. */
  #refused: ReadonlySet<QueryOption> = new Set();
  #expandsAll = false;
  /** By what the number of records a page is divided, since larger pages take the server too long. */
  #divisor = 1;
  /** When the last request was sent, in monotonic milliseconds. */
  #lastAt = Number.NEGATIVE_INFINITY;

  /** `root` is the address that `/Property` follows. */
  constructor(root: string, profile: Profile, requests: Requests, tokens: Tokens, clock: Clock) {
    this.root = root.replace(/\/+$/, '');
    this.profile = profile;
    this.#requests = requests;
    this.#tokens = tokens;
    this.clock = clock;
  }

  /** GET with our token; a refused token is renewed once. Returns the response, whatever its status. Throws LiveError. */
  async get(url: string, { slowly = false, ...options }: GetOptions): Promise<OutboundAnswer> {
    if (slowly) await pause(this.clock, this.#lastAt + SLOW - this.clock.monotonic(), options.signal);
    this.#lastAt = this.clock.monotonic();
    const token = await this.#tokens.current(options.signal, options.kind);
    const response = await this.#getWith(token, url, options);
    if (response.status !== 401 || !this.#tokens.refuse(token)) return response;
    return this.#getWith(await this.#tokens.current(options.signal, options.kind), url, options);
  }

  /** The token that requests carry now, for servers of photos that want it, too. Throws LiveError. */
  token(signal: AbortSignal): Promise<string> {
    return this.#tokens.current(signal);
  }

  #getWith(
    token: string,
    url: string,
    { headers, kind = 'bulk', ...options }: Omit<GetOptions, 'slowly'>,
  ): Promise<OutboundAnswer> {
    const own = this.profile.headers;
    return this.#requests.send({
      ...options,
      kind,
      url,
      headers: { accept: 'application/json', ...own, ...headers, authorization: `Bearer ${token}` },
    });
  }

  /** What queries to the server may hold; by $metadata that is no older than `age` in milliseconds. Throws LiveError. */
  async rules(signal: AbortSignal, slowly = false, age = DAY): Promise<QueryRules> {
    const shape = await this.#shape(signal, slowly, age);
    return this.#rulesOf(shape);
  }

  /**
   * The rules where $metadata is another by now, after the server refused a query by the former ones: it may have renamed a field.
   * Null: it is the same, or was read a short time ago, so that the query is refused for something else. Throws LiveError.
   */
  async renewedRules(signal: AbortSignal, slowly = false): Promise<QueryRules | null> {
    const former = this.#cached?.shape.fields ?? null;
    if (former === null || !this.profile.query.select || this.#refused.has('select')) return null;
    const { fields } = await this.#shape(signal, slowly, RENEWED_AFTER);
    const isSame = fields !== null && fields.symmetricDifference(former).size === 0;
    return isSame ? null : this.knownRules();
  }

  #rulesOf(shape: PropertyShape): QueryRules {
    const { profile } = this;
    return {
      ...shape,
      profile,
      refused: this.#refused,
      expandsAll: this.#expandsAll,
      divisor: this.#divisor,
    };
  }

  /** What is known of the rules now, without a request. */
  knownRules(): QueryRules {
    return this.#rulesOf(this.#cached?.shape ?? UNKNOWN_SHAPE);
  }

  /** Requests smaller pages from now on; false where they are as small as they may be. */
  shrinkPages(): boolean {
    const isPossible = this.#divisor < MAX_DIVISOR;
    if (isPossible) this.#divisor *= 2;
    return isPossible;
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
  async #shape(signal: AbortSignal, slowly = false, age = DAY): Promise<PropertyShape> {
    const cached = this.#cached;
    const now = this.clock.monotonic();
    if (cached !== null && cached.until > now && cached.readAt >= now - age) return cached.shape;
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
    return this.#rulesOf(shape);
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
    const response = await this.get(metadataUrl(this.root, this.profile), options);
    if (NO_METADATA.includes(response.status)) return this.#cache(UNKNOWN_SHAPE, MINUTE);
    requireSuccess(response, this.clock.now());
    const shape = propertyShape(response.body.toString('utf8'), this.profile.enumerationTexts === 'metadata');
    if (shape === null) return this.#cache(UNKNOWN_SHAPE, MINUTE);
    this.#refused = new Set();
    this.#divisor = 1;
    return this.#cache(shape, DAY);
  }

  #cache(shape: PropertyShape, lifetime: number): PropertyShape {
    const readAt = this.clock.monotonic();
    this.#cached = { shape, readAt, until: readAt + lifetime };
    return shape;
  }
}
