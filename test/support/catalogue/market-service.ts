// Service for a test file in which twelve homes of each kind were on the market in December, and requests for figures.

import assert from 'node:assert/strict';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import type { Closing } from '../database/database.ts';
import { manualClock } from '../service/clock.ts';
import { problemOf } from '../service/http-server.ts';
import { startService } from '../service/service.ts';
import { draft, NO_ADDRESS } from './drafts.ts';
import { NOW, writeAreas } from './random-market.ts';

const DAY = 86_400_000;
export interface Figure {
  readonly value: number | null;
  readonly n: number;
  readonly p25: number | null;
  readonly suppressed: boolean;
  readonly unit: string;
  readonly period: { readonly start: string; readonly end: string };
  readonly change: { readonly previous: number | null; readonly yearAgo: number | null } | null;
}
export type Figures = Record<string, Figure>;
export interface Page {
  readonly limit: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}
export interface Answer {
  readonly period: { readonly start: string; readonly end: string };
  /** Of a distribution. */
  readonly asOf: string;
  readonly scope: { readonly timeZone: string };
  readonly metrics: Figures;
  readonly groups: readonly { readonly by: Record<string, unknown>; readonly metrics: Figures }[];
  readonly points: readonly { readonly start: string; readonly end: string; readonly metrics: Figures }[];
  readonly areas: readonly { readonly areaId: string; readonly metrics: Figures }[];
  readonly bands: readonly {
    readonly bedrooms: number | null;
    readonly value: number | null;
    readonly nSales: number;
  }[];
  readonly sameProperty: { readonly period: object; readonly value: number | null; readonly n: number };
  readonly n: number;
  readonly percentiles: Record<string, number | null>;
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly count: number }[];
  readonly page: Page;
}

/** Twelve homes on the market in December: twelve prices, four numbers of bedrooms, half of them in each city. */
export const homes = (type: 'sale' | 'rental', unit: number): ListingDraft[] =>
  Array.from({ length: 12 }, (_, at) =>
    draft(`${type}-${at}`, {
      listingType: type,
      listPrice: unit * (at + 1),
      livingArea: 1_000,
      bedrooms: at < 6 ? 1 : (at % 3) + 2,
      priceFrequency: type === 'sale' ? 'ONE_TIME' : 'MONTHLY',
      listedAt: new Date(Date.UTC(2025, 11, 2 + at)).toISOString(),
      universalPropertyId: `home-${at}`,
      location: { lat: 10.1, lng: 20.1 + at / 100, precision: 'exact' },
      address: {
        ...NO_ADDRESS,
        city: at % 2 === 0 ? 'Aldern' : 'Crane',
        state: 'Umbra',
        postalCode: '10001',
      },
    }),
  );

/** Starts the service and writes the homes; stopped when the test or the file ends. */
export async function startMarket(t: Closing) {
  const service = await startService(t, { clock: manualClock(NOW) });
  const { database, keys } = service;
  await writeAreas(database);
  const catalogue = createCatalogue(database);
  await database.transaction((tx) =>
    catalogue.write(tx, 'test', [...homes('sale', 100_000), ...homes('rental', 1_000)], NOW - DAY),
  );

  const ask = (path: string, key: string = keys.internal): Promise<Answer> =>
    service.json(`/v1/market/${path}`, key);

  async function refused(path: string): Promise<{ parameter: string; suggestion: string; code: string }> {
    const answer = await service.get(`/v1/market/${path}`, keys.internal);
    assert.equal(answer.status, 400, path);
    const { code, errors = [] } = await problemOf(answer);
    const [{ parameter = '', suggestion = '' } = {}] = errors;
    return { parameter, suggestion, code };
  }

  return { service, database, keys, catalogue, ask, refused };
}
