// Figures of the market among a million listings: filtered, grouped, compared, and of a whole month, at five questions a second.

import { setTimeout as pause } from 'node:timers/promises';
import { askAtRandom, timed } from '../at-random.ts';
import { random } from '../market.ts';
import { percentile } from '../statistics.ts';
import { type Arm, startService } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { headersFor, UNCOUNTED } from './compared.ts';
import { townAt } from './drafts.ts';
import type { LargeTestbed } from './testbed.ts';
import { country, pick } from './towns.ts';

/** Questions a second, and seconds of them; before, as long without being timed. */
const RATE = 5;
const SECONDS = 60;
/** Different questions: so many that no answer is still remembered when its question is repeated. */
const QUESTIONS = 400;
const COMPARED = 20;

interface Kind {
  readonly name: string;
  /** Milliseconds that half of the answers should stay below, and 99 of 100; null: nothing was promised. */
  readonly goals: readonly [half: number | null, most: number | null];
  readonly paths: readonly string[];
}

export async function figuresOfMarket(testbed: LargeTestbed): Promise<Row[]> {
  const service = await startService(testbed, 'market', UNCOUNTED);
  try {
    const kinds = kindsOf(testbed);
    await untilHeld(testbed, service, kinds[0]?.paths[0] ?? '');
    const rows: Row[] = [];
    for (const kind of kinds)
      rows.push(await measure(testbed, service, kind).catch((error: Error) => failed(kind, error)));
    return rows;
  } finally {
    await service.stop();
  }
}

function kindsOf({ known, loaded }: LargeTestbed): Kind[] {
  const { towns } = country(loaded.seed);
  const next = random(loaded.seed);
  // Half by size, half at random.
  const city = (): string => {
    const { state, name } = next() < 0.5 ? townAt(towns, next()) : pick(next, towns);
    return known.cities.get(`${state} ${name}`) ?? '';
  };
  const largest = [...towns].sort((a, b) => b.radius - a.radius)[0];
  const largestId = known.cities.get(`${largest?.state} ${largest?.name}`) ?? '';
  const type = (): string => (next() < 0.6 ? 'sale' : 'rental');
  // A highest price, which differs from question to question, and lets nearly all listings pass.
  const price = (): string => `maxPrice=${3_000_000 + Math.floor(next() * 1_000_000)}`;
  const bedrooms = (): string => `bedrooms=${1 + Math.floor(next() * 4)}`;
  const filtered = (): string =>
    `/v1/market/stats?listingType=${type()}&areaId=${city()}&${bedrooms()}&${price()}`;
  const grouped = (): string =>
    `/v1/market/stats?listingType=${type()}&areaId=${city()}&groupBy=propertyType&${price()}`;
  const compared = (): string =>
    `/v1/market/compare?listingType=${type()}&areaId=${[...new Set(Array.from({ length: COMPARED }, city))].join(',')}` +
    `&${bedrooms()}&limit=${COMPARED}&${price()}`;
  const many = (draw: (at: number) => string) => Array.from({ length: QUESTIONS }, (_, at) => draw(at));
  return [
    {
      name: 'a month, filtered or by type',
      goals: [7, 66],
      paths: many((at) => (at % 2 ? filtered() : grouped())),
    },
    { name: `comparison of ${COMPARED} towns, filtered`, goals: [null, null], paths: many(compared) },
    {
      name: 'a whole month of the largest town, remembered',
      goals: [2, null],
      // The limit of groups tells the requests apart, so that no response is one that was kept.
      paths: many((at) => `/v1/market/stats?listingType=sale&areaId=${largestId}&limit=${1 + (at % 100)}`),
    },
  ];
}

/** A question that is not answered in time is a row, too. */
const failed = ({ name }: Kind, { message }: Error): Row => ({
  name,
  figure: `not answered: ${message.split('\r\n')[0]}`,
  floor: 'every answer',
  met: false,
});

/** Until figures are computed in memory. */
async function untilHeld({ key }: LargeTestbed, { url }: Arm, path: string): Promise<void> {
  for (;;) {
    // The first question begins the load.
    await (await fetch(`${url}${path}`, { headers: headersFor(key) })).body?.cancel();
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (/^freehold_market_facts_ready 1$/m.test(metrics)) return;
    await pause(1_000);
  }
}

async function measure({ key }: LargeTestbed, { url }: Arm, { name, goals, paths }: Kind): Promise<Row> {
  await untilAnswered(url, key, paths[0] ?? '');
  const questions = paths.map((path) => ({ path }));
  const ask = () => askAtRandom(url, questions, headersFor(key), { rate: RATE, seconds: SECONDS });
  await ask();
  const took = await ask();
  const [middle, high] = [percentile(took, 0.5), percentile(took, 0.99)];
  const [half, most] = goals;
  const floor = [
    half === null ? [] : [`p50 <= ${half} ms`],
    most === null ? [] : [`p99 <= ${most} ms`],
  ].flat();
  return {
    name: `${name}, at ${RATE} a second`,
    figure: `p50 ${middle.toFixed(1)} ms, p99 ${high.toFixed(1)} ms`,
    floor: floor.join(', '),
    met: middle <= (half ?? Number.POSITIVE_INFINITY) && high <= (most ?? Number.POSITIVE_INFINITY),
  };
}

/** Figures of whole months are remembered step by step: until then a request is told to come again. */
async function untilAnswered(url: string, key: string, path: string): Promise<void> {
  for (;;) {
    const { status } = await timed(url, { path }, headersFor(key));
    if (status === 200) return;
    if (status !== 503) throw new Error(`${path} answered ${status}`);
    await pause(500);
  }
}
