// Pushed records: how long ten thousand take by one POST, and how long another client waits meanwhile.

import { PUSH } from '../src/access/tiers/tiers.ts';
import { createPushSource } from '../src/sources/registry/set-up.ts';
import { median } from './statistics.ts';
import { startService, type Testbed } from './testbed.ts';
import type { Row } from './throughput.ts';

const RECORDS = PUSH.bodyRecords;
/** New records, then the same with other prices, then the same again. */
const PASSES = ['new', 'changed', 'unchanged'] as const;

export async function pushOfMany(testbed: Testbed): Promise<Row[]> {
  const token = await createPushSource(testbed.database, { id: 'pushed', name: 'Pushed', kind: 'push' }, {});
  const service = await startService(testbed, 'push', {});
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
    return rows;
  } finally {
    await service.stop();
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

function recordsOf(more: number): string {
  return Array.from({ length: RECORDS }, (_, at) =>
    JSON.stringify({
      listingKey: `p${at}`,
      listingType: 'sale',
      status: 'ACTIVE',
      propertyType: 'SINGLE_FAMILY',
      currency: 'USD',
      listPrice: 200_000 + at * 10 + more,
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
    }),
  ).join('\n');
}
