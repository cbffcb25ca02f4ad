// Proves that a walk over pages loses and repeats nothing while the market moves under it, forwards and backwards.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { until } from '../support/check/until.ts';
import { startService } from '../support/service/service.ts';

interface Row {
  readonly id: string;
  readonly version: number;
}
interface Answer {
  readonly data: Row[];
  readonly page: { readonly nextCursor: string | null; readonly prevCursor: string | null };
}

const service = await startService({ after }, { source: 'sample' });
const { clock, keys, app } = service;

async function ask(path: string): Promise<Answer> {
  return service.json(path, keys.internal);
}

/** Moves the market, and time to the next round of replication; resolves when that round is complete. */
async function move(steps: number): Promise<void> {
  await service.control('POST', '/control/advance', { steps });
  clock.advance(20_000);
  const now = new Date(clock.now()).toISOString();
  await until('the replication has caught up', () => app.replication?.status().asOf === now);
}

/** Everything that the walk could meet, by id: with the version it has now. */
async function snapshot(path: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let next: string | null = ''; next !== null; ) {
    const answer = await ask(`${path}&limit=500${next && `&cursor=${next}`}`);
    for (const { id, version } of answer.data) found.set(id, version);
    next = answer.page.nextCursor;
  }
  return found;
}

/** Checks one walk by what was there before and after it; gives how many listings changed meanwhile. */
function check(
  rows: readonly Row[],
  before: ReadonlyMap<string, number>,
  later: ReadonlyMap<string, number>,
): number {
  const met = Map.groupBy(rows, (row) => row.id);
  for (const [id, version] of before) {
    if (later.get(id) !== version) continue;
    assert.equal(
      met.get(id)?.length,
      1,
      `${id} did not change and was met ${met.get(id)?.length ?? 0} times`,
    );
  }
  const versions = rows.map(({ id, version }) => `${id} ${version}`);
  assert.equal(new Set(versions).size, versions.length, 'no version twice');
  return [...before].filter(([id, version]) => later.get(id) !== version).length;
}

const walks = fc.record({
  kind: fc.constantFrom('sales', 'rentals'),
  filter: fc.constantFrom('status=any', 'status=ACTIVE', 'status=any&minBedrooms=1', 'status=CLOSED,ACTIVE'),
  sort: fc.constantFrom(
    '-listedAt',
    'price',
    '-price',
    '-updatedAt',
    'updatedAt',
    'daysOnMarket',
    '-daysOnMarket',
    'bedrooms,-price',
    '-priceChangedAt',
    'closedAt',
    '-yearBuilt,livingArea',
  ),
  limit: fc.integer({ min: 17, max: 60 }),
  steps: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 3, maxLength: 3 }),
});

test('a listing that stays is met once, and a version never twice, forwards and back', async () => {
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(walks, async ({ kind, filter, sort, limit, steps }) => {
      const path = `/v1/search/${kind}?${filter}&sort=${sort}&fields=version`;
      const before = await snapshot(path);
      let answer = await ask(`${path}&limit=${limit}`);
      const forwards = [...answer.data];
      for (let page = 0; answer.page.nextCursor !== null; page += 1) {
        assert.ok(page < 100, 'the walk ends');
        if (page < steps.length) await move(steps[page] ?? 1);
        answer = await ask(`${path}&limit=${limit}&cursor=${answer.page.nextCursor}`);
        forwards.push(...answer.data);
      }
      const between = await snapshot(path);
      changes += check(forwards, before, between);
      const backwards = [...answer.data];
      const edge = new Set(answer.data.map((row) => row.id));
      for (let page = 0; answer.page.prevCursor !== null; page += 1) {
        assert.ok(page < 100, 'the walk ends');
        if (page < steps.length) await move(steps[page] ?? 1);
        answer = await ask(`${path}&limit=${limit}&cursor=${answer.page.prevCursor}`);
        backwards.push(...answer.data);
      }
      // What came in behind the page where the way back began lies on no way back.
      const reachable = new Map(
        [...between].filter(([id]) => edge.has(id) || forwards.some((row) => row.id === id)),
      );
      changes += check(backwards, reachable, await snapshot(path));
    }),
    { numRuns: 6, seed: 5 },
  );
  assert.ok(changes > 20, `the market moved: ${changes}`);
});
