// Uploaded photos of a stored listing: one is added, replaced or removed, as a change of the listing.

import type { Placement } from '../../areas/placement.ts';
import {
  ownNames,
  shownPictures,
  uploadId,
  uploadNumber,
  uploadsOf,
  type WantedPicture,
  withUploads,
} from '../../listings/pictures/own-pictures.ts';
import type { Transaction } from '../../postgres/client/database.ts';
import { lockListings } from '../listing-store.ts';
import { commitWrites } from '../listing-writer.ts';
import { storedDraft } from '../stored-draft.ts';
import { type PreviousListing, planWrite } from '../write-plan.ts';
import { findWanted } from './media-store.ts';
import type { MediaWrite } from './plan-pictures.ts';

/** An uploaded photo, whose file is stored. */
export interface Upload {
  readonly name: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

export interface UploadChange {
  readonly result: 'created' | 'changed' | 'unchanged' | 'deleted';
  /** Of the listing now. */
  readonly version: number;
}

/**
 * Puts a photo in the place of a number, or nothing (null). Null: there is no such listing, or it may not be shown any more. The
 * transaction has locked the listing. `now` in milliseconds since the epoch.
 */
export async function changeUploads(
  tx: Transaction,
  id: string,
  { number, upload }: { readonly number: number; readonly upload: Upload | null },
  { areas, now }: { readonly areas: Placement; readonly now: number },
): Promise<UploadChange | null> {
  const { listings } = await lockListings(tx, [id], []);
  const before = listings.get(id);
  if (before === undefined || before.status === 'DELETED') return null;
  const stored = uploadsOf(before.record.photos);
  const known = stored.find(({ picture }) => picture.id === uploadId(number));
  if (known?.name === upload?.name) return { result: 'unchanged', version: before.version };
  const kept = stored.filter((each) => each !== known);
  const uploads = upload === null ? kept : [...kept, wantedUpload(number, upload)];
  const { draft, media } = await planUploads(tx, before, uploads);
  // Planned as if nothing were stored of photos: even what leads back to what the source sent last is written.
  const plain = { ...before, digest: Buffer.alloc(0), record: { ...before.record, photos: [] } };
  const write = planWrite(before.source, draft, plain, areas, now);
  if (write === null) throw new Error('A change of uploads is always written');
  // The source's next draft is compared with its last one.
  const changed = { ...write, before, digest: before.digest, events: [], corrections: null, media };
  await commitWrites(tx, [changed], now, false);
  const result = upload === null ? 'deleted' : known === undefined ? 'created' : 'changed';
  return { result, version: write.version };
}

const wantedUpload = (number: number, { name, width, height }: Upload): WantedPicture => ({
  list: 'photos',
  name,
  url: null,
  picture: { id: uploadId(number), width, height, caption: null, category: null, order: number },
});

/** The draft of the listing with these uploads, and what is served from here then. */
async function planUploads(tx: Transaction, before: PreviousListing, changed: readonly WantedPicture[]) {
  const { id, record } = before;
  const wanted = await findWanted(tx, id);
  const stored = uploadsOf(record.photos);
  const sorted = uploadsOf(shownPictures(id, changed, () => true).photos);
  const sent = record.photos.filter((photo) => uploadNumber(photo) === null);
  const { uploads, others } = withUploads(
    sorted,
    sent.map((photo) => ({ ...photo, order: photo.order - stored.length })),
  );
  const total = record.photoCount ?? record.photos.length;
  const draft = {
    ...storedDraft(before),
    photos: [...shownPictures(id, uploads, () => true).photos, ...others],
    photoCount: Math.max(0, total + uploads.length - stored.length),
  };
  if (wanted === null) return { draft, media: null };
  const shift = uploads.length - stored.length;
  const pictures = wanted.pictures
    .filter(({ url }) => url !== null)
    .map(
      (each): WantedPicture =>
        each.list === 'photos'
          ? { ...each, picture: { ...each.picture, order: each.picture.order + shift } }
          : each,
    );
  const shown = ownNames(record);
  const media: MediaWrite = {
    mode: wanted.mode,
    pictures: [...uploads, ...pictures],
    changedAt: null,
    waiting: wanted.mode === 'copy' ? pictures.filter(({ name }) => !shown.has(name)).length : 0,
  };
  return { draft, media };
}
