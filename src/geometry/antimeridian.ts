// The antimeridian: rings that reach past it, and boundaries cut at it as RFC 7946 (3.1.9) requires.

import type { Position } from 'geojson';
import { type Boundary, boxOf, flattened, type Point, polygonContains, polygonsOf } from './geometry.ts';

/** Whole turns by which what is drawn past the edge of the map lies on it. */
export const TURNS = [-360, 0, 360] as const;

/** As far past the edge of the map as a ring may be drawn: maps that go on sideways write up to a turn. */
export const MAX_LNG = 360;

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

type Ring = readonly Position[];
/** The shell, then its holes. */
type Polygon = readonly Ring[];

const LINE = 180;

/** The boundary between -180 and 180; itself where it lies there. Null where a ring crosses itself at the antimeridian. */
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
  const [shell = [], ...holes] = rings.map(opened);
  const { least, most } = extent(shell);
  const home = -360 * Math.floor((least + LINE) / 360);
  const [moved, range] = [shifted(shell, home), { least: least + home, most: most + home }];
  const oriented = [turned(moved, 1), ...holes.map((hole) => turned(intoRange(hole, range, home), -1))];
  if (range.most <= LINE) return [oriented];
  const [west, east] = [half(oriented, -1), half(oriented, 1)];
  return west && east && [...west, ...east.map((piece) => piece.map((ring) => shifted(ring, -360)))];
}

/** A hole may be written by another turn than its shell. */
function intoRange(hole: Ring, range: { least: number; most: number }, home: number): Ring {
  const { least, most } = extent(hole);
  const turn = TURNS.map((each) => each + home).find(
    (each) => least + each >= range.least && most + each <= range.most,
  );
  return shifted(hole, turn ?? home);
}

/** A stretch of a ring on one side of the line; its first and last corners lie on the line. */
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
 * For each chain the one that goes on where it ends. From south to north the line is by turns inside and outside: of
 * the ends in order each pair belongs together, one where a chain leaves and one where a chain comes. Null where they
 * do not take turns, which only rings that cross do.
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
    // With the shell counterclockwise, the southern end of a stretch on the line leaves the west and comes to the east.
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

/** The end at this place; of several at one latitude, the one that is next by turns. */
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
    const corners = ring.filter((point, at) => !samePlace(point, ring.at(at - 1)));
    if (corners.length >= 3) rings.push(corners);
  }
  return rings;
}

/** The piece that a hole lies in. */
function holder(pieces: Ring[][], hole: Ring): Ring[] | undefined {
  const [lng = 0, lat = 0] = hole[0] ?? [];
  const holds = ([shell = []]: Ring[]): boolean => polygonContains(flattened([shell]), { lng, lat });
  return pieces.length === 1 ? pieces[0] : (pieces.find(holds) ?? pieces[0]);
}

const samePlace = (a: Position, b: Position | undefined): boolean => a[0] === b?.[0] && a[1] === b?.[1];

const opened = (ring: Ring): Ring => (samePlace(ring[0] ?? [], ring.at(-1)) ? ring.slice(0, -1) : ring);

const closed = (ring: Ring): Position[] => [...ring, ...ring.slice(0, 1)];

const shifted = (ring: Ring, turn: number): Ring =>
  turn === 0 ? ring : ring.map(([lng = 0, ...rest]) => [lng + turn, ...rest]);

const extent = (ring: Ring): { least: number; most: number } => {
  const [least, , most] = boxOf(flattened([ring])[0] ?? new Float64Array());
  return { least, most };
};

/** The ring counterclockwise for 1, clockwise for -1. */
function turned(ring: Ring, way: 1 | -1): Ring {
  let twice = 0;
  let [beforeX = 0, beforeY = 0] = ring.at(-1) ?? [];
  for (const [x = 0, y = 0] of ring) {
    twice += beforeX * y - x * beforeY;
    [beforeX, beforeY] = [x, y];
  }
  return twice * way < 0 ? ring.toReversed() : ring;
}
