// Borders of areas as paths in which each line stands once: the coast, lines between cities, lines between neighbourhoods.

/** Rings in whole pixels: x, y, x, y … without a repeated end. */
export type PixelRings = readonly (readonly number[])[];

export interface LeveledRings {
  readonly rings: PixelRings;
  /** Whether its area lies in no other one that is drawn. */
  readonly isRoot: boolean;
  /** Whether its border is a line between cities, or coarser. */
  readonly isMajor: boolean;
}

export interface Borders {
  /** All land: to be filled by the rule `nonzero`. */
  readonly land: string;
  readonly major: string;
  readonly minor: string;
}

/** Points as one number: maps are not larger than this many pixels each way, margins included. */
const SPAN = 32_768;
const pointKey = (x: number, y: number): number => (x + SPAN / 2) * SPAN + (y + SPAN / 2);
const xOf = (point: number): number => Math.floor(point / SPAN) - SPAN / 2;
const yOf = (point: number): number => (point % SPAN) - SPAN / 2;

type Line = readonly [from: number, to: number];

/** The same for both directions. */
const key = ([from, to]: Line): string => (from < to ? `${from} ${to}` : `${to} ${from}`);

/** The borders of areas that have been rounded to pixels. Lines that two areas run along in opposite directions are inside the land. */
export function bordersOf(areas: readonly LeveledRings[]): Borders {
  const land = outerLines(areas.filter(({ isRoot }) => isRoot).flatMap(({ rings }) => rings));
  const drawn = new Set(land.map(key));
  const take = (rings: PixelRings): Line[] => {
    const fresh: Line[] = [];
    for (const line of rings.flatMap(linesOf)) {
      if (drawn.has(key(line))) continue;
      drawn.add(key(line));
      fresh.push(line);
    }
    return fresh;
  };
  const major = take(areas.filter(({ isMajor }) => isMajor).flatMap(({ rings }) => rings));
  const minor = take(areas.filter(({ isMajor }) => !isMajor).flatMap(({ rings }) => rings));
  return { land: pathOf(land, true), major: pathOf(major, false), minor: pathOf(minor, false) };
}

/** One path around some areas, without the lines between them. */
export const pathAround = (rings: PixelRings): string => pathOf(outerLines(rings), true);

function linesOf(ring: readonly number[]): Line[] {
  const lines: Line[] = [];
  let from = pointKey(ring.at(-2) ?? 0, ring.at(-1) ?? 0);
  for (let at = 0; at < ring.length; at += 2) {
    const to = pointKey(ring[at] ?? 0, ring[at + 1] ?? 0);
    if (from !== to) lines.push([from, to]);
    from = to;
  }
  return lines;
}

/**
 * Directed lines without those that run in both directions. What is left has the number of areas around a point as its winding
 * number, so the rule `nonzero` fills exactly what any area covers, also where areas overlap.
 */
function outerLines(rings: PixelRings): Line[] {
  const open = new Map<string, Line[]>();
  for (const line of rings.flatMap(linesOf)) {
    const same = open.get(key(line));
    if (same === undefined) open.set(key(line), [line]);
    else if (same.length > 0 && same[0]?.[0] === line[1]) same.pop();
    else same.push(line);
  }
  return [...open.values()].flat();
}

/** Lines joined end to end, as relative moves. A path of rings closes each of them. */
function pathOf(lines: readonly Line[], closes: boolean): string {
  const next = new Map<number, number[]>();
  for (const [from, to] of lines) {
    const ends = next.get(from);
    if (ends === undefined) next.set(from, [to]);
    else ends.push(to);
  }
  const chains: number[][] = [];
  for (const [start] of startsFirst(lines)) {
    const chain = [start];
    for (let at = next.get(start)?.pop(); at !== undefined; at = next.get(at)?.pop()) chain.push(at);
    if (chain.length > 1) chains.push(chain);
  }
  return chains.map((chain) => chainText(chain, closes)).join('');
}

/** Lines at which no other one ends come first, so that chains are as long as they can be. */
function startsFirst(lines: readonly Line[]): readonly Line[] {
  const ends = new Set(lines.map(([, to]) => to));
  return [...lines.filter(([from]) => !ends.has(from)), ...lines];
}

function chainText(chain: readonly number[], closes: boolean): string {
  const corners = withoutStraightOnes(chain);
  const isRing = closes && corners[0] === corners.at(-1);
  let [x, y] = [xOf(corners[0] ?? 0), yOf(corners[0] ?? 0)];
  let text = `M${x} ${y}l`;
  const moves: string[] = [];
  for (const corner of isRing ? corners.slice(1, -1) : corners.slice(1)) {
    const [toX, toY] = [xOf(corner), yOf(corner)];
    moves.push(`${toX - x}${toY < y ? '' : ' '}${toY - y}`);
    [x, y] = [toX, toY];
  }
  for (const [at, move] of moves.entries()) text += at === 0 || move.startsWith('-') ? move : ` ${move}`;
  return isRing ? `${text}z` : text;
}

/** A chain without corners at which it does not turn. */
function withoutStraightOnes(chain: readonly number[]): readonly number[] {
  return chain.filter((corner, at) => {
    const [before, behind] = [chain[at - 1], chain[at + 1]];
    if (before === undefined || behind === undefined) return true;
    const [dx, dy] = [xOf(corner) - xOf(before), yOf(corner) - yOf(before)];
    const [ex, ey] = [xOf(behind) - xOf(corner), yOf(behind) - yOf(corner)];
    return dx * ey !== dy * ex || dx * ex + dy * ey < 0;
  });
}
