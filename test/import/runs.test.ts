// Tests of how imports run: killed or stopped they go on, and two of one source never meet.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { contents, openImports, rows, rowVersions } from '../support/catalogue/import-service.ts';
import { until } from '../support/check/until.ts';
import { runCommand, startCli } from '../support/process/cli.ts';

const { bench, file, folder, mapFile } = await openImports({ after });

test('an import that is killed goes on after its last batch, and ends like one that was not', async (t) => {
  const killed = await bench(t);
  const map = await mapFile('killed.json');
  // Rows that are rejected before and after the place where it is killed.
  const bad = (at: number) => `bad${at},none,40,-90`;
  const parts = Array.from({ length: 6 }, (_, at) => `${rows(at * 1_000, at * 1_000 + 999)}\n${bad(at)}`);
  const csv = await file('killed.csv', `id,price,lat,lng\n${parts.join('\n')}\n`);
  const rejected = join(folder, 'killed.rejected.csv');
  const args = ['import', 'listings', csv, '--map', map, '--rejected', rejected];
  const first = startCli(t, args, { folder, environment: killed.environment });
  await until('a batch is written', async () => {
    const [run] = await killed.database.read((sql) => sql`select rows from import_run`);
    return Number(run?.rows ?? 0) >= 2_000;
  });
  first.kill('SIGKILL');
  assert.equal((await first.ended).signal, 'SIGKILL');
  await until('its session is over', async () => {
    const [held] = await killed.database.read(
      (sql) =>
        sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    return held?.n === 0;
  });
  const doctor = await runCommand(['doctor'], { folder, environment: killed.environment });
  assert.match(doctor.stdout, /^warn {2}imports +1 interrupted/m);

  const second = await killed.outcome('listings', csv, '--map', map, '--rejected', rejected);
  assert.ok(Number(second.resumedAt) >= 2_000 && Number(second.resumedAt) < 6_000, `${second.resumedAt}`);
  assert.deepEqual([second.rows, second.created, second.rejected], [6_000, 5_994, 6]);
  const reasons = (await readFile(rejected, 'utf8')).trim().split('\n').slice(1);
  assert.deepEqual(
    reasons.map((line) => line.split(',')[0]),
    Array.from({ length: 6 }, (_, at) => `bad${at}`),
  );

  const whole = await bench(t);
  await whole.outcome('listings', csv, '--map', map, '--rejected', `${rejected}.whole`);
  assert.deepEqual(await contents(killed.database), await contents(whole.database));
});

test('Ctrl-C stops after the batch under way and says how to go on; --restart begins anew', async (t) => {
  const { environment, database, outcome } = await bench(t);
  const map = await mapFile('stopped.json');
  const csv = await file('stopped.csv', `id,price,lat,lng\n${rows(0, 6_000)}\n`);
  const run = startCli(t, ['import', 'listings', csv, '--map', map], { folder, environment });
  await until('a batch is written', async () => {
    const [row] = await database.read((sql) => sql`select rows from import_run`);
    return Number(row?.rows ?? 0) >= 1_000;
  });
  run.kill('SIGINT');
  const end = await run.ended;
  assert.equal(end.code, 130, end.stderr);
  assert.match(end.stdout, /Stopped\. The same command continues from here\./);
  const anew = await outcome('listings', csv, '--map', map, '--restart');
  assert.deepEqual([anew.resumedAt, anew.rows, anew.rejected], [0, 6_000, 0]);
  assert.equal(Number(anew.created) + Number(anew.unchanged), 6_000);
  assert.ok(Number(anew.unchanged) >= 1_000);
});

test('the same command goes on where Ctrl-C stopped it, and ends like one that was not stopped', async (t) => {
  const { environment, database, outcome } = await bench(t);
  const map = await mapFile('going-on.json');
  const csv = await file('going-on.csv', `id,price,lat,lng\nbad,none,1,2\n${rows(0, 6_000)}\n`);
  const args = ['listings', csv, '--map', map];
  const run = startCli(t, ['import', ...args, '--json'], { folder, environment });
  await until('a batch is written', async () => {
    const [row] = await database.read((sql) => sql`select rows from import_run`);
    return Number(row?.rows ?? 0) >= 1_000;
  });
  run.kill('SIGINT');
  const end = await run.ended;
  assert.equal(end.code, 130, end.stderr);
  const stopped = JSON.parse(end.stdout) as Record<string, number>;
  assert.ok(Number(stopped.rows) >= 1_000 && Number(stopped.rows) < 6_001, `${stopped.rows}`);
  const [stored] = await database.read((sql) => sql`select count(*)::int as n from listing`);
  assert.equal(stored?.n, stopped.created);
  const versions = await rowVersions(database);

  const second = await outcome(...args);
  assert.deepEqual(
    [second.resumedAt, second.rows, second.created, second.unchanged, second.rejected, second.interrupted],
    [stopped.rows, 6_001, 6_000, 0, 1, false],
  );
  const after = new Set(((await rowVersions(database)) as object[]).map((row) => JSON.stringify(row)));
  const rewritten = (versions as { id: string }[]).filter(
    (row) => /^[pe]/.test(row.id) && !after.has(JSON.stringify(row)),
  );
  assert.deepEqual(rewritten, [], 'what was written before is not written again');
  const whole = await bench(t);
  await whole.outcome(...args, '--rejected', join(folder, 'going-on-whole.rejected.csv'));
  assert.deepEqual(await contents(database), await contents(whole.database));
});

test('an import of areas that SIGTERM stopped goes on as well', async (t) => {
  const { environment, database, outcome } = await bench(t);
  const count = 3_000;
  const lines = Array.from({ length: count }, (_, at) => `a${at},Area ${at}`);
  const csv = await file('areas-stopped.csv', `id,name\n${lines.join('\n')}\n`);
  const fields = { id: { column: 'id' }, type: { constant: 'custom' }, name: { column: 'name' } };
  const map = await file(
    'areas-stopped.json',
    JSON.stringify({ kind: 'areas', source: { id: 'a', name: 'A' }, fields }),
  );
  const args = ['areas', csv, '--map', map];
  const run = startCli(t, ['import', ...args, '--json'], { folder, environment });
  await until('a batch is written', async () => {
    const [row] = await database.read((sql) => sql`select rows from import_run`);
    return Number(row?.rows ?? 0) > 0;
  });
  run.kill('SIGTERM');
  const stopped = JSON.parse((await run.ended).stdout) as Record<string, number>;
  assert.ok(Number(stopped.rows) < count, `${stopped.rows}`);
  const second = await outcome(...args);
  assert.deepEqual([second.resumedAt, second.rows, second.created], [stopped.rows, count, count]);
});

test('an interrupted import begins anew where the file or the map is another by now', async (t) => {
  const { environment, database, outcome } = await bench(t);
  const map = await mapFile('another.json');
  const text = `id,price,lat,lng\n${rows(0, 6_000)}\n`;
  const csv = await file('another.csv', text);
  const args = ['listings', csv, '--map', map];
  const run = startCli(t, ['import', ...args], { folder, environment });
  await until('a batch is written', async () => {
    const [row] = await database.read((sql) => sql`select rows from import_run`);
    return Number(row?.rows ?? 0) >= 1_000;
  });
  run.kill('SIGHUP');
  assert.equal((await run.ended).code, 130);
  // One price of the first batch, of the same length.
  await file('another.csv', text.replace('k5,1005,', 'k5,1999,'));
  const anew = await outcome(...args);
  assert.deepEqual([anew.resumedAt, anew.rows, anew.changed, anew.interrupted], [0, 6_000, 1, false]);
});

test('of two imports of one source at once the second is refused', async (t) => {
  const { environment, database, run } = await bench(t);
  const map = await mapFile('twice.json');
  const csv = await file('twice.csv', `id,price,lat,lng\n${rows(0, 6_000)}\n`);
  const first = startCli(t, ['import', 'listings', csv, '--map', map], { folder, environment });
  await until('the first has begun', async () => {
    const [row] = await database.read((sql) => sql`select rows from import_run`);
    return row !== undefined;
  });
  const second = await run('listings', csv, '--map', map);
  assert.equal(second.code, 1);
  assert.match(
    second.stderr,
    /^Error: Another import of listings from small is under way: wait for it to end\./,
  );
  assert.equal((await first.ended).code, 0);
});

test('listings are not imported under the name of a source that is replicated', async (t) => {
  const { database, run } = await bench(t);
  const csv = await file('owned.csv', `id,price,lat,lng\n${rows(0, 3)}\n`);
  await database.write(
    (sql) => sql`
      insert into source_position (source, position, version, loaded, updated_at)
      values ('feed', '{}', 1, 0, now())`,
  );
  for (const id of ['feed', 'sample', 'reso']) {
    const map = await mapFile(`owned-${id}.json`, { source: { id, name: 'Owned' } });
    const { code, stderr } = await run('listings', csv, '--map', map);
    assert.equal(code, 2, stderr);
    assert.match(stderr, new RegExp(`^Error: The service itself replicates the source ${id} `));
  }
  const [listing] = await database.read((sql) => sql`select id from listing`);
  assert.equal(listing, undefined);
});
