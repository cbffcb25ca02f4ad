// Owns the guess how many active listings lie in shapes, of which PostgreSQL knows nothing: it keeps no statistics of points.

import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/database.ts';
import { type PlaceSample, samplePlaces } from './crowd-store.ts';
import { type Box, distanceKm, flattened, type Point, polygonContains } from './geometry.ts';
import type { Shape } from './spatial.ts';
import type { ListingType } from './vocabulary.ts';

/** Rows of the sample: guesses above a few thousandths of all are right to a tenth or so. */
const ROWS = 20_000;
/** Places that are held against the edges of circles and polygons. */
const MOST_TESTED = 400;
/** Milliseconds after which the sample is drawn anew: where listings lie hardly changes. */
const LIFETIME = 600_000;
/** Milliseconds before it is tried again where it could not be drawn. */
const PAUSE = 10_000;

/** What is known of how many active listings lie in shapes. */
export interface Crowding {
  /** About how many. */
  readonly listings: number;
  /** Which share that is of all active listings of their type, from 0 to 1. */
  readonly share: number;
}

/** About how many active listings of a type lie in all of these shapes; null while that is unknown. */
export type Crowd = (type: ListingType, shapes: readonly Shape[]) => Crowding | null;

/** Draws the sample once it is asked for. Nobody waits for it: until it is there, and where it fails, nothing is known. */
export function createCrowd(database: Database, clock: Clock): Crowd {
  let known: PlaceSample | null = null;
  let until = Number.NEGATIVE_INFINITY;

  async function draw(): Promise<void> {
    until = clock.monotonic() + LIFETIME;
    try {
      known = await samplePlaces(database, ROWS);
    } catch {
      // Nobody misses a guess; where the database is away, the search itself says so.
      until = clock.monotonic() + PAUSE;
    }
  }

  return (type, shapes) => {
    if (clock.monotonic() >= until) void draw();
    return known && guess(known, type, shapes);
  };
}

function guess({ places, shown, share }: PlaceSample, type: ListingType, shapes: readonly Shape[]): Crowding {
  const near = placesIn(
    shapes.map(({ boxes }) => boxes),
    places[type],
  );
  const inside = near.length * shareWithin(shapes, near);
  return { listings: inside / share, share: inside / Math.max(1, shown[type]) };
}

/** A plain loop: every search by a shape looks at some ten thousand. */
function placesIn(shapes: readonly (readonly Box[])[], places: Float64Array): Point[] {
  const found: Point[] = [];
  for (let at = 0; at < places.length; at += 2) {
    const [lng = 0, lat = 0] = [places[at], places[at + 1]];
    if (shapes.every((boxes) => isInBoxes(boxes, lng, lat))) found.push({ lng, lat });
  }
  return found;
}

function isInBoxes(boxes: readonly Box[], lng: number, lat: number): boolean {
  for (const [west, south, east, north] of boxes) {
    if (lng >= west && lng <= east && lat >= south && lat <= north) return true;
  }
  return false;
}

/** The share of what is in the boxes of circles and polygons that is in themselves, out of a few places. */
function shareWithin(shapes: readonly Shape[], near: readonly Point[]): number {
  const contains = shapes.flatMap((shape) => containsOf(shape) ?? []);
  if (contains.length === 0 || near.length === 0) return 1;
  const step = Math.ceil(near.length / MOST_TESTED);
  const tested = near.filter((_, at) => at % step === 0);
  return tested.filter((place) => contains.every((isWithin) => isWithin(place))).length / tested.length;
}

/** Null where the boxes are all there is to it. */
function containsOf(shape: Shape): ((place: Point) => boolean) | null {
  if (shape.kind === 'boxes') return null;
  if (shape.kind === 'circle') return (place) => distanceKm(shape.centre, place) <= shape.km;
  const parts = shape.parts.map(({ shell, holes }) =>
    flattened([shell, ...holes].map((ring) => ring.map(toPosition))),
  );
  return (place) => parts.some((part) => polygonContains(part, place));
}

const toPosition = ({ lng, lat }: Point): [number, number] => [lng, lat];
