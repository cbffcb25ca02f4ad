// Pictures that this service serves itself: how they are named, where they are, and which of those of a listing there are. Pure.

import { hash } from 'node:crypto';
import type { Listing } from '../record.ts';

type Photo = Readonly<Listing['photos'][number]>;

/** How photos of a source are shown: from its own server, fetched from there for each reader, or copied. */
export const MEDIA_MODES = ['link', 'proxy', 'copy'] as const;
export type MediaMode = (typeof MEDIA_MODES)[number];

/** What a draft says of its pictures where they are served from here. */
export interface DraftMedia {
  readonly mode: 'proxy' | 'copy';
  /** What names the present version of a picture, by its id, where the source says that. */
  readonly versions?: Readonly<Record<string, string>>;
  /**
   * When the pictures changed, as the source says, where the draft cannot have them: their addresses can be fetched once, so that
   * they are requested when they are copied. Null: not known.
   */
  readonly changedAt?: string | null;
}

/** The lists of pictures in a record. */
export type PictureLists = { readonly photos: readonly Photo[]; readonly floorPlans: readonly Photo[] };

/** A picture that is to be served from here. */
export interface WantedPicture {
  readonly list: keyof PictureLists;
  /** Of the picture in its listing: another version has another name. */
  readonly name: string;
  /** Where its source has it; null: an address that can be fetched once, or a file that was uploaded. */
  readonly url: string | null;
  readonly picture: Omit<Photo, 'url' | 'thumbnailUrl'>;
}

const PATH = /^\/v1\/photos\/[^/]+\/([0-9a-f]{32})\/original$/;

/** The name of a version of a picture, from all that makes it another one. */
export const pictureName = (...parts: readonly string[]): string =>
  hash('sha256', parts.join(' '), 'hex').slice(0, 32);

/** Where a picture is served, below the public URL; `file` is the original, or a size with its format. */
export const picturePath = (listing: string, name: string, file = 'original'): string =>
  `/v1/photos/${encodeURIComponent(listing)}/${name}/${file}`;

/** The name of a picture that is served from here; null for the address of any other. */
export const ownName = (url: string): string | null => PATH.exec(url)?.[1] ?? null;

/** The smallest size of a picture that is served from here, below the public URL; null for the address of any other. */
export const thumbnailPath = (url: string): string | null =>
  ownName(url) === null ? null : url.replace(/original$/, '320.webp');

/** Names of the pictures in a record that are served from here. */
export function ownNames({ photos, floorPlans }: PictureLists): ReadonlySet<string> {
  return new Set([...photos, ...floorPlans].flatMap(({ url }) => ownName(url) ?? []));
}

const UPLOAD = /^upload-(\d{1,2})$/;

/** The id of the photo that was uploaded under a number. */
export const uploadId = (number: number): string => `upload-${number}`;

/** The number that a photo was uploaded under; null where it was not. Addresses of ours cannot be sent with records. */
export function uploadNumber({ id, url }: Pick<Photo, 'id' | 'url'>): number | null {
  const [, digits] = UPLOAD.exec(id) ?? [];
  return digits === undefined || ownName(url) === null ? null : Number(digits);
}

/** The uploaded ones among photos, in the order of their numbers. */
export function uploadsOf(photos: readonly Photo[]): WantedPicture[] {
  return photos
    .filter((photo) => uploadNumber(photo) !== null)
    .sort((a, b) => (uploadNumber(a) ?? 0) - (uploadNumber(b) ?? 0))
    .map(({ url, thumbnailUrl: _, ...picture }) => ({
      list: 'photos',
      name: ownName(url) ?? '',
      url: null,
      picture,
    }));
}

/** Uploads first, then the photos of the record, in one order. */
export function withUploads<Other extends { readonly order: number }>(
  uploads: readonly WantedPicture[],
  others: readonly Other[],
): { readonly uploads: WantedPicture[]; readonly others: Other[] } {
  return {
    uploads: uploads.map((each, order) => ({ ...each, picture: { ...each.picture, order } })),
    others: others.map((each) => ({ ...each, order: uploads.length + each.order })),
  };
}

/** The pictures of a draft as they are to be served from here; those that are already, in a list that was kept, are left out. */
export function wantedPictures(
  { photos, floorPlans }: PictureLists,
  { mode, versions = {}, changedAt }: DraftMedia,
): WantedPicture[] {
  const wanted = (list: keyof PictureLists, pictures: readonly Photo[]): WantedPicture[] =>
    pictures
      .filter(({ url }) => ownName(url) === null)
      .map(({ url, thumbnailUrl: _, ...picture }) => {
        const isOnce = changedAt !== undefined;
        // What was fetched for readers only is not there once it is to be copied.
        const name = pictureName(mode, versions[picture.id] ?? '', isOnce ? picture.id : url);
        return { list, name, url: isOnce ? null : url, picture };
      });
  return [...wanted('photos', photos), ...wanted('floorPlans', floorPlans)];
}

/** The lists of a record: those pictures that there are, in their order. */
export function shownPictures(
  listing: string,
  wanted: readonly WantedPicture[],
  isThere: (name: string) => boolean,
): { readonly photos: Photo[]; readonly floorPlans: Photo[] } {
  const shown = (list: keyof PictureLists): Photo[] =>
    wanted
      .filter((each) => each.list === list && isThere(each.name))
      .map(({ name, picture: { id, ...picture } }) => ({
        id,
        url: picturePath(listing, name),
        thumbnailUrl: null,
        ...picture,
      }));
  return { photos: shown('photos'), floorPlans: shown('floorPlans') };
}
