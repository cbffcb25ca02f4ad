// Outlines of areas for maps: read, simplified for a zoom, and cached until an area changes.

import { LRUCache } from 'lru-cache';
import type { Box } from '../../geometry/geometry.ts';
import { splitAtAntimeridian } from '../../geometry/geometry.ts';
import { eventLoop } from '../../lib/scheduler.ts';
import { SingleFlight } from '../../lib/single-flight.ts';
import type { AreaType } from '../../listings/vocabulary.ts';
import type { Outline } from '../../page/map/drawing.ts';
import { type MapBox, project, unproject, unwrapped, worldSize, zoomFor } from '../../page/map/mercator.ts';
import type { Database } from '../../postgres/client/database.ts';
import { findBoundaries } from '../read-store.ts';
import { findAreaVersion } from '../write-store.ts';
import { onGrid, outlinesOf, type Region } from './draw-outlines.ts';
import { findMapExtent, findMappedAreas, type MapExtent, type MappedArea } from './outline-store.ts';

/** Types whose borders a map shows by itself, the coarsest first; others, such as postal codes, only where they are chosen. */
const TYPES: readonly AreaType[] = ['country', 'state', 'county', 'city', 'borough', 'neighborhood'];
/** Pixels across from which an area is shown. */
const SMALLEST = 18;
/** Areas of one answer: the largest. */
const MAX_AREAS = 4_000;
/** Boundaries per read. */
const BATCH = 20;
/** Numbers in cached outlines: about 32 MB. */
const MAX_NUMBERS = 4_000_000;
const MAX_ZOOM = 17;
/** Pixels of the cells that regions are made of, so that views beside each other share one. */
const CELL = 1024;
const MAX_CELLS = 8;

export interface OutlineAnswer {
  /** Changes whenever an area does. */
  readonly version: number;
  readonly ground: 'water' | 'paper';
  readonly outlines: readonly Outline[];
}

export interface Outlines {
  /** The version that answers now have. */
  version(): Promise<number>;
  /** Outlines around a box at a zoom; without either, of everything there is. Areas named by `ids` are there at any zoom. */
  in(box: MapBox | null, zoom: number | null, ids?: readonly string[]): Promise<OutlineAnswer>;
}

export function createOutlines(database: Database): Outlines {
  const answers = new LRUCache<string, OutlineAnswer>({
    maxSize: MAX_NUMBERS,
    sizeCalculation: ({ outlines }) =>
      1 + outlines.reduce((sum, { rings }) => sum + rings.reduce((all, ring) => all + ring.length, 8), 0),
  });
  const extents = new LRUCache<number, MapExtent>({ max: 1 });
  const flights = new SingleFlight<OutlineAnswer>();
  const version = () => database.read((sql) => findAreaVersion(sql));

  async function extentAt(now: number): Promise<MapExtent> {
    const known = extents.get(now);
    if (known !== undefined) return known;
    const extent = await database.read((sql) => findMapExtent(sql));
    extents.set(now, extent);
    return extent;
  }

  return {
    version,
    async in(box, zoom, ids = []) {
      // Read the version first: newer boundaries only cause another read.
      const now = await version();
      const { box: whole, isSample, types } = await extentAt(now);
      const ground = isSample ? 'water' : 'paper';
      const around = box ?? whole;
      if (around === null) return { version: now, ground, outlines: [] };
      const region = regionOf(around, zoom ?? zoomFor(around, 1280, 1280));
      const key = `${now} ${region.zoom} ${region.left} ${region.top} ${region.width} ${region.height} ${ids.toSorted().join()}`;
      const known = answers.get(key);
      if (known !== undefined) return known;
      return flights.run(key, null, async () => {
        const outlines = await read(
          database,
          region,
          ids,
          TYPES.find((type) => types.includes(type)) ?? null,
        );
        const answer = { version: now, ground, outlines } as const;
        answers.set(key, answer);
        return answer;
      });
    },
  };
}

/** The cells that a box touches, at the whole zoom above that of the view; a larger box is drawn at a lower zoom. */
function regionOf(box: MapBox, zoom: number): Region {
  const [west, south, east, north] = unwrapped(box);
  for (let level = Math.max(0, Math.min(MAX_ZOOM, Math.ceil(zoom))); ; level -= 1) {
    const [left, top] = project(west, north, level).map((value) => Math.floor((value - 64) / CELL)) as [
      number,
      number,
    ];
    const [right, bottom] = project(east, south, level).map((value) => Math.ceil((value + 64) / CELL)) as [
      number,
      number,
    ];
    if (level > 0 && (right - left > MAX_CELLS || bottom - top > MAX_CELLS)) continue;
    return {
      zoom: level,
      left: left * CELL,
      top: top * CELL,
      width: (right - left) * CELL,
      height: (bottom - top) * CELL,
    };
  }
}

async function read(
  database: Database,
  region: Region,
  ids: readonly string[],
  coarsest: AreaType | null,
): Promise<Outline[]> {
  const found = await database.read((sql) =>
    findMappedAreas(sql, {
      boxes: boxesOf(region),
      types: TYPES,
      coarsest,
      minDegrees: (SMALLEST * 360) / worldSize(region.zoom),
      ids,
      limit: MAX_AREAS,
    }),
  );
  return eventLoop.run({}, async (task) => {
    const areas = [];
    for (let at = 0; at < found.length; at += BATCH) {
      const batch = found.slice(at, at + BATCH);
      for (const [area, boundary] of await boundariesOf(database, batch)) {
        const placed = await task.run(onGrid(area, boundary, region));
        if (placed !== null) areas.push(placed);
      }
    }
    return task.run(outlinesOf(areas, region));
  });
}

async function boundariesOf(database: Database, areas: readonly MappedArea[]) {
  const rows = await database.read((sql) =>
    findBoundaries(
      sql,
      areas.map(({ no }) => no),
    ),
  );
  const boundaries = new Map(rows.map(({ no, boundary }) => [no, boundary]));
  return areas.flatMap((area) => {
    const boundary = boundaries.get(area.no);
    return boundary === undefined ? [] : [[area, boundary] as const];
  });
}

/** The region in degrees: two boxes where it crosses the antimeridian. */
function boxesOf({ zoom, left, top, width, height }: Region): readonly Box[] {
  const size = worldSize(zoom);
  const [west, north] = unproject(left, Math.max(0, top), zoom);
  const [east, south] = unproject(left + width, Math.min(size, top + height), zoom);
  return width >= size ? [[-180, south, 180, north]] : splitAtAntimeridian(west, south, east, north);
}
