// Market of the engine's proof: what is written to it, and what a loop over its listings finds.

import fc from 'fast-check';
import { updateAllPlacements, writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { area, square } from '../catalogue/catalogue.ts';
import { type Facts, factsArbitrary, type Row, toDraft } from '../catalogue/random-market.ts';
import type { Query } from '../oracle/filters.ts';
import { finds } from '../oracle/search-oracle.ts';
import type { ListingType, MachineStage } from './machine-stage.ts';

const KEYS = Array.from({ length: 48 }, (_, at) => `key-${at}`);

/** Few of them have left the market: others fill its searches. */
const onMarket = factsArbitrary.map(
  (facts): Facts =>
    facts.status === 'CLOSED' || facts.status === 'PENDING' ? { ...facts, status: 'ACTIVE' } : facts,
);

/** Listings written and others removed, as one batch. */
export const writeArbitrary = fc.record({
  kind: fc.constant('write' as const),
  facts: fc.dictionary(
    fc.constantFrom(...KEYS),
    fc.oneof({ weight: 3, arbitrary: onMarket }, factsArbitrary),
    {
      minKeys: 1,
      maxKeys: 8,
      size: 'max',
    },
  ),
  removed: fc.subarray(KEYS, { maxLength: 2 }),
});
export type Write = typeof writeArbitrary extends fc.Arbitrary<infer W> ? W : never;

/** An area redrawn, which moves its listings. */
export const redrawArbitrary = fc.record({
  kind: fc.constant('redraw' as const),
  west: fc.constantFrom(-180, 20, 20.5, 100),
});
export type Redraw = typeof redrawArbitrary extends fc.Arbitrary<infer R> ? R : never;

export const ZONE = 'custom-zone';

export class Market {
  readonly #stage: MachineStage;
  readonly #rows = new Map<string, Row>();
  /** Where the zone begins; null: it was never drawn. */
  #west: number | null = null;

  constructor(stage: MachineStage) {
    this.#stage = stage;
  }

  async write({ facts, removed }: Pick<Write, 'facts' | 'removed'>): Promise<void> {
    const { database, clock } = this.#stage;
    const drafts = Object.entries(facts).map(([key, each]) => toDraft(key, each));
    const gone = removed.filter((key) => !(key in facts));
    const { ids } = await database.transaction((tx) =>
      createCatalogue(database).write(tx, 'test', drafts, clock.now(), gone),
    );
    for (const key of gone) this.#rows.delete(key);
    for (const [key, each] of Object.entries(facts)) {
      const id = ids.get(key) ?? this.#rows.get(key)?.id ?? '';
      this.#rows.set(key, { key, id, facts: each, firstSeen: 0, updatedAt: 0, currency: 'USD' });
    }
  }

  async redraw({ west }: Redraw): Promise<void> {
    const { database } = this.#stage;
    await writeAreaBatch(database, 'test', [
      area({ type: 'custom', externalId: 'zone', name: 'Zone', boundary: square(west, 10, 1) }),
    ]);
    await updateAllPlacements(database, { quiet: false });
    this.#west = west;
  }

  get hasZone(): boolean {
    return this.#west !== null;
  }

  isInZone({ facts: { located, lat, lng } }: Row): boolean {
    const west = this.#west;
    if (west === null || !located || lat < 10 || lat > 11) return false;
    const lngs = Math.abs(lng) === 180 ? [180, -180] : [lng];
    return lngs.some((each) => each >= west && each <= west + 1);
  }

  /** The listings that a search finds, in no order. */
  found(type: ListingType, query: Query, now: number): Row[] {
    const { areaId, ...others } = query;
    const inArea = (row: Row): boolean =>
      areaId === ZONE ? this.isInZone(row) : finds(type, query, row, now);
    return [...this.#rows.values()].filter(
      (row) => finds(type, areaId === ZONE ? others : query, row, now) && inArea(row),
    );
  }
}
