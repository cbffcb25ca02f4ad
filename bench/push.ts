// Pushed records: how long ten thousand take by one POST, how long another client waits meanwhile, and how soon searches have a change.

import { PUSH } from '../src/access/tiers/tiers.ts';
import { createPushSource } from '../src/sources/registry/set-up.ts';
import { median } from './statistics.ts';
import { type Arm, startService, type Testbed } from './testbed.ts';
import type { Row } from './throughput.ts';

const RECORDS = PUSH.bodyRecords;
/** Searches are polled. */
const COUNTED = { pro: { minute: 5_000_000, month: 1_000_000_000 } };
/** New records, then the same with other prices, then the same again. */
const PASSES = ['new', 'changed', 'unchanged'] as const;

export async function pushOfMany(testbed: Testbed): Promise<Row[]> {
  const token = await createPushSource(testbed.database, { id: 'pushed', name: 'Pushed', kind: 'push' }, {});
  const service = await startService(testbed, 'push', COUNTED);
  try {
    const rows: Row[] = [];
    for (const pass of PASSES) {
      const body = recordsOf(pass === 'new' ? 0 : 1_000);
      const { seconds, slowest, middle } = await measure(service.url, token, body);
      rows.push({
        name: `${RECORDS.toLocaleString('en-US')} ${pass} records by one POST`,
        figure: `${seconds.toFixed(1)} s, ${(RECORDS / seconds).toFixed()} a second; another client waits ${middle.toFixed(1)} ms, at most ${slowest.toFixed(1)} ms`,
        floor: '',
        met: true,
      });
    }
    return [...rows, ...(await visibility(testbed, service, token))];
  } finally {
    await service.stop();
  }
}

/** Listings that are put one by one, each with another price. */
const PUTS = 200;

/** Milliseconds from the answer to a PUT until a search has it: of the process that answered, and of another one. */
async function visibility(testbed: Testbed, own: Arm, token: string): Promise<Row[]> {
  const other = await startService(testbed, 'push-other', COUNTED);
  try {
    const waits = { own: [] as number[], other: [] as number[] };
    for (let at = 0; at < PUTS; at++) {
      const price = 7_000_000 + at;
      const answer = await fetch(`${own.url}/v1/sources/pushed/listings/seen`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: recordOf(0, price),
      });
      if (!answer.ok) throw new Error(await answer.text());
      await answer.text();
      const start = performance.now();
      const seen = (arm: Arm) => untilFound(testbed, arm, price).then(() => performance.now() - start);
      const [here, there] = await Promise.all([seen(own), seen(other)]);
      waits.own.push(here);
      waits.other.push(there);
    }
    const row = (name: string, all: number[], bound: number): Row => {
      const sorted = all.toSorted((a, b) => a - b);
      const late = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
      const figure = `${median(all).toFixed(1)} ms, 99 of 100 within ${late.toFixed(1)} ms, at most ${sorted.at(-1)?.toFixed(1)} ms`;
      return { name, figure, floor: `${bound} ms`, met: late <= bound };
    };
    return [
      row('a pushed change in searches of the process that answered', waits.own, 50),
      row('a pushed change in searches of another process', waits.other, 500),
    ];
  } finally {
    await other.stop();
  }
}

async function untilFound({ key }: Pick<Testbed, 'key'>, arm: Arm, price: number): Promise<void> {
  for (;;) {
    const query = `minPrice=${price}&maxPrice=${price}&limit=1&providerId=pushed`;
    const answer = await fetch(`${arm.url}/v1/search/sales?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data } = (await answer.json()) as { data?: unknown[] };
    if (data === undefined) throw new Error(`A search was answered ${answer.status}`);
    if (data.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function measure(url: string, token: string, body: string) {
  const waits: number[] = [];
  const isOver = { value: false };
  const watching = watch(url, waits, isOver);
  const start = performance.now();
  const answer = await fetch(`${url}/v1/sources/pushed/listings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body,
  });
  const lines = (await answer.text()).trim().split('\n');
  const seconds = (performance.now() - start) / 1_000;
  isOver.value = true;
  await watching;
  if (lines.length !== RECORDS || lines.some((line) => line.includes('"rejected"')))
    throw new Error(`Records were rejected: ${lines.find((line) => line.includes('"rejected"'))}`);
  return { seconds, slowest: Math.max(...waits), middle: median(waits) };
}

/** How long each request of another client takes that needs no database. */
async function watch(url: string, waits: number[], isOver: { readonly value: boolean }): Promise<void> {
  while (!isOver.value) {
    const start = performance.now();
    await (await fetch(`${url}/livez`)).text();
    waits.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const recordsOf = (more: number): string =>
  Array.from({ length: RECORDS }, (_, at) => recordOf(at, 200_000 + at * 10 + more, `p${at}`)).join('\n');

function recordOf(at: number, listPrice: number, listingKey?: string): string {
  return JSON.stringify({
    ...(listingKey !== undefined && { listingKey }),
    listingType: 'sale',
    status: 'ACTIVE',
    propertyType: 'SINGLE_FAMILY',
    currency: 'USD',
    listPrice,
    bedrooms: 1 + (at % 5),
    livingArea: 800 + (at % 2_000),
    description: `A home with ${1 + (at % 5)} bedrooms and a garden, number ${at}.`,
    address: {
      streetNumber: `${at}`,
      streetName: 'Long Road',
      city: 'Benchtown',
      state: 'IL',
      country: 'US',
    },
    location: { lat: 39 + (at % 1_000) / 1_000, lng: -90 + Math.floor(at / 1_000) / 100 },
    photos: [`https://images.example.com/${at}/1.jpg`, `https://images.example.com/${at}/2.jpg`],
  });
}
