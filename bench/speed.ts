// What one core answers in the sample market: requests for each second of its processor, and milliseconds of requests one by one.

import { ask, headersFor, listOf, oneByOne } from './million/compared.ts';
import { median, percentile } from './statistics.ts';
import { type Arm, openTestbed, startService, type Testbed } from './testbed.ts';
import type { Row } from './throughput.ts';

/** Never reached, but counted for each request. */
const COUNTED = { pro: { minute: 5_000_000, month: 1_000_000_000, streams: 10_000 } };
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 5;
/** Requests of each kind that are sent one by one. */
const SINGLE = 1_000;
const STREAMS = 200;
/** Milliseconds until the sample market must be loaded. */
const LOAD_TIMEOUT = 600_000;

/** Loads the sample market into a database of its own, and measures the service as it comes. */
export async function speedOfSample(): Promise<Row[]> {
  const testbed = await openTestbed(0);
  try {
    const service = await startService(testbed, 'speed', COUNTED, { SOURCE: 'sample', SAMPLE_INTERVAL: '0' });
    await loaded(service);
    const rows = await measure(service, testbed);
    await service.stop();
    return rows;
  } finally {
    await testbed.close();
  }
}

async function loaded({ url }: Arm): Promise<void> {
  const end = performance.now() + LOAD_TIMEOUT;
  while ((await fetch(`${url}/readyz`)).status !== 200) {
    if (performance.now() > end) throw new Error('The sample market was not loaded in time');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function measure(service: Arm, testbed: Testbed): Promise<Row[]> {
  const read = async (path: string) => {
    const answer = await fetch(`${service.url}${path}`, { headers: headersFor(testbed.key) });
    return ((await answer.json()) as { data: { id: string; propertyId: string }[] }).data;
  };
  const areas = (await read('/v1/areas?type=city&limit=100')).map(({ id }) => id);
  const homes = (
    await Promise.all(areas.map((area) => read(`/v1/search/sales?areaId=${area}&limit=50`)))
  ).flat();
  const searches = areas.flatMap((area) =>
    Array.from(
      { length: 60 },
      (_, at) =>
        `/v1/search/sales?areaId=${area}&minBedrooms=${1 + (at % 3)}&maxPrice=${300_000 + 10_000 * at}&limit=20`,
    ),
  );
  const facets = searches.map((path) => `${path.replace('limit=20', 'limit=1')}&facets=bedrooms,priceBucket`);
  const properties = homes.map(({ propertyId }) => `/v1/property/${propertyId}`);
  return [
    await rateAndTime(service, testbed, 'A property with a key', properties),
    await rateAndTime(
      service,
      testbed,
      'A page of 20 homes by city, price and bedrooms, with the exact total',
      searches,
    ),
    await rateAndTime(service, testbed, 'Counts of those homes by bedrooms and price', facets),
    await firstEvents(
      service,
      testbed,
      homes.slice(0, STREAMS).map(({ id }) => id),
    ),
  ];
}

async function rateAndTime(
  service: Arm,
  testbed: Testbed,
  name: string,
  paths: readonly string[],
): Promise<Row> {
  const mixed = paths.toSorted((a, b) => hash(a) - hash(b));
  const list = await listOf(testbed, `speed-${hash(name)}`, mixed);
  await ask(service, list, testbed.key, WARM_UP_SECONDS, 0);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { requests, processor } = await ask(service, list, testbed.key, SECONDS, round * 997);
    rates.push(requests / processor);
  }
  const single = await oneByOne(
    service,
    Array.from({ length: SINGLE }, (_, at) => mixed[at % mixed.length] ?? ''),
    testbed.key,
  );
  const rate = Math.round(median(rates)).toLocaleString('en');
  return { name, figure: `${rate} a second and core; ${timesOf(single)}`, floor: '', met: true };
}

async function firstEvents({ url }: Arm, { key }: Testbed, ids: readonly string[]): Promise<Row> {
  const took: number[] = [];
  for (const id of ids) {
    const start = performance.now();
    const answer = await fetch(`${url}/v1/listing/${id}`, { headers: headersFor(key) });
    const reader = answer.body?.getReader();
    await reader?.read();
    took.push(performance.now() - start);
    await reader?.cancel();
  }
  return { name: 'The first event of a stream of a listing', figure: timesOf(took), floor: '', met: true };
}

const timesOf = (milliseconds: readonly number[]): string =>
  `${median(milliseconds).toFixed(1)} ms, slowest hundredth ${percentile(milliseconds, 0.99).toFixed(1)} ms`;

/** Any order that is always the same. */
function hash(text: string): number {
  let value = 7;
  for (const character of text) value = (Math.imul(value, 31) + character.charCodeAt(0)) >>> 0;
  return value;
}
