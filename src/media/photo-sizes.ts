// Sizes of photos: made when the first reader wants one, once for all who want it meanwhile, and kept in the cache.

import { BulkheadFull } from '../lib/bulkhead.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import { Problem } from '../lib/problem.ts';
import { SingleFlight } from '../lib/single-flight.ts';
import type { Originals } from './originals.ts';
import type { PictureCache } from './pictures/picture-cache.ts';
import { RememberedFailures } from './remembered-failures.ts';
import type { ShownPicture } from './shown-store.ts';
import type { Resizer } from './sizes/resizer.ts';
import { ResizerEnded, ResizerUnavailable } from './sizes/resizer-process.ts';
import type { PhotoSize } from './sizes/sizes.ts';

export interface PhotoSizesOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly originals: Pick<Originals, 'read'>;
  readonly cache: Pick<PictureCache, 'get' | 'put'>;
  readonly resizer: Pick<Resizer, 'run' | 'isAvailable'>;
}

export interface SizedPhoto {
  readonly file: Buffer;
  readonly contentType: string;
  /** False where it is the original, since no sizes can be made here. */
  readonly isSized: boolean;
}

type Outcome = 'made' | 'refused' | 'ended' | 'full';

/** Seconds for which a photo is left alone that cannot be decoded, or that ended the process which decodes. */
const LEFT_ALONE = { refused: 3_600, ended: 600 } as const;
/** Seconds after which a reader may come again where too many wait. */
const FULL_RETRY = 5;

export class PhotoSizes {
  readonly #options: PhotoSizesOptions;
  readonly #flights = new SingleFlight<Buffer | null>();
  readonly #failures: RememberedFailures<'refused' | 'ended'>;
  readonly #count: (outcome: Outcome) => void;

  constructor(options: PhotoSizesOptions) {
    this.#options = options;
    this.#failures = new RememberedFailures(options.clock);
    const counter = options.metrics.counter(
      'freehold_photo_sizes_total',
      'Sizes of photos that were to be made, by what became of it.',
      ['outcome'],
    );
    this.#count = (outcome) => counter.inc({ outcome });
  }

  /**
   * A photo in this size; null: its file is not there, or cannot be decoded. `key`: its name in caches. Throws OVERLOADED where it
   * cannot be fetched or made now.
   */
  async read(
    key: string,
    shown: ShownPicture,
    size: PhotoSize,
    signal: AbortSignal,
  ): Promise<SizedPhoto | null> {
    const { cache, resizer } = this.#options;
    const contentType = `image/${size.format}`;
    const name = `${key}.${size.width}.${size.format}`;
    const known = await cache.get(name);
    if (known !== null) return { file: known, contentType, isSized: true };
    if (!resizer.isAvailable) return this.#original(key, shown, signal);
    try {
      const file = await this.#flights.run(name, signal, (shared) =>
        this.#make(name, { key, shown, size }, shared),
      );
      return file && { file, contentType, isSized: true };
    } catch (error) {
      if (error instanceof ResizerUnavailable) return this.#original(key, shown, signal);
      throw error;
    }
  }

  async #original(key: string, shown: ShownPicture, signal: AbortSignal): Promise<SizedPhoto | null> {
    const original = await this.#options.originals.read(key, shown, signal);
    return original && { file: original.file, contentType: `image/${original.format}`, isSized: false };
  }

  async #make(
    name: string,
    { key, shown, size }: { readonly key: string; readonly shown: ShownPicture; readonly size: PhotoSize },
    signal: AbortSignal,
  ): Promise<Buffer | null> {
    const { originals, resizer, cache } = this.#options;
    const failed = this.#failures.get(key);
    if (failed?.failure === 'refused') return null;
    if (failed !== null) throw cannotDecode(failed.seconds);
    // Slow servers keep nobody from decoding: what is fetched is in the cache then.
    if (shown.copy === null && (await originals.read(key, shown, signal)) === null) return null;
    try {
      const result = await resizer.run(async () => {
        const original = await originals.read(key, shown, new AbortController().signal);
        return original && { file: original.file, size, isStrict: false };
      }, signal);
      if (result === null) return null;
      if (result.state === 'refused') {
        this.#fail(key, 'refused');
        return null;
      }
      this.#count('made');
      await cache.put(name, result.file);
      return result.file;
    } catch (error) {
      if (error instanceof BulkheadFull) {
        this.#count('full');
        throw overloaded('Too many photos are being made smaller at the moment.', FULL_RETRY);
      }
      if (!(error instanceof ResizerEnded)) throw error;
      this.#fail(key, 'ended');
      throw cannotDecode(LEFT_ALONE.ended);
    }
  }

  #fail(key: string, failure: 'refused' | 'ended'): void {
    this.#count(failure);
    this.#failures.add(key, failure, LEFT_ALONE[failure]);
  }
}

const cannotDecode = (seconds: number): Problem =>
  overloaded('The photo could not be made smaller within the limits of the service.', seconds);

const overloaded = (detail: string, seconds: number): Problem =>
  new Problem('OVERLOADED', `${detail} Try again later.`, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) },
  });
