// The antimeridian: rings that reach past it, and boundaries cut at it as RFC 7946 (3.1.9) requires.

import type { Position } from 'geojson';
import {
  type Boundary,
  doubleArea,
  flattened,
  isSamePosition,
  openRing,
  type Point,
  polygonContains,
  polygonsOf,
  ringBox,
} from './geometry.ts';

/** Whole turns that bring what is drawn past the edge of the map back onto it. */
export const TURNS = [-360, 0, 360] as const;

/** The largest longitude of a ring: maps that repeat sideways write up to a turn. */
export const MAX_LNG = 360;

/**
 * Why a ring is ambiguous, in words with the remedy; null if it is not. Edges are straight in degrees (RFC 7946,
 * section 3.1.1), but by an edge from 179 to -179 some programs mean the short way: an edge over more than half the
 * world is refused, except a whole turn, which has one meaning only.
 */
export function ringFault(ring: readonly Point[]): string | null {
  for (const [at, to] of ring.entries()) {
    const from = ring.at(at - 1) ?? to;
    const span = Math.abs(to.lng - from.lng);
    if (span > 180 && span !== 360) return edgeFault(from.lng, to.lng);
  }
  const [min, max] = lngRange(ring);
  return max - min > 360 ? `spans ${max - min} degrees of longitude; at most 360 are allowed` : null;
}

function edgeFault(from: number, to: number): string {
  const past = to < from ? to + 360 : to - 360;
  return (
    `has an ambiguous edge from longitude ${from} to ${to}: to cross the antimeridian, write ${past} for ` +
    `${to} and so on, or cut the polygon in two there (RFC 7946, section 3.1.9); to go the long way, add a ` +
    'corner in between'
  );
}

function lngRange(ring: readonly Point[]): [min: number, max: number] {
  let [min, max] = [Infinity, -Infinity];
  for (const { lng } of ring) [min, max] = [Math.min(min, lng), Math.max(max, lng)];
  return [min, max];
}

/** The ring at every turn where it meets the map between -180 and 180, edges included: those two meridians are one. */
export function ringsOnMap(ring: readonly Point[]): Point[][] {
  const [min, max] = lngRange(ring);
  return TURNS.filter((turn) => min + turn <= 180 && max + turn >= -180).map((turn) =>
    ring.map(({ lng, lat }) => ({ lng: lng + turn, lat })),
  );
}

/** The longitudes of a point: two on the antimeridian. */
export const sameMeridian = (lng: number): readonly number[] => (Math.abs(lng) === 180 ? [180, -180] : [lng]);

type Ring = readonly Position[];
/** The shell, then its holes. */
type Polygon = readonly Ring[];

const LINE = 180;

/** The boundary cut to between -180 and 180; null if a ring crosses itself at the antimeridian. */
export function cutAtAntimeridian(boundary: Boundary): Boundary | null {
  const polygons = polygonsOf(boundary);
  if (polygons.every((rings) => rings.every((ring) => ring.every(([lng = 0]) => Math.abs(lng) <= LINE))))
    return boundary;
  const cut: Position[][][] = [];
  for (const rings of polygons) {
    const pieces = cutPolygon(rings);
    if (pieces === null) return null;
    cut.push(...pieces.map((piece) => piece.map(closed)));
  }
  const [only] = cut;
  return cut.length === 1 && only
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: cut };
}

function cutPolygon(rings: Polygon): Polygon[] | null {
  const [shell = [], ...holes] = rings.map(openRing);
  const [west, , east] = ringBox(shell);
  const home = -360 * Math.floor((west + LINE) / 360);
  const wound = [
    windTo(shifted(shell, home), 1),
    ...holes.map((hole) => windTo(shifted(hole, home + turnInto(shell, hole)), -1)),
  ];
  if (east + home <= LINE) return [wound];
  const [western, eastern] = [half(wound, -1), half(wound, 1)];
  return (
    western && eastern && [...western, ...eastern.map((piece) => piece.map((ring) => shifted(ring, -360)))]
  );
}

/** Degrees to add to a hole that is written another turn around the Earth than its shell. */
export function turnInto(shell: Ring, hole: Ring): number {
  const [west, , east] = ringBox(shell);
  const [min, , max] = ringBox(hole);
  const fits = (turn: number): boolean => min + turn >= west && max + turn <= east;
  return fits(0) ? 0 : (TURNS.find(fits) ?? 0);
}

/** A part of a ring on one side of the antimeridian; its first and last corners lie on it. */
interface Chain {
  readonly points: readonly Position[];
  readonly entry: number;
  readonly exit: number;
}

