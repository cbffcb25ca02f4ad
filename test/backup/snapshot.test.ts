// Proves that a backup is exactly one state of the database whatever is written meanwhile, and what waits for it.

import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import type { ArchiveEntry } from '../../src/backup/archive/read-archive.ts';
import { readArchive } from '../../src/backup/archive/read-archive.ts';
import { countLines } from '../../src/backup/archive/verify-archive.ts';
import { BackupFailure } from '../../src/backup/backup-failure.ts';
import { type BackupOptions, makeBackup } from '../../src/backup/make-backup.ts';
import { createDayPartitions } from '../../src/postgres/client/day-partitions.ts';
import { SCHEMA_LOCK, tryLock } from '../../src/postgres/client/schema-locks.ts';
import { MIGRATIONS_FOLDER, migrate } from '../../src/postgres/migrations/migrate.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });
const TODAY = Date.parse('2026-11-28T12:00:00Z');

/** Where an archive is kept in memory; while it is closed nothing more is written. */
class Memory extends Writable {
  readonly #chunks: Buffer[] = [];
  #release: (() => void) | null = null;
  isClosed = false;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    if (this.isClosed) this.#release = done;
    else done();
  }

  open(): void {
    this.isClosed = false;
    this.#release?.();
  }

  async entries(): Promise<ArchiveEntry[]> {
    const archive = await readArchive(chunksOf(this.#chunks), { passphrase: async () => null });
    return Array.fromAsync(archive.entries);
  }
}

async function* chunksOf(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

const optionsFor = (output: Writable): BackupOptions => ({
  database,
  output,
  release: '0.2.0',
  connections: 3,
  seal: null,
  secretsKey: null,
  outside: { settings: ['DATABASE_URL'], files: ['/etc/freehold/tiers.json'] },
  isFinal: false,
  signal: new AbortController().signal,
});

const backup = (output: Writable, options: Partial<BackupOptions> = {}) =>
  makeBackup({ ...optionsFor(output), ...options });

const rowsOf = (entries: readonly ArchiveEntry[], name: RegExp): string[] =>
  entries.flatMap((entry) =>
    entry.kind === 'part' && name.test(entry.table.name) ? entry.rows.toString().trimEnd().split('\n') : [],
  );

test('while a writer commits, each backup is the state after one commit, whose sequence it names', async () => {
  await createDayPartitions(database, 'change', TODAY);
  await database.write((sql) => sql`create table witness (number int, filler text)`);
  await database.write((sql) => sql`create table witness_total (total int)`);
  await database.write((sql) => sql`insert into witness_total values (0)`);
  let isWriting = true;
  let commits = 0;
  // Each commit writes as many changes as rows, in tables that are copied by several connections.
  const commit = (count: number) =>
    database.transaction(async (tx) => {
      await tx`
        insert into change (batch_id, ordinal, day, at, kind, quiet, changed)
        select batch.batch_id, batch.ordinal + number, batch.day, now(), 'watcher', true, '{}'
        from open_change_batch('2026-11-28', ${count}) as batch, generate_series(0, ${count - 1}) as number`;
      await tx`insert into witness select number, repeat('x', 500) from generate_series(1, ${count}) as number`;
      await tx`update witness_total set total = total + ${count}`;
    });
  await commit(2_000);
  const writing = (async () => {
    for (; isWriting; commits++) await commit(1 + (commits % 7));
  })();
  try {
    for (let round = 0; round < 5; round++) {
      const before = commits;
      const output = new Memory();
      const { header } = await backup(output);
      const entries = await output.entries();
      const changes = rowsOf(entries, /^change_\d{8}$/);
      const total = Number(rowsOf(entries, /^witness_total$/)[0]);
      const counts = [changes.length, rowsOf(entries, /^witness$/).length, total];
      assert.deepEqual(counts, Array(3).fill(header.sequence), `of the backup after ${before} commits`);
      const last = entries.at(-1);
      assert.equal(last?.kind, 'manifest');
      const sequence = last.manifest.sequences.find(({ name }) => name === 'change_sequence');
      assert.ok(Number(sequence?.value) >= header.sequence);
      await until('another commit', () => commits > before);
    }
  } finally {
    isWriting = false;
    await writing;
  }
});

test('the archive says what is in it: columns without generated ones, partitions with their bounds, and what is outside', async () => {
  await database.write(
    (sql) =>
      sql`create table sized (width int, area int generated always as (width * width) stored, "last name" text)`,
  );
  await database.write(
    (sql) =>
      sql`insert into sized (width, "last name") values (3, ${'tab\there\nand \\ "quoted"'}), (4, null)`,
  );
  const output = new Memory();
  const { header, manifest } = await backup(output);
  const table = (name: string) => header.tables.find((each) => each.name === name);
  assert.deepEqual(table('sized')?.columns, ['width', 'last name']);
  assert.deepEqual(rowsOf(await output.entries(), /^sized$/), [
    '3\ttab\\there\\nand \\\\ "quoted"',
    '4\t\\N',
  ]);
  assert.deepEqual(table('change_20261128')?.partition, {
    of: 'change',
    bounds: "FOR VALUES FROM ('2026-11-28') TO ('2026-11-29')",
  });
  assert.deepEqual(table('change_default')?.partition, { of: 'change', bounds: 'DEFAULT' });
  assert.deepEqual([table('change'), table('schema_migrations')], [undefined, undefined]);
  const [first] = await database.read(
    (sql) => sql`select count(*)::int as count, max(version) as version from schema_migrations`,
  );
  assert.deepEqual(
    [header.migrations.length, header.migrations.at(-1)?.version],
    [first?.count, first?.version],
  );
  assert.deepEqual(manifest.outside, { settings: ['DATABASE_URL'], files: ['/etc/freehold/tiers.json'] });
  assert.deepEqual([header.release, header.final], ['0.2.0', false]);
  for (const { name, rows, bytes } of manifest.tables) {
    const parts = manifest.parts.filter((part) => part.name.startsWith(`data/${name}/`));
    assert.deepEqual(
      [rows, bytes],
      [parts.reduce((sum, part) => sum + part.rows, 0), parts.reduce((sum, part) => sum + part.bytes, 0)],
    );
  }
});

test('each table is whole: as many rows as the database counts', async () => {
  const output = new Memory();
  const { manifest } = await backup(output);
  const counted = new Map<string, number>();
  for (const entry of await output.entries())
    if (entry.kind === 'part')
      counted.set(entry.table.name, (counted.get(entry.table.name) ?? 0) + countLines(entry.rows));
  for (const { name, rows } of manifest.tables) {
    const [row] = await database.read((sql) => sql`select count(*)::int as count from ${sql(name)}`);
    assert.deepEqual([rows, counted.get(name) ?? 0], [row?.count, row?.count], name);
  }
});

test('sequences are never below what rows use, and keep their state where nothing was given out', async () => {
  await database.write(
    (sql) => sql`create table numbered (no bigint generated always as identity, word text)`,
  );
  await database.write((sql) => sql`create sequence untouched start 7`);
  await database.write(
    (sql) => sql`insert into numbered (no, word) overriding system value values (99, 'far ahead')`,
  );
  const value = async () => {
    const { manifest } = await backup(new Memory());
    const sequence = (wanted: string) => manifest.sequences.find(({ name }) => name === wanted);
    return [sequence('numbered_no_seq'), sequence('untouched')];
  };
  assert.deepEqual(await value(), [
    { name: 'numbered_no_seq', value: '99', isCalled: true },
    { name: 'untouched', value: '7', isCalled: false },
  ]);
  await database.write((sql) => sql`select setval('numbered_no_seq', 1000)`);
  assert.deepEqual((await value())[0], { name: 'numbered_no_seq', value: '1000', isCalled: true });
});

test('while a backup is made partitions stay, migrations and other backups wait or are refused; then all go on', async (t) => {
  const folder = join(await temporaryFolder(t, 'migrations'), 'migrations');
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  await writeFile(join(folder, '999_more.sql'), 'create table more (id int);\n');
  // Random, so that it fills the archive's buffers although compressed.
  await database.write(
    (sql) =>
      sql`create table noise as select md5(random()::text) || md5(random()::text) as text from generate_series(1, 20000)`,
  );
  const output = new Memory();
  output.isClosed = true;
  const made = backup(output);
  await until('it is being written', () => output.writableLength > 0);
  const days = async () =>
    (await database.read((sql) => sql`select from pg_inherits where inhparent = 'change'::regclass`)).length;
  const before = await days();
  await createDayPartitions(database, 'change', TODAY + 10 * 86_400_000);
  assert.equal(await days(), before);
  await assert.rejects(
    backup(new Memory()),
    (error) => error instanceof BackupFailure && /Another backup/.test(error.message),
  );
  assert.deepEqual(await migrate(database), [], 'with nothing to do a start does not wait');
  const waits: string[] = [];
  const migrated = migrate(database, { folder, onWait: (why) => waits.push(why) });
  await until('the migration waits', () => waits.length > 0);
  assert.deepEqual(waits, ['Waiting for a backup of the database to end']);
  output.open();
  await made;
  assert.deepEqual(await migrated, ['999_more.sql']);
  await createDayPartitions(database, 'change', TODAY + 10 * 86_400_000);
  assert.equal(await days(), before + 4);
});

test('a backup is refused while the schema is updated, and of a database that is none of ours', async () => {
  const updating = database.dedicated();
  assert.equal(await tryLock(updating.sql, SCHEMA_LOCK), true);
  await assert.rejects(
    backup(new Memory()),
    (error) => error instanceof BackupFailure && /being updated/.test(error.message),
  );
  await updating.end(1);
  await backup(new Memory());
});

test('a lost connection, a full disk and a stop end it with their reasons, and free the database', async () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const disk = new Writable({ write: (_chunk, _encoding, done) => done(full) });
  await assert.rejects(backup(disk), full);
  const stopping = new AbortController();
  const slow = new Memory();
  slow.isClosed = true;
  const stopped = backup(slow, { signal: stopping.signal });
  await until('it is being written', () => slow.writableLength > 0);
  stopping.abort(new Error('enough'));
  await assert.rejects(stopped, /enough/);
  const hanging = new Memory();
  hanging.isClosed = true;
  const lost = backup(hanging);
  await until('it is being written', () => hanging.writableLength > 0);
  const ended = await database.write(
    (sql) => sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
  );
  assert.ok(ended.length > 0);
  hanging.open();
  await assert.rejects(lost);
  await backup(new Memory());
});
