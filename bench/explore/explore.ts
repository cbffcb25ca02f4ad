// The explorer: views, counts, outlines and market pages, among 20,000 listings of one place or a million of a country.

import type { LargeTestbed } from '../million/testbed.ts';
import { country } from '../million/towns.ts';
import { openTestbed, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { countsAndOutlines, marketPages } from './pages.ts';
import { type Ground, viewsOf } from './views.ts';

const SMALL = 20_000;
/** Where bench/market.ts has its homes. */
const ONE_PLACE: Ground = { places: [[-137.5, 40.4]], widths: [0.02, 2] };
/** Towns whose market pages are opened. */
const TOWNS = 20;

export async function explorerOfOnePlace(): Promise<Row[]> {
  const testbed = await openTestbed(SMALL);
  try {
    return await measure(testbed, ONE_PLACE, []);
  } finally {
    await testbed.close();
  }
}

export async function explorerOfMillion(testbed: LargeTestbed): Promise<Row[]> {
  const { towns } = country(testbed.loaded.seed);
  const places = towns.map(({ lng, lat }) => [lng, lat] as const);
  const cities = [...testbed.known.cities.values()].slice(0, TOWNS);
  return measure(testbed, { places, widths: [0.02, 40] }, [...testbed.known.states.slice(0, 3), ...cities]);
}

async function measure(testbed: Testbed, ground: Ground, areas: readonly string[]): Promise<Row[]> {
  return [
    ...(await marketPages(testbed, areas)),
    ...(await viewsOf(testbed, ground)),
    ...(await countsAndOutlines(testbed, ground)),
  ];
}
