// Proves that areas have numbers without gaps, however often and by whom they are imported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeAreaBatch, writeAreaDrafts } from '../../src/ingest/area-writer.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { area } from '../support/catalogue/catalogue.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';

const towns = (names: readonly string[], population: number) =>
  names.map((name) => area({ type: 'city', name, population }));

async function numbered(database: Database): Promise<(readonly [string, number, number | null])[]> {
  const rows = await database.read(
    (sql) => sql<{ name: string; no: number; population: number | null }[]>`
      select name, no, population from area order by no`,
  );
  return rows.map(({ name, no, population }) => [name, no, population]);
}

test('areas that are imported again keep their numbers, and the next new area has the next number', async (t) => {
  const { database } = await testDatabase(t);
  for (const population of [1, 1, 2, 3])
    await writeAreaBatch(database, 'test', towns(['Aldern', 'Birk'], population));
  const { changed, unchanged } = await writeAreaBatch(database, 'test', [
    ...towns(['Aldern'], 3),
    ...towns(['Birk', 'Cray'], 4),
  ]);
  assert.deepEqual([changed, unchanged], [2, 1]);
  assert.deepEqual(await numbered(database), [
    ['Aldern', 1, 3],
    ['Birk', 2, 4],
    ['Cray', 3, 4],
  ]);
});

test('two imports of the same new areas at once write each once, the later one last', async (t) => {
  const { database } = await testDatabase(t);
  const hold = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const first = database.transaction(async (tx) => {
    await writeAreaDrafts(tx, 'test', towns(['Aldern', 'Birk'], 1), 0);
    written.resolve();
    await hold.promise;
  });
  await written.promise;
  const second = writeAreaBatch(database, 'test', towns(['Birk', 'Cray'], 2));
  await until('the second waits for the first', async () => {
    const [found] = await database.read(
      (sql) =>
        sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return found !== undefined;
  });
  hold.resolve();
  await first;
  assert.deepEqual(await second, { changed: 2, unchanged: 0 });
  assert.deepEqual(await numbered(database), [
    ['Aldern', 1, 1],
    ['Birk', 2, 2],
    ['Cray', 3, 2],
  ]);
});
