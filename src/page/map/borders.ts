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

/** Work in steps, between which the event loop can do other work. */
export type LandSteps<T> = Generator<undefined, T>;

/** Does all steps at once. */
export function finish<T>(steps: LandSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Lines of one step. */
const LINES = 256;
/** More than a map has different points. */
const POINTS = 2 ** 26;

/** Numbers of lines, the same for both directions. */
class LineKeys {
  readonly #points = new Map<number, number>();

  of([from, to]: Line): number {
    const [one, other] = [this.#numberOf(from), this.#numberOf(to)];
    return one < other ? one * POINTS + other : other * POINTS + one;
  }

  #numberOf(point: number): number {
    const known = this.#points.get(point) ?? this.#points.size;
    if (known === this.#points.size) this.#points.set(point, known);
    return known;
  }
}

/** The borders of areas that have been rounded to pixels. Lines that two areas run along in opposite directions are inside the land. */
export const bordersOf = (areas: readonly LeveledRings[]): Borders => finish(borderSteps(areas));

/** The same in steps. */
export function* borderSteps(areas: readonly LeveledRings[]): LandSteps<Borders> {
  const keys = new LineKeys();
  const land = yield* outerLines(
    areas.filter(({ isRoot }) => isRoot).flatMap(({ rings }) => rings),
    keys,
  );
  const drawn = new Set(land.map((line) => keys.of(line)));
  yield;
  const fresh: Record<'major' | 'minor', Line[]> = { major: [], minor: [] };
  for (const kind of ['major', 'minor'] as const)
    for (const { rings, isMajor } of areas) {
      if (isMajor !== (kind === 'major')) continue;
      for (const ring of rings) {
        for (const line of linesOf(ring)) {
          const key = keys.of(line);
          if (drawn.has(key)) continue;
          drawn.add(key);
          fresh[kind].push(line);
        }
        yield;
      }
    }
  return {
    land: yield* pathOf(land, true),
    major: yield* pathOf(fresh.major, false),
    minor: yield* pathOf(fresh.minor, false),
  };
}

/** One path around some areas, without the lines between them. */
export const pathAround = (rings: PixelRings): string => finish(pathSteps(rings));

/** The same in steps. */
export function* pathSteps(rings: PixelRings): LandSteps<string> {
  return yield* pathOf(yield* outerLines(rings, new LineKeys()), true);
}

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
function* outerLines(rings: PixelRings, keys: LineKeys): LandSteps<Line[]> {
  const open = new Map<number, Line[]>();
  for (const ring of rings) {
    for (const [at, line] of linesOf(ring).entries()) {
      if (at % LINES === LINES - 1) yield;
      const key = keys.of(line);
      const same = open.get(key);
      if (same === undefined) open.set(key, [line]);
      else if (same.length > 0 && same[0]?.[0] === line[1]) same.pop();
      else same.push(line);
    }
    yield;
  }
  return [...open.values()].flat();
}

/** Lines joined end to end, as relative moves. A path of rings closes each of them. */
function* pathOf(lines: readonly Line[], closes: boolean): LandSteps<string> {
  const next = new Map<number, number[]>();
  for (const [at, [from, to]] of lines.entries()) {
    if (at % LINES === LINES - 1) yield;
    const ends = next.get(from);
    if (ends === undefined) next.set(from, [to]);
    else ends.push(to);
  }
  let text = '';
  for (const [at, [start]] of startsFirst(lines).entries()) {
    if (at % LINES === LINES - 1) yield;
    const chain = [start];
    for (let to = next.get(start)?.pop(); to !== undefined; to = next.get(to)?.pop()) chain.push(to);
    if (chain.length > 1) {
      text += chainText(chain, closes);
      yield;
    }
  }
  return text;
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
