// Caches of areas: ids and names for searches, names for autocomplete, boundaries for points.

import { LRUCache } from 'lru-cache';
import { sameMeridian } from '../geometry/antimeridian.ts';
import { type FlatPolygon, flattened, polygonContains, polygonsOf } from '../geometry/geometry.ts';
import type { Clock } from '../lib/clock.ts';
import { SingleFlight } from '../lib/single-flight.ts';
import type { Database } from '../postgres/client/database.ts';
import { AreaNameIndex } from './name-index.ts';
import { findAreaIds, findNamedAreas, type NamedArea } from './name-store.ts';
import { findAround, findBoundaries, findIndexedAreas, findTimeZones } from './read-store.ts';
import { findAreaVersion } from './write-store.ts';

/** Indexed names, the best known first: about 100 MB. Other areas are found without tolerance of typos. */
const MAX_INDEXED_AREAS = 200_000;
/** Coordinates of cached boundaries: 32 MB. */
const MAX_COORDINATES = 4_000_000;
/** Boundaries per read. */
const BATCH = 20;

export interface AreaCache {
  /** The current index of names. */
  names(): Promise<AreaNameIndex>;
  /** Numbers of the areas whose boundaries contain the point. */
  areasAt(lng: number, lat: number): Promise<number[]>;
}

export function createAreaCache(database: Database): AreaCache {
  const shapes = new Shapes(database);
  const flights = new SingleFlight<AreaNameIndex>();
  let cached: { readonly version: number; readonly names: AreaNameIndex } | null = null;

  async function load(): Promise<AreaNameIndex> {
    const { version, rows } = await database.read(async (sql) => ({
      // Read the version first: newer names only cause another read.
      version: await findAreaVersion(sql),
      rows: await findIndexedAreas(sql, MAX_INDEXED_AREAS),
    }));
    const names = await AreaNameIndex.of(rows);
    cached = { version, names };
    return names;
  }

  return {
    async names() {
      // Compare versions on each call: no notification can be missed.
      const version = await database.read((sql) => findAreaVersion(sql));
      if (cached?.version === version) return cached.names;
      return flights.run(String(version), null, load);
    },
    areasAt: (lng, lat) => shapes.areasAt(lng, lat),
  };
}

interface Shape {
  readonly version: number;
  readonly polygons: readonly FlatPolygon[];
}

class Shapes {
  readonly #database: Database;
  readonly #cache = new LRUCache<number, Shape>({
    maxSize: MAX_COORDINATES,
    sizeCalculation: ({ polygons }) => 16 + polygons.flat().reduce((sum, ring) => sum + ring.length, 0),
  });

  constructor(database: Database) {
    this.#database = database;
  }

  async areasAt(lng: number, lat: number): Promise<number[]> {
    const lngs = sameMeridian(lng);
    const around = await this.#database.read(async (sql) => {
      const found = [];
      for (const each of lngs) found.push(...(await findAround(sql, each, lat)));
      return [...new Map(found.map((area) => [area.no, area])).values()];
    });
    const nos: number[] = [];
    for (let at = 0; at < around.length; at += BATCH) {
      for (const [no, polygons] of await this.#shapesOf(around.slice(at, at + BATCH)))
        if (polygons.some((polygon) => lngs.some((each) => polygonContains(polygon, { lng: each, lat }))))
          nos.push(no);
    }
    return nos;
  }

  async #shapesOf(
    areas: readonly { readonly no: number; readonly version: number }[],
  ): Promise<Map<number, readonly FlatPolygon[]>> {
    const shapes = new Map<number, readonly FlatPolygon[]>();
    for (const { no, version } of areas) {
      const hit = this.#cache.get(no);
      if (hit?.version === version) shapes.set(no, hit.polygons);
    }
    const missing = areas.filter(({ no }) => !shapes.has(no)).map(({ no }) => no);
    if (missing.length === 0) return shapes;
    for (const { no, version, boundary } of await this.#database.read((sql) =>
      findBoundaries(sql, missing),
    )) {
      const polygons = polygonsOf(boundary).map(flattened);
      this.#cache.set(no, { version, polygons });
      shapes.set(no, polygons);
    }
    return shapes;
  }
}

/** About 20 MB when full. */
const MAX_ENTRIES = 100_000;
/** Milliseconds after which a name or a time zone is read again. */
const LIFETIME = 5_000;

export interface AreaIdCache {
  /** The areas with these ids, in their order; unknown ids are left out. `fresh` reads their names in any case. */
  named(ids: readonly string[], fresh: boolean): Promise<readonly NamedArea[]>;
  /** The ids of the areas with these numbers. */
  idsOf(nos: Iterable<number>): Promise<ReadonlyMap<number, string>>;
  /** The time zone of each area, or that of its nearest ancestor with one; null: there is none. `fresh` as of names. */
  zonesOf(nos: readonly number[], fresh: boolean): Promise<readonly (string | null)[]>;
}

export function createAreaIdCache(database: Database, clock: Clock): AreaIdCache {
  // The cache takes a start of 0 for no start at all.
  const lifetime = { ttl: LIFETIME, perf: { now: () => clock.monotonic() + 1 }, ttlResolution: 0 };
  const areas = new LRUCache<string, NamedArea>({ max: MAX_ENTRIES, ...lifetime });
  const zones = new LRUCache<number, { readonly zone: string | null }>({ max: MAX_ENTRIES, ...lifetime });
  const ids = new LRUCache<number, string>({ max: MAX_ENTRIES });
  return {
    async named(requested, fresh) {
      const cached = fresh ? [] : requested.flatMap((id) => areas.get(id) ?? []);
      if (cached.length === requested.length) return cached;
      const read = await findNamedAreas(database, requested);
      for (const area of read) areas.set(area.id, area);
      return read;
    },
    async zonesOf(nos, fresh) {
      const known = fresh ? [] : nos.flatMap((no) => zones.get(no) ?? []);
      if (known.length === nos.length) return known.map(({ zone }) => zone);
      const read = await findTimeZones(database, nos);
      for (const no of nos) zones.set(no, { zone: read.get(no) ?? null });
      return nos.map((no) => read.get(no) ?? null);
    },
    async idsOf(nos) {
      const found = new Map<number, string>();
      const missing = new Set<number>();
      for (const no of nos) {
        const id = ids.get(no);
        if (id === undefined) missing.add(no);
        else found.set(no, id);
      }
      if (missing.size === 0) return found;
      for (const { no, id } of await findAreaIds(database, [...missing])) {
        ids.set(no, id);
        found.set(no, id);
      }
      return found;
    },
  };
}
