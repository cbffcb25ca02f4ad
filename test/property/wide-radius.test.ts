// Proves that homes to compare are looked for in a wide radius only with a slot among expensive queries.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { EXPENSIVE_TIMEOUT } from '../../src/search/summaries/analytics-queue.ts';
import { readMetric } from '../support/billing/read-metric.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { until } from '../support/check/until.ts';
import { problemOf } from '../support/service/http-server.ts';
import { startService, type TestService } from '../support/service/service.ts';

const PATHS = ['similar', 'comparables'];

/** A service with so many slots for statements, and two homes, 40 km from each other. */
async function start(t: TestContext, statements: number): Promise<{ service: TestService; path: string }> {
  const service = await startService(t, { overrides: { slots: { statements, scans: 1 } } });
  const home = (key: string, lng: number) =>
    draft(key, { listPrice: 100_000, location: { lat: 0, lng, precision: 'exact' } });
  const ids = await writer(service)(home('subject', 0), home('far', 0.36));
  return { service, path: `/v1/property/${ids.get('subject')}` };
}

test('a wide radius waits for a slot, and is told to be smaller where there is none; an ordinary one never waits', async (t) => {
  const { service, path } = await start(t, 0);
  const { keys, clock } = service;
  const waiting = () => readMetric(service, 'freehold_expensive_statements_waiting');
  for (const each of PATHS) {
    const asked = service.get(`${path}/${each}?maxRadius=5.1`, keys.pro);
    await until(`${each} waits`, async () => (await waiting()) === 1);
    for (const query of ['', '?maxRadius=5', '?maxRadius=5&units=metric'])
      await service.json(`${path}/${each}${query}`, keys.pro);
    await service.json(`${path}?include=comparables,estimate`, keys.pro);
    clock.advance(EXPENSIVE_TIMEOUT);
    const answer = await asked;
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
    const { code, detail } = await problemOf(answer);
    assert.equal(code, 'OVERLOADED');
    assert.match(detail, /three seconds.*Request a smaller maxRadius/);
    assert.equal(await waiting(), 0);
  }
});

test('with a slot, a wide radius finds what an ordinary one does not reach, and gives the slot back', async (t) => {
  const { service, path } = await start(t, 1);
  for (const each of PATHS)
    for (const [query, found] of [
      ['', 0],
      ['?maxRadius=30', 1],
      ['?maxRadius=60&units=metric', 1],
      ['?maxRadius=30&units=metric', 0],
    ] as const) {
      const { data }: { data: unknown[] } = await service.json(`${path}/${each}${query}`, service.keys.pro);
      assert.equal(data.length, found, `${each}${query}`);
    }
  assert.equal(await readMetric(service, 'freehold_expensive_statements_running'), 0);
});
