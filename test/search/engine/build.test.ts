// Proves that a load gives exactly what the database holds at one sequence, in a thread as in this one, and leaves nothing behind.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { headSequence } from '../../../src/changes/change-store.ts';
import { LISTING_TYPES } from '../../../src/listings/vocabulary.ts';
import { type Database, openDatabase, type Sql } from '../../../src/postgres/client/database.ts';
import { migrate } from '../../../src/postgres/migrations/migrate.ts';
import { ColumnBuffer } from '../../../src/search/engine/columns/column-buffer.ts';
import { isIndexed } from '../../../src/search/engine/columns/columns.ts';
import { idOf } from '../../../src/search/engine/columns/ids.ts';
import type { Generation, Segment, Table } from '../../../src/search/engine/columns/segment.ts';
import { listWords, mergeWords, TailWords } from '../../../src/search/engine/columns/tail-words.ts';
import { hashWord } from '../../../src/search/engine/columns/word-hash.ts';
import { markRows } from '../../../src/search/engine/columns/word-index.ts';
import {
  type Base,
  type BaseBuilder,
  createLocalBuilder,
} from '../../../src/search/engine/segments/build-base.ts';
import { mergeSegment } from '../../../src/search/engine/segments/build-segment.ts';
import { createThreadBuilder } from '../../../src/search/engine/segments/builder-thread.ts';
import type { LoadProgress } from '../../../src/search/engine/segments/load-store.ts';
import { rowArbitrary } from '../../support/catalogue/search-rows.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, testDatabase } from '../../support/database/database.ts';
import { startDatabaseProxy } from '../../support/database/database-proxy.ts';
import { startPostgres15, withoutPostgres15 } from '../../support/database/postgres15.ts';
import { checkSegment, type VersionedRow } from '../../support/engine/check-segment.ts';
import { insertSearchRows, readSearchRows, readWords } from '../../support/engine/search-row-table.ts';

const { database, url } = await testDatabase({ after });
const never = new AbortController().signal;
const ignore = (): void => {};

/** Rows of every status, with these ids. Their places are such as indexes take. */
const drawRows = (count: number, prefix: string): VersionedRow[] =>
  fc
    .sample(fc.record({ indexed: rowArbitrary, version: fc.integer({ min: 1, max: 2 ** 31 - 1 }) }), {
      numRuns: count,
      seed: 5,
    })
    .map(({ indexed: { row }, version }, at) => {
      const location = at % 7 === 0 ? null : `(${(at * 7.31) % 180},${-((at * 3.17) % 90)})`;
      return { row: { ...row, id: `${prefix}${at}`, location }, version };
    });

await insertSearchRows(database, drawRows(1_200, 'lst_'));

function builderOf(t: TestContext, builder: BaseBuilder): BaseBuilder {
  atEnd(t, () => builder.close());
  return builder;
}

/** Each word of a listing leads to its row, and there are no others. */
function checkWords({ words, ...segment }: Segment, expected: ReadonlyMap<string, readonly string[]>): void {
  const marks = new Map<string, Uint8Array>();
  const rowsOf = (word: string): Uint8Array => {
    const known = marks.get(word) ?? new Uint8Array(segment.rows);
    if (!marks.has(word)) markRows(words, hashWord(word), 1, known);
    marks.set(word, known);
    return known;
  };
  let found = 0;
  for (let row = 0; row < segment.rows; row++) {
    for (const word of expected.get(idOf(segment, row)) ?? []) {
      assert.equal(rowsOf(word)[row], 1, word);
      found++;
    }
  }
  assert.equal(marks.size, words.hashes.length);
  const marked = [...marks.values()].reduce(
    (sum, rows) => sum + rows.reduce((all, mark) => all + mark, 0),
    0,
  );
  assert.equal(marked, found);
}

async function checkBase({ segments, dictionaries, sequence }: Base, of: Database): Promise<void> {
  const held = (await readSearchRows(of)).filter(({ row }) => isIndexed(row.status));
  assert.ok(held.length > 100);
  const words = await readWords(of);
  for (const type of LISTING_TYPES) {
    checkWords(segments[type], words);
    checkSegment(
      segments[type],
      held.filter(({ row }) => row.listing_type === type),
      dictionaries,
    );
  }
  assert.equal(sequence, await of.read(headSequence));
  assert.ok(sequence > 0);
}

test('a load holds every fact of every listing on the market, at the sequence of the log', async (t) => {
  const told: LoadProgress[] = [];
  const builder = builderOf(t, createLocalBuilder(database));
  await checkBase(await builder.load((progress) => told.push(progress), never), database);
  assert.equal(told[0]?.rows, 0);
});

