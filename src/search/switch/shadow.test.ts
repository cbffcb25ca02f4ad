// Proves what becomes of a comparison that PostgreSQL refuses, and of one that is under way when the service stops.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { invalidParameter } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Generation } from '../engine/columns/segment.ts';
import { planSearch, type ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { createShadow, type ShadowOutcome } from './shadow.ts';

const SEQUENCE = 5;

/** A shadow of an engine that counts one listing, where PostgreSQL counts in this way. */
function stage(countInSql: (search: ResolvedSearch) => Promise<number>) {
  const outcomes: ShadowOutcome[] = [];
  const reported: unknown[] = [];
  const statements = async () => [{ head: SEQUENCE }];
  const database = {
    transaction: (work: (tx: typeof statements) => Promise<unknown>) => work(statements),
  } as unknown as Database;
  const shadow = createShadow({
    clock: manualClock(),
    database,
    rate: 1,
    engine: {
      generation: () => ({ sequence: SEQUENCE }) as Generation,
      waitFor: async () => {},
      distrust: (reason) => assert.fail(reason),
    },
    engineOver: () => ({ count: async () => 1 }) as unknown as SearchBackend,
    sqlOver: () => ({ count: countInSql }) as unknown as SearchBackend,
    report: (error) => reported.push(error),
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const resolved = { areas: [], areaNos: [], words: new Map() };
  const ask = () =>
    shadow.note({ plan: planSearch('sale', {}, 10, 0), resolved }, (backend, search) =>
      backend.count(search),
    );
  return { shadow, ask, outcomes, reported };
}

test('what PostgreSQL refuses as too dear is passed over, and what fails is told', async () => {
  const refused = stage(() => Promise.reject(invalidParameter('polygon', 'has too many corners')));
  refused.ask();
  await refused.shadow.idle();
  assert.deepEqual([refused.outcomes, refused.reported], [['skipped'], []]);
  const failed = stage(() => Promise.reject(new Error('The database is gone')));
  failed.ask();
  await failed.shadow.idle();
  assert.deepEqual(
    [failed.outcomes, failed.reported.map(String)],
    [['failed'], ['Error: The database is gone']],
  );
});

test('a service that stops does not wait for the comparison that is under way', async () => {
  const begun = Promise.withResolvers<void>();
  const { shadow, ask, outcomes, reported } = stage(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        begun.resolve();
      }),
  );
  ask();
  await begun.promise;
  await shadow.stop();
  assert.deepEqual([outcomes, reported], [['skipped'], []]);
});
