// Proves that a start from the column file gives what a load gave, and that a file is used only where it belongs.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { LISTING_TYPES } from '../../../src/listings/vocabulary.ts';
import { ColumnBuffer } from '../../../src/search/engine/columns/column-buffer.ts';
import type { Generation, Table } from '../../../src/search/engine/columns/segment.ts';
import { TailWords } from '../../../src/search/engine/columns/tail-words.ts';
import { hashWord } from '../../../src/search/engine/columns/word-hash.ts';
import type { Base } from '../../../src/search/engine/segments/build-base.ts';
import { createThreadBuilder } from '../../../src/search/engine/segments/builder-thread.ts';
import type { LoadProgress } from '../../../src/search/engine/segments/load-store.ts';
import { rowArbitrary } from '../../support/catalogue/search-rows.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, temporaryFolder, testDatabase } from '../../support/database/database.ts';
import type { VersionedRow } from '../../support/engine/check-segment.ts';
import { insertSearchRows } from '../../support/engine/search-row-table.ts';
import { manualClock } from '../../support/service/clock.ts';

const never = new AbortController().signal;

const drawRows = (count: number, prefix: string): VersionedRow[] =>
  fc.sample(rowArbitrary, { numRuns: count, seed: 6 }).map(({ row }, at) => ({
    row: { ...row, id: `${prefix}${at}`, location: `(${at % 180},${at % 90})`, status: 'ACTIVE' },
    version: at + 1,
  }));

async function stage(t: TestContext) {
  const { database, url } = await testDatabase(t);
  await insertSearchRows(database, drawRows(200, 'lst_'));
  const file = join(await temporaryFolder(t, 'columns'), 'columns');
  const reported: unknown[] = [];
  const clock = manualClock();
  /** A builder as a new process has one. */
  const start = (of = { url, file }) => {
    const report = (error: unknown): void => void reported.push(error);
    const builder = createThreadBuilder({ target: { url: of.url }, file: of.file, report, clock });
    atEnd(t, () => builder.close());
    return builder;
  };
  /** What a new process loads, and whether it read the database for it. */
  async function load(of?: { url: string; file: string }) {
    const told: LoadProgress[] = [];
    const builder = start(of);
    const base = await builder.load((progress) => told.push(progress), never);
    return { base, isFromFile: told.length === 0, builder };
  }
  /** Loads from the database, and waits until the file is there. */
  async function write(): Promise<Base> {
    const { base, isFromFile } = await load();
    assert.equal(isFromFile, false);
    await until('the file is written', () => existsSync(file) && !existsSync(`${file}.draft`));
    return base;
  }
  return { database, url, file, reported, clock, start, load, write };
}

const plain = ({ segments, dictionaries, sequence }: Base) => ({
  segments,
  sequence,
  words: Object.values(dictionaries).map((dictionary) =>
    Array.from({ length: dictionary.size }, (_, code) => dictionary.word(code)),
  ),
});

test('a start reads the file that the start before wrote, and has the same segments, words and sequence', async (t) => {
  const { database, load, write, reported } = await stage(t);
  const written = await write();
  await insertSearchRows(database, drawRows(5, 'late_'));
  const { base, isFromFile } = await load();
  assert.ok(isFromFile);
  assert.deepEqual(plain(base), plain(written));
  assert.ok(base.segments.sale.versions.buffer instanceof SharedArrayBuffer);
  assert.deepEqual(reported, []);
});

test('who loads a second time gets what the database has', async (t) => {
  const { start, write } = await stage(t);
  await write();
  const builder = start();
  const told: LoadProgress[] = [];
  await builder.load((progress) => told.push(progress), never);
  assert.equal(told.length, 0);
  await builder.load((progress) => told.push(progress), never);
  assert.ok(told.length > 0);
});

test('a file that is damaged, cannot be read, or belongs to another database or another past is passed over', async (t) => {
  const { database, load, write, file, reported } = await stage(t);
  /** Nothing is written any more when this resolves. */
  const refused = async (what: string, of?: Parameters<typeof load>[0]) => {
    const { isFromFile, builder } = await load(of);
    assert.equal(isFromFile, false, what);
    await builder.close();
  };
  await write();
  const whole = await readFile(file);
  const restore = () => writeFile(file, whole);

  await writeFile(file, whole.subarray(0, whole.length - 1));
  await refused('damaged');
  await restore();
  const other = await testDatabase(t);
  await insertSearchRows(other.database, drawRows(200, 'lst_'));
  await refused('another database', { url: other.url, file });
  await restore();
  assert.ok((await load()).isFromFile);

  await database.write(
    (sql) =>
      sql`update change_log set retained_from = (select max(first_sequence + changes) from change_batch) + 1`,
  );
  await refused('older than the log');
  await database.write((sql) => sql`update change_log set retained_from = 1`);
  await restore();
  await database.write(
    (sql) => sql`update change_batch set committed_at = committed_at + interval '1 second'`,
  );
  await refused('another past');
  await restore();
  await database.write(
    (sql) => sql`update change_batch set committed_at = committed_at - interval '1 second'`,
  );
  assert.ok((await load()).isFromFile);

  assert.deepEqual(reported, []);
});

test('a merge leaves the file alone, and renews it once it is ten minutes old', async (t) => {
  const { clock, start, load, write, file } = await stage(t);
  await write();
  const builder = start();
  const base = await builder.load(() => {}, never);
  const generation = withTail(base);
  const before = await readFile(file);
  const { ino } = await stat(file);
  clock.advance(599_999);
  // Each is a thread, and the first would be done with the file before the last one has begun.
  for (let merge = 0; merge < 4; merge++) await builder.merge(generation, never);
  assert.equal((await stat(file)).ino, ino);
  clock.advance(1);
  const merged = await builder.merge(generation, never);
  await until('the file is renewed', async () => !(await readFile(file)).equals(before));
  const next = await load();
  assert.ok(next.isFromFile);
  assert.deepEqual(plain(next.base), plain({ ...generation, segments: merged }));
});

test('a place where no file can be written is reported, and costs nothing else', async (t) => {
  const { url, load, reported } = await stage(t);
  const { base } = await load({ url, file: '/nowhere/columns' });
  assert.ok(base.segments.sale.rows > 0);
  await until('it is reported', () => reported.length > 0);
});

/** A generation with a few more rows, whose words are new. */
function withTail({ segments, dictionaries, sequence }: Base): Generation {
  const tables = LISTING_TYPES.map((type): [string, Table] => {
    const [buffer, tailWords] = [new ColumnBuffer(dictionaries), new TailWords()];
    for (const [at, { row, version }] of drawRows(3, 'new_').entries()) {
      buffer.add({ ...row, city: `new city ${at}` }, version);
      tailWords.add(at, [hashWord('new')]);
    }
    const nothing = { baseRemoved: new Uint32Array(), tailRemoved: new Uint32Array() };
    return [type, { base: segments[type], ...nothing, tail: buffer.columns(), live: 0, tailWords }];
  });
  return { dictionaries, sequence, tables: Object.fromEntries(tables) as Generation['tables'] };
}
