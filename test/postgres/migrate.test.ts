// Proves that the schema is brought up to date once, in order, and never against another release's database.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { MigrationError, migrate, pendingMigrations } from '../../src/postgres/migrations/migrate.ts';
import { emptyDatabase, temporaryFolder, testDatabase } from '../support/database/database.ts';

const FIRST = { '001_homes.sql': 'create table homes (id int); insert into homes values (1);' };
const SECOND = { '002_index.sql': '-- no-transaction\ncreate index concurrently homes_id on homes (id);' };

async function folderWith(t: TestContext, files: Record<string, string>): Promise<string> {
  const folder = join(await temporaryFolder(t, 'migrations'), 'migrations');
  await mkdir(folder);
  await change(folder, files);
  return folder;
}

async function change(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

test('each migration runs once, in order, with its progress told', async (t) => {
  const { database } = await emptyDatabase(t);
  const folder = await folderWith(t, { ...SECOND, ...FIRST });
  const told: string[] = [];
  const onProgress = (name: string, index: number, total: number) =>
    told.push(`${name} ${index + 1}/${total}`);
  assert.deepEqual(await pendingMigrations(database, folder), ['001_homes.sql', '002_index.sql']);
  assert.deepEqual(await migrate(database, { folder, onProgress }), ['001_homes.sql', '002_index.sql']);
  assert.deepEqual(told, ['001_homes.sql 1/2', '002_index.sql 2/2']);
  assert.deepEqual(await migrate(database, { folder }), []);
  assert.deepEqual(await pendingMigrations(database, folder), []);
});

test('a migration that fails leaves nothing behind and can be run again once it is mended', async (t) => {
  const { database } = await emptyDatabase(t);
  const folder = await folderWith(t, {
    '001_homes.sql': 'create table homes (id int); select no_such_function();',
  });
  await assert.rejects(migrate(database, { folder }), /001_homes\.sql failed: .*no_such_function/);
  const [row] = await database.read((sql) => sql`select to_regclass('homes') as homes`);
  assert.equal(row?.homes, null);
  await change(folder, FIRST);
  assert.deepEqual(await migrate(database, { folder }), ['001_homes.sql']);
});

test('a migration that was changed after it had been applied is refused', async (t) => {
  const { database } = await emptyDatabase(t);
  const folder = await folderWith(t, FIRST);
  await migrate(database, { folder });
  await change(folder, { '001_homes.sql': 'create table homes (id bigint);' });
  await assert.rejects(migrate(database, { folder }), (error: Error) => {
    return error instanceof MigrationError && error.message.startsWith('001_homes.sql was changed after');
  });
});

test('a database of a newer release is refused', async (t) => {
  const { database } = await emptyDatabase(t);
  await migrate(database, { folder: await folderWith(t, { ...FIRST, ...SECOND }) });
  await assert.rejects(
    migrate(database, { folder: await folderWith(t, FIRST) }),
    /002_index\.sql.*newer release/,
  );
});

test('two processes that migrate at once both succeed and run every file once', async (t) => {
  const { url, database } = await emptyDatabase(t);
  const folder = await folderWith(t, {
    '001_slow.sql':
      'create table runs (pid int); select pg_sleep(0.3); insert into runs values (pg_backend_pid());',
    '002_index.sql': '-- no-transaction\ncreate index concurrently runs_pid on runs (pid);',
  });
  const program = join(import.meta.dirname, '../support/database/migrate-child.ts');
  const outputs = await Promise.all([1, 2].map(() => runChild([program, url, folder])));
  assert.deepEqual(outputs.toSorted(), ['["001_slow.sql","002_index.sql"]', '[]']);
  const rows = await database.read((sql) => sql`select pid from runs`);
  assert.equal(rows.length, 1);
});

test('a fresh test database has every migration of this release', async (t) => {
  const { database } = await testDatabase(t);
  assert.deepEqual(await pendingMigrations(database), []);
});

test('every table and function of the schema has a comment', async (t) => {
  const { database } = await testDatabase(t);
  const bare = await database.read(
    (sql) => sql`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and obj_description(oid, 'pg_class') is null
      union all select proname from pg_proc
      where pronamespace = 'public'::regnamespace and obj_description(oid, 'pg_proc') is null order by 1`,
  );
  assert.deepEqual([...bare], []);
});

async function runChild(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.equal(code, 0);
  return output.trim();
}
