// Plan of the pictures of one listing: which are wanted from here, and which of them its record can show already. Pure.

import type { ListingDraft } from '../../listings/draft.ts';
import {
  ownName,
  ownNames,
  type PictureLists,
  shownPictures,
  uploadNumber,
  uploadsOf,
  type WantedPicture,
  wantedPictures,
  withUploads,
} from '../../listings/pictures/own-pictures.ts';

/** What is written of the pictures of a listing that are to be served from here. */
export interface MediaWrite {
  readonly mode: 'proxy' | 'copy';
  /** Null: they are requested when they are copied. */
  readonly pictures: readonly WantedPicture[] | null;
  /** When they changed, as the source says, where they are requested. */
  readonly changedAt: string | null;
  /** Those that are to be copied, as far as it is known. */
  readonly waiting: number;
}

interface PlannedPictures {
  /** With the pictures that its record shows. */
  readonly draft: ListingDraft;
  /** Null: what is known of them stays. */
  readonly media: MediaWrite | null;
}

/** `draft`: with the stored pictures where its source sent none; `before`: the stored ones, null for a new listing. */
export function planPictures(id: string, draft: ListingDraft, before: PictureLists | null): PlannedPictures {
  const sent = draft.photos ?? [];
  const uploads = uploadsOf(before?.photos ?? []);
  // The stored list has them already.
  const isStored = sent.some((photo) => uploadNumber(photo) !== null);
  if (uploads.length === 0 || isStored || draft.status === 'DELETED') return planSent(id, draft, before);
  return withStoredUploads(id, uploads, planSent(id, draft, before));
}

/** Records say nothing of uploads, which stay, before the photos of the record. */
function withStoredUploads(
  id: string,
  stored: readonly WantedPicture[],
  { draft, media }: PlannedPictures,
): PlannedPictures {
  const { uploads, others } = withUploads(stored, draft.photos ?? []);
  const pictures = media?.pictures?.map(
    (each): WantedPicture =>
      each.list === 'photos'
        ? { ...each, picture: { ...each.picture, order: uploads.length + each.picture.order } }
        : each,
  );
  const sent = pictures?.filter(({ list }) => list === 'photos').length ?? others.length;
  return {
    draft: {
      ...draft,
      photos: [...shownPictures(id, uploads, () => true).photos, ...others],
      photoCount: Math.max(draft.photoCount ?? 0, uploads.length + sent),
    },
    media: media && { ...media, pictures: pictures === undefined ? null : [...uploads, ...pictures] },
  };
}

function planSent(id: string, draft: ListingDraft, before: PictureLists | null): PlannedPictures {
  const { media, status, floorPlans } = draft;
  if (media === undefined || status === 'DELETED') return { draft, media: null };
  const photos = draft.photos ?? [];
  const own = before === null ? new Set<string>() : ownNames(before);
  if (media.changedAt !== undefined) {
    const isOwn = ({ url }: { readonly url: string }) => ownName(url) !== null;
    const shown = { photos: photos.filter(isOwn), floorPlans: floorPlans.filter(isOwn) };
    const waiting = Math.max(0, (draft.photoCount ?? 0) - shown.photos.length);
    return {
      draft: { ...draft, ...shown },
      media: { mode: media.mode, pictures: null, changedAt: media.changedAt, waiting },
    };
  }
  const wanted = wantedPictures({ photos, floorPlans }, media);
  if (wanted.length === 0 && own.size > 0 && photos.length + floorPlans.length > 0)
    return { draft, media: null };
  const isThere = (name: string): boolean => media.mode === 'proxy' || own.has(name);
  return {
    draft: {
      ...draft,
      photoCount: draft.photoCount ?? photos.length,
      ...shownPictures(id, wanted, isThere),
    },
    media: {
      mode: media.mode,
      pictures: wanted,
      changedAt: null,
      waiting: wanted.filter(({ name }) => !isThere(name)).length,
    },
  };
}
