// Count of what is read of a database, for tests of readers who leave.

import assert from 'node:assert/strict';
import type { Database, Sql } from '../../../src/postgres/client/database.ts';
import { isOfLog } from '../engine/log-fault.ts';

export interface WatchedReads {
  /** How many there were so far. */
  count(): number;
  /** The same, once nothing moves any more. */
  settled(): Promise<number>;
}

/** Parts come before the statement that has them. */
const isStatement = (text: unknown): boolean => /\bselect\b/.test(String(text));

/** Counts what is read of the database from now on, but for the log of changes, which an engine reads each second. */
export function watchReads(database: Database): WatchedReads & Disposable {
  const read = database.read.bind(database);
  let [reads, waiting] = [0, 0];
  const counting: typeof database.read = async (work, own) => {
    let isJudged = false;
    waiting += 1;
    const judge = (text: unknown): void => {
      if (isJudged || !isStatement(text)) return;
      if (!isOfLog(text)) reads += 1;
      isJudged = true;
    };
    const judging = (sql: Sql): Sql =>
      new Proxy(sql, {
        apply(target, self, given: Parameters<Sql>) {
          judge(given[0]);
          return Reflect.apply(target, self, given);
        },
      });
    return read((sql) => work(judging(sql)), own).finally(() => {
      waiting -= 1;
    });
  };
  Object.assign(database, { read: counting });
  const settled = async () => {
    // As long as anything moves it is read on; what stands still for twenty turns of the database is at rest.
    for (let [still, before] = [0, -1]; still < 20; ) {
      const [row] = await read((sql) => sql<{ one: number }[]>`select 1 as one`);
      assert.equal(row?.one, 1);
      still = reads === before && waiting === 0 ? still + 1 : 0;
      before = reads;
    }
    return reads;
  };
  return {
    settled,
    count: () => reads,
    [Symbol.dispose]: () => {
      Object.assign(database, { read });
    },
  };
}
