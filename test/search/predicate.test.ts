// Proves that each kind of condition means the same for one row as in PostgreSQL.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { SearchRow } from '../../src/listings/search-row.ts';
import { joinSql } from '../../src/postgres/client/sql.ts';
import { toJson } from '../../src/postgres/client/value-types.ts';
import type { Condition } from '../../src/search/query/condition.ts';
import { CONDITION_KINDS, kindOf } from '../../src/search/query/condition-kinds.ts';
import type { ResolvedQuery, WordMeaning } from '../../src/search/query/plan.ts';
import { conditionsSql } from '../../src/search/sql/condition-sql.ts';
import { areaWord } from '../../src/text/tokenize.ts';
import {
  CONDITIONS,
  type IndexedRow,
  namesArbitrary,
  rowArbitrary,
  STARTED_AT,
} from '../support/catalogue/search-rows.ts';
import { runs } from '../support/check/runs.ts';
import { testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });

interface Names {
  readonly areaNos: readonly number[];
  readonly words: Readonly<Record<string, WordMeaning>>;
}

const resolvedOf = ({ areaNos, words }: Names): ResolvedQuery => ({
  areas: [],
  areaNos,
  words: new Map(Object.entries(words)),
});

/** A row as JSON from PostgreSQL, and which of the conditions it meets there. */
interface Verdict {
  readonly row: SearchRow;
  readonly met: readonly (boolean | null)[];
}

/** The rows by PostgreSQL, which reads them as a writer's JSON. */
async function verdictsOf(
  rows: readonly IndexedRow[],
  conditions: readonly Condition[],
  names: Names,
): Promise<readonly Verdict[]> {
  const texts = rows.map(({ row, tokens }) => ({
    listing_id: row.id,
    words: [...tokens, ...row.area_nos.map(areaWord)].map((token) => `'${token}'`).join(' '),
  }));
  const context = { listingType: 'sale', ignoreDisplayRules: true, startedAt: STARTED_AT } as const;
  return database.read((sql) => {
    const columns = conditions.map(
      (condition) => sql`(${conditionsSql(sql, [condition], context, resolvedOf(names))})`,
    );
    return sql<Verdict[]>`
      with listing_search as materialized (
        select * from json_populate_recordset(null::listing_search, ${toJson(rows.map(({ row }) => row))}::text::json)
      ), listing_text as materialized (
        select * from json_populate_recordset(null::listing_text, ${toJson(texts)}::text::json)
      )
      select row_to_json(listing_search) as row, array_to_json(array[${joinSql(columns, ', ')}]::boolean[]) as met
      from listing_search order by id::integer`;
  });
}

/** Holds the predicates to PostgreSQL; gives how many rows met each condition. */
async function compare(
  sample: readonly IndexedRow[],
  conditions: readonly Condition[],
  names: Names,
): Promise<number[]> {
  const rows = sample.map(({ row, tokens }, at) => ({ row: { ...row, id: String(at) }, tokens }));
  const verdicts = await verdictsOf(rows, conditions, names);
  assert.equal(verdicts.length, rows.length);
  return conditions.map((condition, at) => {
    const meets = kindOf(condition).compile(condition, { ...names, startedAt: STARTED_AT });
    const found = rows.filter(({ row, tokens }, index) => {
      const verdict = verdicts[index];
      assert.ok(verdict !== undefined);
      const expected = verdict.met[at] === true;
      const tell = () => JSON.stringify({ condition, row, tokens, names, expected });
      assert.equal(meets(row, new Set(tokens)), expected, tell());
      assert.equal(meets(verdict.row, new Set(tokens)), expected, `as PostgreSQL writes the row: ${tell()}`);
      return expected;
    });
    return found.length;
  });
}

const sampleArbitrary = fc.array(rowArbitrary, { minLength: 60, maxLength: 60 });

for (const [kind, arbitrary] of Object.entries(CONDITIONS)) {
  test(`a condition of the kind ${kind} holds for the rows for which it holds in PostgreSQL`, async () => {
    let [met, unmet] = [0, 0];
    const conditions = fc.array(arbitrary as fc.Arbitrary<Condition>, { minLength: 30, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(sampleArbitrary, conditions, namesArbitrary, async (rows, all, names) => {
        for (const count of await compare(rows, all, names)) {
          met += count;
          unmet += rows.length - count;
        }
      }),
      // What fails names its row and condition; making the sample smaller takes minutes.
      { ...runs(12, 15), endOnFailure: true },
    );
    assert.ok(met > 100 && unmet > 100, `both are common: ${met} met, ${unmet} not met`);
  });
}

test('every kind of condition has a predicate, and rows to prove it on', () => {
  assert.deepEqual(Object.keys(CONDITION_KINDS).sort(), Object.keys(CONDITIONS).sort());
});

test('a predicate reads no other columns than its kind names', () => {
  const condition = fc.oneof(...Object.values(CONDITIONS as Record<string, fc.Arbitrary<Condition>>));
  fc.assert(
    fc.property(rowArbitrary, condition, namesArbitrary, ({ row, tokens }, each, names) => {
      const { columns, compile } = kindOf(each);
      const read = new Set<string>();
      const watched = new Proxy(row, {
        get(target, column: keyof SearchRow & string) {
          read.add(column);
          return target[column];
        },
      });
      compile(each, { ...names, startedAt: STARTED_AT })(watched, new Set(tokens));
      const named: readonly string[] = columns(each);
      for (const column of read) assert.ok(named.includes(column), `${each.kind} reads ${column}`);
      for (const column of named) assert.ok(column in row, column);
    }),
    runs(2_000, 16),
  );
});
