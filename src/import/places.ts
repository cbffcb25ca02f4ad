// Places of the homes of a file: where most of them are, and which coordinates are doubtful beside them.

import type { Reservoir } from './reservoir.ts';

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Where half of the homes of a file are, and how far from there one may be. */
export interface Center extends Place {
  readonly maxKm: number;
}

export const PLACE_DOUBTS = ['zero', 'swapped', 'far'] as const;
export type PlaceDoubt = (typeof PLACE_DOUBTS)[number];

/** With fewer homes nothing is said of where they are. */
const MIN_PLACES = 20;
/** Kilometres, and distances of half of the homes. */
const MIN_DISTANCE = 100;
const MAX_SPREAD = 10;
/** Nobody lives beyond. */
const MIN_LATITUDE = -60;
const MAX_LATITUDE = 84;

/** The middle of the places; a third of them may be anywhere without moving it far. Null for too few. */
export function centerOf(places: Reservoir<Place>): Center | null {
  const { items } = places;
  if (items.length < MIN_PLACES) return null;
  const center = {
    lat: median(items.map(({ lat }) => lat)),
    lng: median(items.map(({ lng }) => lng)),
  };
  const spread = median(items.map((place) => kilometresBetween(center, place)));
  return { ...center, maxKm: Math.max(MIN_DISTANCE, MAX_SPREAD * spread) };
}

/** Why a place is doubtful; null where it is not. */
export function placeDoubt(place: Place, center: Center | null): PlaceDoubt | null {
  if (place.lat === 0 && place.lng === 0) return 'zero';
  if (!isFar(place, center)) return null;
  const swapped = { lat: place.lng, lng: place.lat };
  return Math.abs(swapped.lat) <= 90 && !isFar(swapped, center) ? 'swapped' : 'far';
}

function isFar(place: Place, center: Center | null): boolean {
  if (place.lat < MIN_LATITUDE || place.lat > MAX_LATITUDE) return true;
  return center !== null && kilometresBetween(center, place) > center.maxKm;
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[sorted.length >> 1] ?? 0;
}

const RADIANS = Math.PI / 180;
const EARTH_KM = 6_371;

function kilometresBetween(a: Place, b: Place): number {
  const sines =
    Math.sin(((b.lat - a.lat) * RADIANS) / 2) ** 2 +
    Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * Math.sin(((b.lng - a.lng) * RADIANS) / 2) ** 2;
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(sines)));
}
