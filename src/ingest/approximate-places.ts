// Places of drafts that have an address and no coordinates: as a geocoder answered, in the middle of an area, or of a town.

import type { AreaMiddle, Placement } from '../areas/placement.ts';
import { type Gazetteer, gazetteer } from '../gazetteer/gazetteer.ts';
import { distanceKm } from '../geometry/geometry.ts';
import { roundTo } from '../lib/round.ts';
import type { DraftAddress, DraftLocation, ListingDraft } from '../listings/draft.ts';
import type { StoredRecord } from '../listings/stored-record.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { findGeocoded, type GeocodedPlace } from './geocoded-address-store.ts';
import { geocodingKey } from './geocoding-key.ts';

/** How a draft came to its place; `none`: it has no place. */
export const PLACE_WAYS = ['provided', 'geocoder', 'area', 'gazetteer', 'none'] as const;
export type PlaceCounts = Readonly<Record<(typeof PLACE_WAYS)[number], number>>;

export interface PlaceFinder {
  /** The draft with a place, where it states none and one is known for its address. */
  locate(draft: ListingDraft): ListingDraft;
  /** Over all drafts that were located. */
  counts(): PlaceCounts;
}

/** For drafts whose places stay as they are. */
export const STATED_PLACES: PlaceFinder = {
  locate: (draft) => draft,
  counts: () => ({ provided: 0, area: 0, gazetteer: 0, geocoder: 0, none: 0 }),
};

/** Kilometres between the middle of an area and the town of the address; further away it is another area of that name. */
const MAX_AREA_KM = 100;
/** Six decimals of a degree: a tenth of a metre. */
const DECIMALS = 6;

/** Finds the places of these drafts by the areas as they are. The gazetteer is read when a draft needs it. */
export async function loadPlaceFinder(
  tx: Transaction,
  drafts: Iterable<Pick<ListingDraft, 'location' | 'address'>>,
  areas: Placement,
): Promise<PlaceFinder> {
  const addresses = [...drafts].flatMap(({ location, address }) =>
    location === null && hasNames(address) ? [address] : [],
  );
  const known =
    addresses.length === 0
      ? null
      : new KnownPlaces(areas, await gazetteer(), await findAnswers(tx, addresses));
  const counts = { provided: 0, area: 0, gazetteer: 0, geocoder: 0, none: 0 };
  return {
    locate(draft) {
      const location = draft.location ?? known?.find(draft.address) ?? null;
      counts[location === null ? 'none' : (location.source ?? 'provided')]++;
      return location === draft.location ? draft : { ...draft, location };
    },
    counts: () => counts,
  };
}

const hasNames = ({ full, city, postalCode, neighborhood }: DraftAddress): boolean =>
  [full, city, postalCode, neighborhood].some((name) => name !== null);

async function findAnswers(
  tx: Transaction,
  addresses: readonly DraftAddress[],
): Promise<ReadonlyMap<string, GeocodedPlace>> {
  const keys = new Set(addresses.flatMap((address) => geocodingKey(address) ?? []));
  return keys.size === 0 ? new Map() : findGeocoded(tx, [...keys]);
}

class KnownPlaces {
  readonly #areas: Placement;
  readonly #gazetteer: Gazetteer;
  readonly #answers: ReadonlyMap<string, GeocodedPlace>;

  constructor(areas: Placement, towns: Gazetteer, answers: ReadonlyMap<string, GeocodedPlace>) {
    this.#areas = areas;
    this.#gazetteer = towns;
    this.#answers = answers;
  }

  find(address: DraftAddress): DraftLocation | null {
    const key = this.#answers.size === 0 ? null : geocodingKey(address);
    const answer = key === null ? undefined : this.#answers.get(key);
    if (answer) return { ...answer, source: 'geocoder' };
    return approximatePlace(this.#areas.middle(address), this.#gazetteer.find(address));
  }
}

/** The closer of both; where they are of one kind, the operator's own area. */
function approximatePlace(
  area: AreaMiddle | null,
  town: ReturnType<Gazetteer['find']>,
): DraftLocation | null {
  const middle = area && (town === null || distanceKm(area, town) <= MAX_AREA_KM) ? area : null;
  if (town && (middle === null || (middle.type === 'city' && town.by === 'postal_code')))
    return approximate(town, 'gazetteer');
  return middle && approximate(middle, 'area');
}

const approximate = (
  { lat, lng }: { readonly lat: number; readonly lng: number },
  source: 'area' | 'gazetteer',
): DraftLocation => ({
  lat: roundTo(lat, DECIMALS),
  lng: roundTo(lng, DECIMALS),
  precision: 'approximate',
  source,
});

/** Whether a listing is stored at the place that its draft was given; one that its source states is part of the digest. */
export function isSamePlace(
  draft: Pick<ListingDraft, 'location'>,
  stated: Pick<ListingDraft, 'location'>,
  { location: before }: Pick<StoredRecord, 'location'>,
): boolean {
  if (stated.location !== null) return true;
  return isSameLocation(draft.location, before);
}

export function isSameLocation(one: DraftLocation | null, other: DraftLocation | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.lat === other.lat &&
    one.lng === other.lng &&
    one.precision === other.precision &&
    one.source === other.source
  );
}
