// Rings that reach past the meridian of 180 degrees: which are understood, and where else on the map they lie.

import type { Point } from './geometry.ts';

/** Whole turns by which what is drawn past the edge of the map lies on it. */
export const TURNS = [-360, 0, 360] as const;

/** As far past the edge of the map as a ring may be drawn: maps that go on sideways write up to a turn. */
export const FARTHEST_LNG = 360;

/**
 * Why a ring cannot be told from one that goes round the other way, in words with the remedy; null when it can.
 * Edges are straight in degrees (RFC 7946, section 3.1.1). Some programs mean the short way by an edge from 179 to -179,
 * others the long one: so an edge over more than half the world is refused, but for the whole turn, which has one
 * meaning only.
 */
export function ringFault(ring: readonly Point[]): string | null {
  for (const [at, to] of ring.entries()) {
    const from = ring.at(at - 1) ?? to;
    const span = Math.abs(to.lng - from.lng);
    if (span > 180 && span !== 360) return edgeFault(from.lng, to.lng);
  }
  const { least, most } = lngsOf(ring);
  return most - least > 360 ? `spans ${most - least} degrees of longitude; at most 360 are allowed` : null;
}

function edgeFault(from: number, to: number): string {
  const past = to < from ? to + 360 : to - 360;
  return (
    `has an ambiguous edge from longitude ${from} to ${to}: to cross the antimeridian, write ${past} for ` +
    `${to} and so on, or cut the polygon in two there (RFC 7946, section 3.1.9); to go the long way, add a ` +
    'corner in between'
  );
}

export function lngsOf(ring: readonly Point[]): { readonly least: number; readonly most: number } {
  let [least, most] = [Infinity, -Infinity];
  for (const { lng } of ring) [least, most] = [Math.min(least, lng), Math.max(most, lng)];
  return { least, most };
}

/**
 * The ring at every place where it meets the map between -180 and 180, its edges included: the two meridians there are
 * one, so that what ends at one of them begins at the other.
 */
export function ringsOnMap(ring: readonly Point[]): Point[][] {
  const { least, most } = lngsOf(ring);
  return TURNS.filter((turn) => least + turn <= 180 && most + turn >= -180).map((turn) =>
    ring.map(({ lng, lat }) => ({ lng: lng + turn, lat })),
  );
}

/** The longitudes by which a point may be written: two on the antimeridian. */
export const sameMeridian = (lng: number): readonly number[] => (Math.abs(lng) === 180 ? [180, -180] : [lng]);
