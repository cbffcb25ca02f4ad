// Estimate of how many active listings lie in shapes: PostgreSQL keeps no statistics of points.

import Flatbush from 'flatbush';
import { type Box, distanceKm, flattened, type Point, polygonContains } from '../../geometry/geometry.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { ShapeEstimate } from '../query/plan.ts';
import type { Shape } from '../query/shapes.ts';
import { type SampledPlaces, samplePlaces } from './crowd-store.ts';

/** Rows of the sample: guesses above a few thousandths of all are right to a tenth or so. */
const ROWS = 20_000;
/** Places that are held against the edges of circles and polygons. */
const MOST_TESTED = 400;
/** Milliseconds after which the sample is drawn anew: where listings lie hardly changes. */
const LIFETIME = 600_000;
/** Milliseconds before it is tried again where it could not be drawn. */
const PAUSE = 10_000;

/** About how many active listings of a type lie in all of these shapes; null while that is unknown. */
export type Crowd = (type: ListingType, shapes: readonly Shape[]) => ShapeEstimate | null;

/** Draws the sample once it is asked for. Nobody waits for it: until it is there, and where it fails, nothing is known. */
export function createCrowd(database: Database, clock: Clock): Crowd {
  let known: Readonly<Record<ListingType, Sample>> | null = null;
  let until = Number.NEGATIVE_INFINITY;

  async function draw(): Promise<void> {
    until = clock.monotonic() + LIFETIME;
    try {
      const { sale, rental, share } = await samplePlaces(database, ROWS);
      known = { sale: new Sample(sale, share), rental: new Sample(rental, share) };
    } catch {
      // Nobody misses a guess; where the database is away, the search itself says so.
      until = clock.monotonic() + PAUSE;
    }
  }

  return (type, shapes) => {
    if (clock.monotonic() >= until) void draw();
    return known?.[type].guess(shapes) ?? null;
  };
}

/** The sampled listings of one type. */
class Sample {
  readonly #sampled: SampledPlaces;
  readonly #share: number;
  readonly #index: Flatbush | null;

  constructor(sampled: SampledPlaces, share: number) {
    const { places } = sampled;
    this.#sampled = sampled;
    this.#share = share;
    this.#index = places.length === 0 ? null : new Flatbush(places.length);
    for (const { lng, lat } of places) this.#index?.add(lng, lat);
    this.#index?.finish();
  }

  guess(shapes: readonly Shape[]): ShapeEstimate {
    const near = this.#near(shapes);
    const inside = near.length * this.#shareWithin(shapes, near);
    return { listings: inside / this.#share, share: inside / Math.max(1, this.#sampled.listings) };
  }

  /** Numbers of the places in the boxes of all shapes. */
  #near(shapes: readonly Shape[]): number[] {
    const [first = [], ...others] = shapes.map(({ boxes }) => this.#within(boxes));
    if (others.length === 0) return first;
    const sets = others.map((other) => new Set(other));
    return first.filter((at) => sets.every((set) => set.has(at)));
  }

  #within(boxes: readonly Box[]): number[] {
    const found = boxes.map((box) => this.#index?.search(...box) ?? []);
    return found.length === 1 ? (found[0] ?? []) : [...new Set(found.flat())];
  }

  /** The share of what is in the boxes of circles and polygons that is in themselves, out of a few places. */
  #shareWithin(shapes: readonly Shape[], near: readonly number[]): number {
    const contains = shapes.flatMap((shape) => containsOf(shape) ?? []);
    if (contains.length === 0 || near.length === 0) return 1;
    const step = Math.ceil(near.length / MOST_TESTED);
    const tested = near
      .filter((_, place) => place % step === 0)
      .flatMap((at) => this.#sampled.places[at] ?? []);
    return tested.filter((place) => contains.every((isWithin) => isWithin(place))).length / tested.length;
  }
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
