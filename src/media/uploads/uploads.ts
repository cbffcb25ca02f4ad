// Uploads of photos: checked, decoded once, stored under their hash, and shown with their listing.

import { changeUploads, type UploadChange } from '../../ingest/pictures/change-uploads.ts';
import { lockShown } from '../../ingest/pictures/show-pictures.ts';
import type { PlacementCache } from '../../ingest/placement-cache.ts';
import { BulkheadFull } from '../../lib/bulkhead.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { pictureName } from '../../listings/pictures/own-pictures.ts';
import type { Transaction } from '../../postgres/client/database.ts';
import { insertCopy, lockFile } from '../copies/copy-store.ts';
import { cleanPicture } from '../pictures/clean-picture.ts';
import { type ImageFormat, type ImageHead, MAX_PIXELS, readHead } from '../pictures/image-head.ts';
import { hashOf, type PictureFiles } from '../pictures/picture-files.ts';
import type { Resizer } from '../sizes/resizer.ts';
import { ResizerEnded, ResizerUnavailable } from '../sizes/resizer-process.ts';

export interface UploadsOptions {
  readonly clock: Clock;
  readonly files: Pick<PictureFiles, 'put' | 'folder'>;
  readonly resizer: Pick<Resizer, 'run' | 'isAvailable'>;
  readonly placements: PlacementCache;
}

/** A photo that can be shown, without metadata. */
export interface CheckedPhoto {
  readonly file: Buffer;
  readonly head: ImageHead;
  /** SHA-256 of the file. */
  readonly hash: string;
}

/** Which photo of which listing. */
export interface UploadPlace {
  readonly listing: string;
  readonly number: number;
}

export class Uploads {
  readonly #options: UploadsOptions;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** Throws INVALID_BODY for what is no whole photo in this format, and OVERLOADED where it cannot be decoded now. */
  async check(file: Buffer, format: ImageFormat, signal: AbortSignal): Promise<CheckedPhoto> {
    const head = readHead(file);
    if (head === null) throw invalid('is no JPEG, PNG, WebP or AVIF file');
    if (head.format !== format)
      throw invalid(`is a file of the type image/${head.format}: send it with that Content-Type`);
    const pixels = head.width * head.height;
    if (pixels > MAX_PIXELS)
      throw invalid(
        `has ${Math.ceil(pixels / 1_000_000)} megapixels; a photo may have ${MAX_PIXELS / 1_000_000}`,
      );
    const clean = cleanPicture(file, format);
    if (clean === null) throw invalid(`is not built like a file of the type image/${format}`);
    await this.#requireDecodable(clean, signal);
    return { file: clean, head, hash: hashOf(clean) };
  }

  /** Stores a photo in the given transaction: it is on the disk once this resolves. Null: there is no such listing that is shown. */
  async put(
    tx: Transaction,
    { listing, number }: UploadPlace,
    { file, head, hash }: CheckedPhoto,
  ): Promise<UploadChange | null> {
    const { clock, files, placements } = this.#options;
    const now = clock.now();
    const name = pictureName('upload', String(number), hash);
    await lockFile(tx, hash);
    if (!(await lockShown(tx, listing))) return null;
    await files.put(hash, file).catch((error: NodeJS.ErrnoException) => {
      throw cannotStore(files.folder, error);
    });
    await insertCopy(tx, { listing, name, hash, head, bytes: file.length }, new Date(now));
    const upload = { name, width: head.width, height: head.height };
    const areas = await placements.load(tx);
    return changeUploads(tx, listing, { number, upload }, { areas, now });
  }

  /** Removes a photo in the given transaction; `unchanged` where there is none. Null: there is no such listing that is shown. */
  async remove(tx: Transaction, { listing, number }: UploadPlace): Promise<UploadChange | null> {
    if (!(await lockShown(tx, listing))) return null;
    const areas = await this.#options.placements.load(tx);
    const now = this.#options.clock.now();
    return changeUploads(tx, listing, { number, upload: null }, { areas, now });
  }

  async #requireDecodable(file: Buffer, signal: AbortSignal): Promise<void> {
    const { resizer } = this.#options;
    if (!resizer.isAvailable) return;
    const size = { width: 320, format: 'webp' } as const;
    try {
      const result = await resizer.run(async () => ({ file, size, isStrict: true }), signal);
      if (result?.state === 'refused') throw invalid('cannot be decoded: it is damaged, or was cut off');
    } catch (error) {
      if (error instanceof BulkheadFull) throw overloaded('Too many photos are being decoded', 5);
      if (error instanceof ResizerEnded)
        throw overloaded('The photo needs more time or memory than it may', 600);
      if (!(error instanceof ResizerUnavailable)) throw error;
    }
  }
}

const invalid = (detail: string): Problem =>
  new Problem('INVALID_BODY', `The body ${detail}.`, { errors: [{ pointer: '', detail }] });

const overloaded = (detail: string, seconds: number, cause?: unknown): Problem =>
  new Problem('OVERLOADED', `${detail} at the moment. Send it again later.`, {
    headers: { 'retry-after': String(seconds) },
    cause,
  });

/** The operator finds the reason in the log. */
const cannotStore = (folder: string, cause: NodeJS.ErrnoException): Problem =>
  overloaded(
    `The service cannot store photos (MEDIA_DIR: ${cause.code ?? 'failed'})`,
    60,
    new Error(`${folder} takes no files`, { cause }),
  );
