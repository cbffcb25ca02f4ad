// Areas in memory: names for autocomplete and boundaries for points, each valid only at the version it was read at.

import { LRUCache } from 'lru-cache';
import { sameMeridian } from '../geometry/antimeridian.ts';
import { type FlatPolygon, flattened, polygonContains, polygonsOf } from '../geometry/geometry.ts';
import { SingleFlight } from '../lib/single-flight.ts';
import type { Database } from '../postgres/client/database.ts';
import { AreaNameIndex } from './name-index.ts';
import { findAround, findBoundaries, findNames } from './read-store.ts';
import { findAreaVersion } from './write-store.ts';

/** Areas whose names are kept, the best known first: about 100 MB. Others are found by their names as they are spelt. */
const MOST_NAMED = 200_000;
/** Numbers in the shapes that are kept: 32 MB. */
const MOST_NUMBERS = 4_000_000;
/** Boundaries that are read at once. */
const BATCH = 20;

export interface AreaCache {
  /** The names as they are at this moment. */
  names(): Promise<AreaNameIndex>;
  /** Numbers of the areas whose boundaries hold the point. */
  holding(lng: number, lat: number): Promise<number[]>;
}

export function createAreaCache(database: Database): AreaCache {
  const shapes = new Shapes(database);
  const flights = new SingleFlight<AreaNameIndex>();
  let known: { readonly version: number; readonly names: AreaNameIndex } | null = null;

  async function load(): Promise<AreaNameIndex> {
    const { version, rows } = await database.read(async (sql) => ({
      // First the version: names that are newer than it says are only read again.
      version: await findAreaVersion(sql),
      rows: await findNames(sql, MOST_NAMED),
    }));
    const names = await AreaNameIndex.of(rows);
    known = { version, names };
    return names;
  }

  return {
    async names() {
      // One row by its key tells whether anything has changed: nothing need be heard to stay true.
      const version = await database.read((sql) => findAreaVersion(sql));
      if (known?.version === version) return known.names;
      return flights.run(String(version), null, load);
    },
    holding: (lng, lat) => shapes.holding(lng, lat),
  };
}

interface Shape {
  readonly version: number;
  readonly polygons: readonly FlatPolygon[];
}

class Shapes {
  readonly #database: Database;
  readonly #kept = new LRUCache<number, Shape>({
    maxSize: MOST_NUMBERS,
    sizeCalculation: ({ polygons }) => 16 + polygons.flat().reduce((sum, ring) => sum + ring.length, 0),
  });

  constructor(database: Database) {
    this.#database = database;
  }

  async holding(lng: number, lat: number): Promise<number[]> {
    const lngs = sameMeridian(lng);
    const around = await this.#database.read(async (sql) => {
      const found = [];
      for (const each of lngs) found.push(...(await findAround(sql, each, lat)));
      return [...new Map(found.map((area) => [area.no, area])).values()];
    });
    const holding: number[] = [];
    for (let at = 0; at < around.length; at += BATCH) {
      for (const [no, polygons] of await this.#shapesOf(around.slice(at, at + BATCH)))
        if (polygons.some((polygon) => lngs.some((each) => polygonContains(polygon, { lng: each, lat }))))
          holding.push(no);
    }
    return holding;
  }

  async #shapesOf(
    areas: readonly { readonly no: number; readonly version: number }[],
  ): Promise<Map<number, readonly FlatPolygon[]>> {
    const shapes = new Map<number, readonly FlatPolygon[]>();
    for (const { no, version } of areas) {
      const kept = this.#kept.get(no);
      if (kept?.version === version) shapes.set(no, kept.polygons);
    }
    const missing = areas.filter(({ no }) => !shapes.has(no)).map(({ no }) => no);
    if (missing.length === 0) return shapes;
    for (const { no, version, boundary } of await this.#database.read((sql) =>
      findBoundaries(sql, missing),
    )) {
      const polygons = polygonsOf(boundary).map(flattened);
      this.#kept.set(no, { version, polygons });
      shapes.set(no, polygons);
    }
    return shapes;
  }
}
