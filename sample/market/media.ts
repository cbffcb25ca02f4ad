// Media records of a listing: made on demand, the same every time.
import type { FieldContext } from '../fields/field.ts';
import region from '../names/region.json' with { type: 'json' };
import { type Spelling, spelled } from '../odata/lookups.ts';
import { sceneOf } from '../photos/scenes.ts';
import type { Listing } from './listing.ts';

const THUMBNAIL_WIDTH = 320;

export interface MediaRecord {
  readonly MediaKey: string;
  readonly ResourceName: string;
  readonly ResourceRecordKey: string;
  readonly ResourceRecordID: string;
  /** The picture, in whatever size. */
  readonly MediaObjectID: string;
  readonly MediaURL: string;
  readonly MediaCategory: string;
  readonly Order: number;
  readonly ImageWidth: number;
  readonly ImageHeight: number;
  readonly ImageSizeDescription: string;
  readonly ShortDescription: string;
  readonly PreferredPhotoYN: boolean;
  readonly MediaModificationTimestamp: string;
  readonly ModificationTimestamp: string;
  readonly OriginatingSystemName: string;
}

/** Its pictures in full, and the first of them as a thumbnail too. */
export function mediaOf(
  listing: Listing,
  { context, spelling }: { context: FieldContext; spelling: Spelling },
): MediaRecord[] {
  const changed = new Date(listing.photosAt).toISOString();
  const whole = Array.from({ length: listing.photos }, (_, index): MediaRecord => {
    const scene = sceneOf(listing, index);
    const key = `${listing.key}-${String(index + 1).padStart(2, '0')}`;
    return {
      MediaKey: key,
      ResourceName: 'Property',
      ResourceRecordKey: listing.key,
      ResourceRecordID: listing.id,
      MediaObjectID: key,
      MediaURL: `${context.photosUrl}/${listing.key}/${index}.svg`,
      MediaCategory: spelled('MediaCategory', scene.category, spelling),
      Order: index,
      ImageWidth: scene.width,
      ImageHeight: scene.height,
      ImageSizeDescription: 'Full Size',
      ShortDescription: scene.caption,
      PreferredPhotoYN: index === 0,
      MediaModificationTimestamp: changed,
      ModificationTimestamp: changed,
      OriginatingSystemName: region.originatingSystem,
    };
  });
  return [...whole, ...whole.slice(0, 1).map(thumbnailOf)];
}

/** As lists show it. */
function thumbnailOf(whole: MediaRecord): MediaRecord {
  return {
    ...whole,
    MediaKey: `${whole.MediaKey}-S`,
    MediaURL: `${whole.MediaURL}?w=${THUMBNAIL_WIDTH}`,
    ImageWidth: THUMBNAIL_WIDTH,
    ImageHeight: Math.round((THUMBNAIL_WIDTH * whole.ImageHeight) / whole.ImageWidth),
    ImageSizeDescription: 'Thumbnail',
    PreferredPhotoYN: false,
  };
}
