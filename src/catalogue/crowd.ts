// Owns the guess how many active listings lie in boxes, of which PostgreSQL knows nothing: it keeps no statistics of points.

import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/database.ts';
import { type PlaceSample, samplePlaces } from './crowd-store.ts';
import type { Box } from './geometry.ts';
import type { ListingType } from './vocabulary.ts';

/** Rows of the sample: guesses above a few thousandths of all are right to a tenth or so. */
const ROWS = 20_000;
/** Milliseconds after which the sample is drawn anew: where listings lie hardly changes. */
const LIFETIME = 600_000;
/** Milliseconds before it is tried again where it could not be drawn. */
const PAUSE = 10_000;

/** About how many active listings of a type lie in boxes, counted once for each of them; null while that is unknown. */
export type Crowd = (type: ListingType, boxes: readonly Box[]) => number | null;

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

  return (type, boxes) => {
    if (clock.monotonic() >= until) void draw();
    return known && guess(known, type, boxes);
  };
}

function guess({ places, share }: PlaceSample, type: ListingType, boxes: readonly Box[]): number {
  return boxes.reduce((sum, box) => sum + countIn(box, places[type]), 0) / share;
}

/** A plain loop: every search by a shape counts some ten thousand. */
function countIn([minLng, minLat, maxLng, maxLat]: Box, places: Float64Array): number {
  let count = 0;
  for (let at = 0; at < places.length; at += 2) {
    const [lng = 0, lat = 0] = [places[at], places[at + 1]];
    if (lng >= minLng && lng <= maxLng && lat >= minLat && lat <= maxLat) count += 1;
  }
  return count;
}
