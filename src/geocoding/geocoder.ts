// Client of a geocoder: one request at a time, within its rate, and none for a while when it fails.

import type { GeocodedPlace } from '../ingest/geocoded-address-store.ts';
import type { GeocodingAddress } from '../ingest/geocoding-key.ts';
import { type Clock, HOUR, MINUTE } from '../lib/clock.ts';
import type { OutboundAnswer, OutboundRequest } from '../lib/outbound.ts';
import { OutboundFailure } from '../lib/outbound-failure.ts';
import { geocodingUrl, readAnswer } from './dialects.ts';
import type { GeocoderSettings } from './geocoder-settings.ts';

/** Milliseconds of one request. */
const DEADLINE = 10_000;
const MAX_BYTES = 256 * 1024;

/** No answer came; the message names the server without the query of its URL. */
export class GeocoderDown extends Error {
  override readonly name = 'GeocoderDown';
}

export interface GeocoderOptions {
  /** Sends a request if its address may be reached. Rejects with OutboundFailure. */
  readonly send: (request: OutboundRequest) => Promise<OutboundAnswer>;
  readonly clock: Clock;
  readonly userAgent: string;
}

export class Geocoder {
  readonly #settings: GeocoderSettings;
  readonly #send: GeocoderOptions['send'];
  readonly #clock: Clock;
  readonly #userAgent: string;
  #last = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #pausedUntil = 0;

  constructor(settings: GeocoderSettings, { send, clock, userAgent }: GeocoderOptions) {
    this.#settings = settings;
    this.#send = send;
    this.#clock = clock;
    this.#userAgent = userAgent;
  }

  /** After failures it is left alone: for a minute, then twice as long each time, at most an hour. */
  get isPaused(): boolean {
    return this.#clock.now() < this.#pausedUntil;
  }

  /** The place of an address; null: the geocoder knows none. Rejects with GeocoderDown. */
  async find(address: GeocodingAddress): Promise<GeocodedPlace | null> {
    await this.#wait();
    const { url, dialect } = this.#settings;
    try {
      const body = await this.#fetch(geocodingUrl(url, dialect, address));
      this.#failures = 0;
      return readAnswer(dialect, body, address);
    } catch (error) {
      this.#pausedUntil = this.#clock.now() + Math.min(MINUTE * 2 ** this.#failures++, HOUR);
      const reason =
        error instanceof OutboundFailure || error instanceof Refused
          ? error.message
          : 'its answer is not JSON';
      throw new GeocoderDown(`The geocoder ${new URL(url).host} gives no answers: ${reason}`);
    }
  }

  async #fetch(url: URL): Promise<unknown> {
    const headers = { 'user-agent': this.#userAgent, accept: 'application/json' };
    const answer = await this.#send({ url, headers, deadlineMs: DEADLINE, maxBytes: MAX_BYTES });
    if (answer.status !== 200) throw new Refused(`status ${answer.status}`);
    return JSON.parse(answer.body.toString('utf8')) as unknown;
  }

  async #wait(): Promise<void> {
    const rest = this.#last + 1_000 / this.#settings.rate - this.#clock.monotonic();
    if (rest > 0) await new Promise<void>((resolve) => this.#clock.after(rest, () => resolve()));
    this.#last = this.#clock.monotonic();
  }
}

class Refused extends Error {}
