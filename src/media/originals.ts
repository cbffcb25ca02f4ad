// Originals of pictures: copies from their files, and the others from where their source has them, kept for a while.

import { Bulkhead, BulkheadFull } from '../lib/bulkhead.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { NetworkAccess } from '../lib/network/network-access.ts';
import { Problem } from '../lib/problem.ts';
import { SingleFlight } from '../lib/single-flight.ts';
import { fetchPicture } from './pictures/fetch-picture.ts';
import { formatOf, type ImageFormat } from './pictures/image-head.ts';
import type { PictureCache } from './pictures/picture-cache.ts';
import type { PictureFiles } from './pictures/picture-files.ts';
import type { PictureSource } from './pictures/picture-source.ts';
import { RememberedFailures } from './remembered-failures.ts';
import type { ShownPicture } from './shown-store.ts';

export interface OriginalsOptions {
  readonly access: Pick<NetworkAccess, 'check' | 'outbound'>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly files: PictureFiles;
  readonly cache: PictureCache;
  /** The source with this id, as far as this process can fetch its pictures. */
  readonly sourceOf: (id: string) => Promise<PictureSource | null>;
}

export interface Original {
  readonly file: Buffer;
  readonly format: ImageFormat;
}

/** Seconds after which a picture that could not be fetched is tried again. */
const RETRY = 60;

export class Originals {
  readonly #options: OriginalsOptions;
  readonly #flights = new SingleFlight<Buffer>();
  readonly #fetches = new Bulkhead({ maxConcurrent: 16, maxQueue: 200 });
  readonly #failures: RememberedFailures<true>;
  readonly #count: (outcome: string) => void;

  constructor(options: OriginalsOptions) {
    this.#options = options;
    this.#failures = new RememberedFailures(options.clock);
    const counter = options.metrics.counter(
      'freehold_photo_fetches_total',
      'Photos that were fetched for readers, by what became of it.',
      ['outcome'],
    );
    this.#count = (outcome) => counter.inc({ outcome });
  }

  /** The file of a picture; null: it is not there. `key`: its name in caches. Throws OVERLOADED where it cannot be fetched now. */
  async read(key: string, shown: ShownPicture, signal: AbortSignal): Promise<Original | null> {
    const { files, cache } = this.#options;
    if (shown.copy !== null) {
      const file = await files.read(shown.copy.hash);
      return file && { file, format: shown.copy.format };
    }
    const { url, source } = shown;
    if (url === null) return null;
    const name = `${key}.original`;
    const file =
      (await cache.get(name)) ??
      (await this.#flights.run(key, signal, (shared) => this.#fetch(name, { key, url, source }, shared)));
    const format = formatOf(file);
    return format && { file, format };
  }

  async #fetch(
    name: string,
    { key, url, source: id }: { readonly key: string; readonly url: string; readonly source: string },
    signal: AbortSignal,
  ): Promise<Buffer> {
    const { access, clock, cache, sourceOf } = this.#options;
    const failed = this.#failures.get(key);
    if (failed !== null) throw unavailable(failed.seconds);
    const source = await sourceOf(id);
    if (source === null) throw unavailable(RETRY);
    try {
      return await this.#fetches.run(signal, async () => {
        const pause = await source.permit(signal);
        if (pause !== null) throw unavailable(pause / 1_000);
        const headers = await source.headers(url, signal);
        const fetched = await fetchPicture(url, { access, clock, signal, headers });
        source.observed(fetched.received);
        if (fetched.state === 'fetched') {
          this.#count('fetched');
          await cache.put(name, fetched.file);
          return fetched.file;
        }
        const seconds = fetched.state === 'limited' ? fetched.wait / 1_000 : RETRY;
        this.#count(fetched.state === 'limited' ? 'limited' : fetched.fault);
        this.#failures.add(key, true, seconds);
        throw unavailable(seconds);
      });
    } catch (error) {
      throw error instanceof BulkheadFull ? unavailable(5) : error;
    }
  }
}

const unavailable = (seconds: number): Problem =>
  new Problem('OVERLOADED', 'The photo cannot be fetched from its source at the moment. Try again later.', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) },
  });
