// Owns the Media records of a listing: made on demand, the same every time.
import type { FieldContext } from '../fields/field.ts';
import region from '../names/region.json' with { type: 'json' };
import { type Spelling, spelled } from '../odata/lookups.ts';
import { sceneOf } from '../photos/scenes.ts';
import type { Listing } from './listing.ts';

export interface MediaRecord {
  readonly MediaKey: string;
  readonly ResourceName: string;
  readonly ResourceRecordKey: string;
  readonly ResourceRecordID: string;
  readonly MediaURL: string;
  readonly MediaCategory: string;
  readonly Order: number;
  readonly ImageWidth: number;
  readonly ImageHeight: number;
  readonly ShortDescription: string;
  readonly PreferredPhotoYN: boolean;
  readonly MediaModificationTimestamp: string;
  readonly ModificationTimestamp: string;
  readonly OriginatingSystemName: string;
}

export function mediaOf(
  listing: Listing,
  { context, spelling }: { context: FieldContext; spelling: Spelling },
): MediaRecord[] {
  const changed = new Date(listing.photosAt).toISOString();
  return Array.from({ length: listing.photos }, (_, index) => {
    const scene = sceneOf(listing, index);
    return {
      MediaKey: `${listing.key}-${String(index + 1).padStart(2, '0')}`,
      ResourceName: 'Property',
      ResourceRecordKey: listing.key,
      ResourceRecordID: listing.id,
      MediaURL: `${context.baseUrl}/photos/${listing.key}/${index}.svg`,
      MediaCategory: spelled('MediaCategory', scene.category, spelling),
      Order: index,
      ImageWidth: scene.width,
      ImageHeight: scene.height,
      ShortDescription: scene.caption,
      PreferredPhotoYN: index === 0,
      MediaModificationTimestamp: changed,
      ModificationTimestamp: changed,
      OriginatingSystemName: region.originatingSystem,
    };
  });
}
