// Coordinates in degrees: how a query writes them, and what is said of those that are not valid.

import { faultSentence, Problem } from '../lib/problem.ts';
import type { Point } from './geometry.ts';

/** Every digit that a double has in JavaScript's plain notation: near Greenwich maps send seventeen decimals and more. */
const DECIMAL = /^-?\d{1,9}(?:\.\d{1,22})?$/;

/** Beyond this no longitude is written in degrees by anybody: metres or feet are. */
const FARTHEST_DEGREE = 360;

/** A number as a query writes it, not yet looked at; null for what is none. */
export const degrees = (text: string): number | null => (DECIMAL.test(text.trim()) ? Number(text) : null);

/** Why a point is not on Earth, in words with the remedy; null where it is. `farthest`: for its longitude. */
export function degreesFault({ lng, lat }: Point, farthest = 180): string | null {
  if (Math.max(Math.abs(lng), Math.abs(lat)) > FARTHEST_DEGREE)
    return (
      `[${lng}, ${lat}] is not in degrees; it looks like metres or feet of a projection: send longitude and ` +
      'latitude (WGS 84, EPSG:4326)'
    );
  if (Math.abs(lat) > 90)
    return Math.abs(lng) <= 90
      ? `[${lng}, ${lat}] looks swapped, as latitude ${lat} is beyond 90: longitude comes first`
      : `latitude ${lat} is beyond 90`;
  return Math.abs(lng) > farthest ? `longitude ${lng} is beyond ${farthest}` : null;
}

/** Throws INVALID_GEOMETRY for a point that is not on Earth, or whose longitude is past the farthest. */
export function checkPoint(parameter: string, point: Point, farthest = 180): void {
  const fault = degreesFault(point, farthest);
  if (fault !== null) throw badGeometry(parameter, fault);
}

export function badGeometry(parameter: string, detail: string): Problem {
  return new Problem('INVALID_GEOMETRY', faultSentence(`The parameter ${parameter}`, { detail }), {
    errors: [{ parameter, detail }],
  });
}
