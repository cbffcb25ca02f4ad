// Benchmark of matching: changes a second, memory and loading of the index, against SQL over a table of watchers.

import type { Database } from '../../src/postgres/client/database.ts';
import type { ChangedWords } from '../../src/watch/matching/index/change-sides.ts';
import { WatcherIndex } from '../../src/watch/matching/index/watcher-index.ts';
import type { WatcherDefinition } from '../../src/watch/matching/watcher-definition.ts';
import { percentile } from '../statistics.ts';
import type { Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { change, listingNo, listingWords, watcher } from './mix.ts';

const SIZES = [10_000, 100_000, 1_000_000];
/** Changes a second and core. */
const GOALS: ReadonlyMap<number, number> = new Map([
  [100_000, 1_000],
  [1_000_000, 100],
]);
const MAX_BYTES = 400;
const CHANGES = 2_000;
/** Queries in PostgreSQL are slow, so few are enough. */
const SQL_CHANGES = 40;
const SQL_WATCHERS = 100_000;
const INSERT_BATCH = 5_000;

/** The mix of watchers at each size; then the same matches by SQL, at the smallest. */
export async function matchWatchers({ database }: Testbed): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) rows.push(...measureIndex(size));
  return [...rows, ...(await compareWithSql(database))];
}

const note = (name: string, figure: string, floor = '', met = true): Row => ({ name, figure, floor, met });

function measureIndex(size: number): Row[] {
  globalThis.gc?.();
  const memoryBefore = usedMemory();
  const begun = performance.now();
  const index = loadIndex(size);
  const seconds = (performance.now() - begun) / 1000;
  globalThis.gc?.();
  const bytes = Math.round((usedMemory() - memoryBefore) / size);
  matchAll(index);
  const { perSecond, p99, matches } = matchAll(index);
  const goal = GOALS.get(size);
  return [
    note(
      `changes matched a second and core, ${size} watchers`,
      `${perSecond} (p99 ${p99.toFixed(1)} ms, ${matches} matches a change)`,
      goal === undefined ? '' : String(goal),
      perSecond >= (goal ?? 0),
    ),
    note(
      `bytes a watcher, ${size}`,
      String(bytes),
      goal === undefined ? '' : String(MAX_BYTES),
      goal === undefined || bytes <= MAX_BYTES,
    ),
    note(`seconds to load ${size}`, seconds.toFixed(1)),
  ];
}

const usedMemory = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

function loadIndex(size: number): WatcherIndex<number> {
  const index = new WatcherIndex<number>();
  for (let no = 1; no <= size; no++) index.add(watcher(no), no);
  return index;
}

function matchAll(index: WatcherIndex<number>) {
  const times: number[] = [];
  let matches = 0;
  const count = (): void => {
    matches++;
  };
  const before = process.cpuUsage();
  for (let no = 0; no < CHANGES; no++) {
    const [each, words] = [change(no), wordsOf(no)];
    const begun = performance.now();
    if (!index.match(each, null, count)) index.match(each, words, count);
    times.push(performance.now() - begun);
  }
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: Math.round(CHANGES / ((user + system) / 1e6)),
    p99: percentile(times, 0.99),
    matches: Math.round(matches / CHANGES),
  };
}

function wordsOf(no: number): ChangedWords {
  const words = listingWords(listingNo(change(no)));
  return { before: words, after: words };
}

interface SqlWatcher {
  readonly no: number;
  readonly low: number;
  readonly high: number;
  readonly areaNo: number;
  readonly minBedrooms: number;
  readonly types: readonly string[];
}

/** The watchers of an area, price, bedrooms and types as a table would hold them. */
function sqlWatchers(): SqlWatcher[] {
  return Array.from({ length: SQL_WATCHERS }, (_, at) => watcher(at + 1)).flatMap(sqlWatcher);
}

function sqlWatcher({ no, target }: WatcherDefinition): SqlWatcher[] {
  const [areaNo] = target.type === 'search' ? target.search.areaNos : [];
  if (target.type !== 'search' || areaNo === undefined) return [];
  const price = target.search.conditions.find((each) => each.kind === 'range' && each.column === 'price');
  const bedrooms = target.search.conditions.find(
    (each) => each.kind === 'range' && each.column === 'bedrooms',
  );
  const types = target.search.conditions.find(
    (each) => each.kind === 'words' && each.column === 'propertyType',
  );
  if (price?.kind !== 'range' || bedrooms?.kind !== 'range' || types?.kind !== 'words') return [];
  const [low, high] = [Number(price.min ?? 0), Number(price.max ?? 1e12)];
  return [{ no, low, high, areaNo, minBedrooms: Number(bedrooms.min), types: types.values }];
}

