// Proof that first imports which are killed again and again end complete, and have each listing in the log once.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changesAfter, loadedAfter } from '../support/catalogue/change-log.ts';
import { contents, openImports, rows } from '../support/catalogue/import-service.ts';
import { until } from '../support/check/until.ts';
import { startCli } from '../support/process/cli.ts';

const { bench, file, folder, mapFile } = await openImports({ after });

test('a first import that is killed three times loads each listing once, and the log has each once', async (t) => {
  const { environment, database, outcome } = await bench(t);
  const map = await mapFile('killed-loads.json');
  const csv = await file('killed-loads.csv', `id,price,lat,lng\n${rows(0, 8_000)}\n`);
  const args = ['listings', csv, '--map', map];
  const written = async () => {
    const [run] = await database.read((sql) => sql`select rows from import_run`);
    return Number(run?.rows ?? 0);
  };
  for (const enough of [1, 2_001, 4_001]) {
    const run = startCli(t, ['import', ...args], { folder, environment });
    await until('some rows are written', async () => (await written()) >= enough);
    run.kill('SIGKILL');
    await run.ended;
    await until('its session is over', async () => {
      const [held] = await database.read(
        (sql) =>
          sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
      );
      return held?.n === 0;
    });
    const loaded = await loadedAfter(database, 0);
    assert.equal(loaded.length, await written(), 'what a killed run was writing is not there');
  }
  const last = await outcome(...args);
  assert.deepEqual([last.rows, last.created, last.unchanged], [8_000, 8_000, 0]);
  const loaded = await loadedAfter(database, 0);
  assert.equal(new Set(loaded.map(({ listingId }) => listingId)).size, 8_000);
  assert.equal(new Set(loaded.map(({ sequence }) => sequence)).size, 8_000);
  assert.deepEqual(await changesAfter(database, 0), []);
  const whole = await bench(t);
  await whole.outcome(...args);
  assert.deepEqual(await contents(database), await contents(whole.database));
});