/** The pieces on one side: -1 for west of the line, 1 for east. Shells run counterclockwise, holes clockwise. */
function half(rings: Polygon, side: 1 | -1): Polygon[] | null {
  const inside = ([lng = 0]: Position): boolean => (lng - LINE) * side > 0;
  const crossing = rings.filter((ring) => ring.some(inside) && !ring.every(inside));
  const chains = crossing.flatMap((ring) => chainsOf(ring, inside));
  const joints = jointsOf(chains, side);
  if (joints === null) return null;
  const pieces: Ring[][] = joinedRings(chains, joints).map((ring) => [ring]);
  for (const hole of rings.filter((ring) => ring.every(inside))) holder(pieces, hole)?.push(hole);
  return pieces;
}

function chainsOf(ring: Ring, inside: (point: Position) => boolean): Chain[] {
  const start = ring.findIndex((point) => !inside(point));
  const chains: Chain[] = [];
  let points: Position[] = [];
  for (let step = 0; step < ring.length; step++) {
    const [from, to] = [
      ring[(start + step) % ring.length] ?? [],
      ring[(start + step + 1) % ring.length] ?? [],
    ];
    if (inside(from) === inside(to)) {
      if (inside(to)) points.push(to);
      continue;
    }
    const met = meeting(from, to);
    if (inside(to)) points = [met, to];
    else chains.push({ points: [...points, met], entry: points[0]?.[1] ?? 0, exit: met[1] ?? 0 });
  }
  return chains;
}

function meeting([fromLng = 0, fromLat = 0]: Position, [toLng = 0, toLat = 0]: Position): Position {
  if (fromLng === LINE) return [LINE, fromLat];
  if (toLng === LINE) return [LINE, toLat];
  return [LINE, fromLat + ((LINE - fromLng) / (toLng - fromLng)) * (toLat - fromLat)];
}

/**
 * For each chain the one that continues where it ends. From south to north the line is alternately inside and outside,
 * so the sorted ends form pairs: one where a chain leaves the line and one where a chain arrives. Null if they do not
 * alternate, which only happens when rings cross.
 */
function jointsOf(chains: readonly Chain[], side: 1 | -1): Map<number, number> | null {
  const ends = chains
    .flatMap(({ entry, exit }, chain) => [
      { lat: entry, leaves: false, chain },
      { lat: exit, leaves: true, chain },
    ])
    .sort((a, b) => a.lat - b.lat);
  const joints = new Map<number, number>();
  for (let at = 0; at < ends.length; at += 2) {
    // With counterclockwise shells, the southern end of a pair leaves the western half and arrives in the eastern one.
    const south = takeNext(ends, at, side < 0);
    const north = takeNext(ends, at + 1, side > 0);
    if (!south || !north) return null;
    const [from, to] = south.leaves ? [south, north] : [north, south];
    joints.set(from.chain, to.chain);
  }
  return joints;
}

interface End {
  readonly lat: number;
  readonly leaves: boolean;
  readonly chain: number;
}

/** The end at this place; of several at one latitude, the one with the right direction. */
function takeNext(ends: End[], at: number, leaves: boolean): End | null {
  const lat = ends[at]?.lat;
  const found = ends.findIndex((end, place) => place >= at && end.lat === lat && end.leaves === leaves);
  const [end, first] = [ends[found], ends[at]];
  if (!end || !first) return null;
  ends[found] = first;
  ends[at] = end;
  return end;
}

function joinedRings(chains: readonly Chain[], joints: ReadonlyMap<number, number>): Ring[] {
  const [rings, used] = [[] as Ring[], new Set<number>()];
  for (const first of chains.keys()) {
    const ring: Position[] = [];
    for (let chain = first; !used.has(chain); chain = joints.get(chain) ?? first) {
      used.add(chain);
      ring.push(...(chains[chain]?.points ?? []));
    }
    const corners = ring.filter((point, at) => !isSamePosition(point, ring.at(at - 1) ?? []));
    if (corners.length >= 3) rings.push(corners);
  }
  return rings;
}

/** The piece that contains the hole. */
function holder(pieces: Ring[][], hole: Ring): Ring[] | undefined {
  const [lng = 0, lat = 0] = hole[0] ?? [];
  const holds = ([shell = []]: Ring[]): boolean => polygonContains(flattened([shell]), { lng, lat });
  return pieces.length === 1 ? pieces[0] : (pieces.find(holds) ?? pieces[0]);
}

const closed = (ring: Ring): Position[] => [...ring, ...ring.slice(0, 1)];

const shifted = (ring: Ring, turn: number): Ring =>
  turn === 0 ? ring : ring.map(([lng = 0, ...rest]) => [lng + turn, ...rest]);

/** The ring counterclockwise for 1, clockwise for -1. */
const windTo = (ring: Ring, direction: 1 | -1): Ring =>
  doubleArea(ring) * direction < 0 ? ring.toReversed() : ring;
