// Children of a record: photos, floor plans and tours in their order, and open houses.

import type { OpenHouse, Photo } from '../../../listings/draft.ts';
import { type FieldReader, parsePlaceTime, parseTime } from './decode.ts';
import { displayValue, fold } from './enumerations.ts';

export interface Pictures {
  /** Null: this answer carried no media; keep what is known. */
  readonly photos: readonly Photo[] | null;
  readonly floorPlans: readonly Photo[];
  readonly virtualTourUrl: string | null;
}

const MAX_PICTURES = 500;
const TOURS: readonly string[] = ['unbrandedvirtualtour', 'brandedvirtualtour'];
const IMAGE_TYPES: readonly string[] = ['jpeg', 'jpg', 'png', 'gif', 'tiff', 'webp', 'image'];

interface Medium {
  readonly kind: string;
  readonly stated: number;
  /** The same for all sizes of one picture; null where unknown. */
  readonly object: string | null;
  readonly isThumbnail: boolean;
  readonly picture: Omit<Photo, 'order'>;
}

/** The category folded; without one, an image (or a file of unknown type) is a photo and anything else is nothing. */
function kindOf(medium: FieldReader, category: string | null): string {
  if (category !== null) return fold(category);
  const type = medium.text('MediaType');
  return type === null || IMAGE_TYPES.some((image) => fold(type).includes(image)) ? 'photo' : '';
}

function isShown(medium: FieldReader): boolean {
  if (medium.list('Permission').some((permission) => fold(permission) === 'private')) return false;
  return !fold(medium.text('MediaStatus') ?? '').startsWith('delete');
}

function readMedium(medium: FieldReader, position: number): Medium[] {
  if (!isShown(medium)) return [];
  const url = medium.url('MediaURL');
  if (url === null) return [];
  const category = medium.text('MediaCategory');
  const stated = medium.number('Order') ?? Number.POSITIVE_INFINITY;
  const picture = {
    id: medium.text('MediaKey') ?? medium.text('MediaObjectID') ?? String(position),
    url,
    thumbnailUrl: null,
    width: medium.count('ImageWidth'),
    height: medium.count('ImageHeight'),
    caption: medium.text('ShortDescription') ?? medium.text('LongDescription'),
    category: category === null ? null : displayValue('MediaCategory', category),
  };
  const isThumbnail = fold(medium.text('ImageSizeDescription') ?? '') === 'thumbnail';
  return [
    { kind: kindOf(medium, category), stated, object: medium.text('MediaObjectID'), isThumbnail, picture },
  ];
}

/** Servers count from 0 or from 1 and leave gaps: the stated order decides, and ours starts at 0. */
function inOrder(media: readonly Medium[], kind: string): Photo[] {
  const own = media.filter((medium) => medium.kind === kind);
  const thumbnails = new Map(
    own.flatMap(({ isThumbnail, object, picture }) =>
      isThumbnail && object !== null ? [[object, picture.url]] : [],
    ),
  );
  const whole = new Set(own.flatMap(({ isThumbnail, object }) => (isThumbnail ? [] : (object ?? []))));
  const byId = new Map<string, Medium>();
  for (const medium of own) {
    // The small one of a picture that is there in full is no picture of its own.
    if (medium.isThumbnail && whole.has(medium.object ?? '')) continue;
    if (!byId.has(medium.picture.id)) byId.set(medium.picture.id, medium);
  }
  const sorted = [...byId.values()].sort((a, b) => (a.stated === b.stated ? 0 : a.stated - b.stated));
  return sorted.slice(0, MAX_PICTURES).map(({ picture, object }, order) => ({
    ...picture,
    thumbnailUrl: (object === null ? undefined : thumbnails.get(object)) ?? null,
    order,
  }));
}

function tourAmong(media: readonly Medium[]): string | null {
  const tours = TOURS.flatMap((tour) => media.find(({ kind }) => kind === tour)?.picture.url ?? []);
  return tours[0] ?? null;
}

/** Reads the expanded media. An empty list beside a count of photos is a server's cap, not the photos' end. */
export function pictures(record: FieldReader): Pictures {
  const children = record.children('Media');
  const media = (children ?? []).flatMap(readMedium);
  const unbelievable = children?.length === 0 && (record.count('PhotosCount') ?? 0) > 0;
  return {
    photos: children === null || unbelievable ? null : inOrder(media, 'photo'),
    floorPlans: inOrder(media, 'floorplan'),
    virtualTourUrl:
      record.url('VirtualTourURLUnbranded') ?? record.url('VirtualTourURLBranded') ?? tourAmong(media),
  };
}

const CLOCK = /^\d{2}:\d{2}(:\d{2})?$/;

/** Some servers send the times of day beside the date; those without a zone may be of the clocks at the place. */
function momentOf(house: FieldReader, field: string): string | null {
  const stated = house.text(field);
  const date = house.date('OpenHouseDate');
  if (stated === null) return null;
  const text = date !== null && CLOCK.test(stated) ? `${date}T${stated}` : stated;
  const moment = house.timeZone === null ? parsePlaceTime(text) : parseTime(text, house.timeZone);
  return moment ?? house.unreadable(field);
}

function readOpenHouse(house: FieldReader): OpenHouse[] {
  const startsAt = momentOf(house, 'OpenHouseStartTime');
  if (startsAt === null) return [];
  const type = house.text('OpenHouseType');
  const status = house.text('OpenHouseStatus');
  return [
    {
      id: house.text('OpenHouseKey') ?? house.text('OpenHouseId') ?? startsAt,
      startsAt,
      endsAt: momentOf(house, 'OpenHouseEndTime'),
      type: type === null ? null : displayValue('OpenHouseType', type),
      status: status === null ? null : displayValue('OpenHouseStatus', status),
      remarks: house.text('OpenHouseRemarks'),
      livestreamUrl: house.url('LivestreamOpenHouseURL'),
      appointmentRequired: house.flag('AppointmentRequiredYN'),
    },
  ];
}

/** By start, those without a start left out; null when the source did not send them. */
export function openHouses(record: FieldReader): OpenHouse[] | null {
  const children = record.children('OpenHouse', 'OpenHouses');
  if (children === null) return null;
  const byId = new Map(children.flatMap(readOpenHouse).map((house) => [house.id, house]));
  return [...byId.values()].sort((a, b) => (a.startsAt < b.startsAt ? -1 : a.startsAt > b.startsAt ? 1 : 0));
}
