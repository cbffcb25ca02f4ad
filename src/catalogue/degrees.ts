// Owns coordinates in a query: how they are written in degrees, and what is said of those that cannot be.

import { Problem } from '../lib/problem.ts';
import type { Point } from './geometry.ts';

/** Every digit that a double has in JavaScript's plain notation: near Greenwich maps send seventeen decimals and more. */
const DECIMAL = /^-?\d{1,3}(?:\.\d{1,22})?$/;

/** Degrees as a number; null for what is none. */
export const degrees = (text: string): number | null => (DECIMAL.test(text.trim()) ? Number(text) : null);

/** Throws INVALID_GEOMETRY for a point that is not on Earth, or whose longitude is past the farthest. */
export function checkPoint(parameter: string, { lng, lat }: Point, farthest = 180): void {
  if (Math.abs(lat) > 90) throw badGeometry(parameter, `latitude ${lat} is beyond 90: longitude comes first`);
  if (Math.abs(lng) > farthest) throw badGeometry(parameter, `longitude ${lng} is beyond ${farthest}`);
}

export function badGeometry(parameter: string, detail: string): Problem {
  return new Problem('INVALID_GEOMETRY', `${parameter}: ${detail}`, { errors: [{ parameter, detail }] });
}