test('a thread loads the same, tells its progress, and shares what it loaded', async (t) => {
  const builder = builderOf(t, createThreadBuilder({ target: { url }, file: null, report: assert.ifError }));
  const told: LoadProgress[] = [];
  const base = await builder.load((progress) => told.push(progress), never);
  await checkBase(base, database);
  assert.equal(told[0]?.rows, 0);
  assert.ok(base.segments.sale.versions.buffer instanceof SharedArrayBuffer);
});

test('a load from PostgreSQL 15 holds the same', { skip: withoutPostgres15 }, async (t) => {
  const old = openDatabase({ url: await startPostgres15(t), timeout: 60_000 });
  atEnd(t, () => old.close(100));
  await migrate(old);
  await insertSearchRows(old, drawRows(600, 'lst_'));
  await checkBase(await builderOf(t, createLocalBuilder(old)).load(ignore, never), old);
});

test('what is committed after the sequence was read is not in the load', async (t) => {
  const head = await database.read(headSequence);
  const late = drawRows(40, 'late_').map(({ row, version }) => ({
    row: { ...row, status: 'ACTIVE' as const },
    version,
  }));
  const lateWriter = (sql: Sql): Sql => {
    const copy: Sql['copy'] = async (...of) => {
      await insertSearchRows(database, late);
      await sql.copy(...of);
    };
    return Object.assign(sql.bind(null) as Sql, sql, { copy });
  };
  const disturbed: Database = {
    ...database,
    read: (work, options) => database.read((sql) => work(lateWriter(sql)), options),
  };
  const { segments, sequence } = await builderOf(t, createLocalBuilder(disturbed)).load(ignore, never);
  assert.equal(sequence, head);
  const ids = LISTING_TYPES.map((type) => Buffer.from(segments[type].texts.id.bytes).toString()).join();
  assert.ok(ids.includes('lst_') && !ids.includes('late_'));
  await checkBase(await builderOf(t, createLocalBuilder(database)).load(ignore, never), database);
});

test('a thread merges a tail as this thread does', async (t) => {
  const { segments, dictionaries, sequence } = await builderOf(t, createLocalBuilder(database)).load(
    ignore,
    never,
  );
  const buffer = new ColumnBuffer(dictionaries);
  const tailWords = new TailWords();
  for (const { row, version } of drawRows(300, 'new_'))
    tailWords.add(buffer.add(row, version), [row.id, 'oak'].map(hashWord));
  const tableOf = (base: Table['base']): Table => ({
    base,
    baseRemoved: Uint32Array.of(0b1011),
    tail: buffer.columns(),
    tailRemoved: Uint32Array.of(0, 1),
    live: 0,
    tailWords,
  });
  const generation: Generation = {
    dictionaries,
    sequence,
    tables: { rental: tableOf(segments.rental), sale: tableOf(segments.sale) },
  };
  const merged = await builderOf(
    t,
    createThreadBuilder({ target: { url }, file: null, report: assert.ifError }),
  ).merge(generation, never);
  for (const type of LISTING_TYPES) {
    const { base, baseRemoved, tail, tailRemoved } = generation.tables[type];
    const indexWords = (source: Uint32Array) =>
      mergeWords(base.words, listWords(tailWords.byRow(), 300), source, base.rows);
    assert.deepEqual(merged[type], mergeSegment(base, baseRemoved, tail, tailRemoved, indexWords));
    assert.equal(merged[type].rows, base.rows - 3 + 299);
  }
});

test('a load that cannot be, that is not wanted any more or whose builder closes, rejects, and its session ends', async (t) => {
  const proxy = await startDatabaseProxy(t, url);
  const sessions = () =>
    database.read(
      (sql) =>
        sql`select from pg_stat_activity where application_name = 'freehold search' and datname = current_database()`,
    );
  const ended = () => until('the session ends', async () => (await sessions()).length === 0);
  const builder = builderOf(
    t,
    createThreadBuilder({ target: { url: proxy.url }, file: null, report: assert.ifError }),
  );
  const reason = new Error('not wanted any more');
  const aborting = new AbortController();
  const aborted = builder.load(() => aborting.abort(reason), aborting.signal);
  await assert.rejects(aborted, (error) => error === reason);
  await ended();
  proxy.mode = 'cut';
  await assert.rejects(builder.load(ignore, never), /database/);
  proxy.mode = 'hang';
  const hanging = builder.load(ignore, never);
  const outcome = assert.rejects(hanging, /closed/);
  await until('it has begun', () => proxy.swallowed > 0);
  await builder.close();
  await outcome;
  await ended();
  await assert.rejects(builder.load(ignore, never), /closed/);
});
