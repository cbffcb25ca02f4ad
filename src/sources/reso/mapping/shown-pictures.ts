// Pictures of a draft where they are not shown from the servers of its source. Pure.

import type { ListingDraft } from '../../../listings/draft.ts';
import type { MediaMode, PictureLists } from '../../../listings/pictures/own-pictures.ts';
import { FieldReader, isRecord, type UpstreamRecord } from './decode.ts';

/** What a profile says of photos. */
interface MediaRules {
  readonly media: { readonly singleUse: boolean; readonly hotlink: boolean };
}

const ignore = (): null => null;

/** The draft as its pictures are to be shown. `mode` null: not at all; the number of its photos stays. */
export function withMedia(
  draft: ListingDraft,
  record: UpstreamRecord,
  mode: MediaMode | null,
  { media }: MediaRules,
): ListingDraft {
  if (mode === null) return { ...draft, photos: [], floorPlans: [] };
  if (mode === 'link') return draft;
  if (media.singleUse)
    return { ...draft, photos: null, floorPlans: [], media: { mode: 'copy', changedAt: changedAt(record) } };
  const versions = versionsOf(record);
  return { ...draft, media: { mode, ...(Object.keys(versions).length > 0 && { versions }) } };
}

/** The pictures of a record that was requested for them. */
export function requestedPictures(
  draft: ListingDraft,
  record: UpstreamRecord,
): PictureLists & {
  readonly versions: Readonly<Record<string, string>>;
  readonly changedAt: string | null;
} {
  const { photos, floorPlans } = draft;
  return { photos: photos ?? [], floorPlans, versions: versionsOf(record), changedAt: changedAt(record) };
}

const changedAt = (record: UpstreamRecord): string | null =>
  new FieldReader(record, ignore).time('PhotosChangeTimestamp');

/** When each picture changed last, by its key. */
function versionsOf({ Media: media }: UpstreamRecord): Record<string, string> {
  const records = Array.isArray(media) ? media.filter(isRecord) : [];
  return Object.fromEntries(
    records.flatMap((each) => {
      const reader = new FieldReader(each, ignore);
      const [key, at] = [reader.text('MediaKey'), reader.time('MediaModificationTimestamp')];
      return key === null || at === null ? [] : [[key, at] as const];
    }),
  );
}