/** Those whose match begins or ends with each change: one indexed query, one query a watcher, and the index. */
async function compareWithSql(database: Database): Promise<Row[]> {
  const watchers = sqlWatchers();
  const index = new WatcherIndex<number>();
  for (const { no } of watchers) index.add(watcher(no), no);
  await createTable(database, watchers);
  // Both are warm: compiled here, cached there.
  matchAll(index);
  for (let no = 0; no < SQL_CHANGES; no++) await matchBySql(database, no);
  const spent = { index: 0, sql: 0, each: 0 };
  for (let no = 0; no < SQL_CHANGES; no++) {
    const found: number[] = [];
    const [each, words] = [change(no), wordsOf(no)];
    let begun = performance.now();
    index.match(each, words, (watcherNo) => found.push(watcherNo));
    spent.index += performance.now() - begun;
    begun = performance.now();
    const rows = await matchBySql(database, no);
    spent.sql += performance.now() - begun;
    if (found.sort((a, b) => a - b).join() !== rows.join())
      throw new Error(`Change ${no} has other matches in SQL`);
  }
  const begun = performance.now();
  for (const { no } of watchers.slice(0, 500)) await matchBySql(database, 0, no);
  spent.each = ((performance.now() - begun) * watchers.length) / 500;
  const perChange = { index: spent.index / SQL_CHANGES, sql: spent.sql / SQL_CHANGES };
  const [p16, p17] = [spent.each / perChange.index, perChange.sql / perChange.index];
  return [
    note(
      `P16, one query a watcher, ${watchers.length} watchers`,
      `${Math.round(p16)}x`,
      '10000x',
      p16 >= 10_000,
    ),
    note(`P17, one indexed query, ${watchers.length} watchers`, `${Math.round(p17)}x`, '20x', p17 >= 20),
  ];
}

async function createTable(database: Database, watchers: readonly SqlWatcher[]): Promise<void> {
  await database.transaction(
    async (tx) => {
      await tx`create extension if not exists btree_gist`;
      await tx`drop table if exists bench_watcher`;
      await tx`create table bench_watcher (no bigint primary key, area_no int, prices numrange, min_bedrooms float8, types text[])`;
      for (let first = 0; first < watchers.length; first += INSERT_BATCH)
        await tx`insert into bench_watcher
        select no, "areaNo", numrange(low, high, '[]'), "minBedrooms", array(select json_array_elements_text(types))
        from json_to_recordset(${JSON.stringify(watchers.slice(first, first + INSERT_BATCH))}::text::json)
          as batch (no bigint, "areaNo" int, low numeric, high numeric, "minBedrooms" float8, types json)`;
      await tx`create index on bench_watcher using gist (area_no, prices)`;
    },
    { timeout: 0 },
  );
  await database.write((sql) => sql`analyze bench_watcher`);
}

/** The watchers whose match differs between the sides of the change; `only`: of one of them. */
async function matchBySql(database: Database, no: number, only: number | null = null): Promise<number[]> {
  const { after, before } = change(no);
  const rows = [after.row, ...(before === null ? [] : [{ ...after.row, ...before.row }])];
  const rowsFound = await database.read((sql) => {
    const matches = rows.map(
      (row) => sql`select no from bench_watcher where area_no = any(${[...row.area_nos]}::int[])
        and prices @> ${row.price}::numeric and min_bedrooms <= ${row.bedrooms} and ${row.property_type} = any(types)
        and ${row.status} = 'ACTIVE' ${only === null ? sql`` : sql`and no = ${only}`}`,
    );
    const [now, previous = sql`select 0::bigint as no where false`] = matches;
    return sql<{ no: number }[]>`
      with now as (${now ?? previous}), previous as (${previous})
      (select no from now except select no from previous) union (select no from previous except select no from now)
      order by no`;
  });
  return rowsFound.map((row) => row.no);
}
