// Questions asked of a table of the engine directly, and what a plain loop over the same rows finds.

import { EVERYTHING } from '../../../src/access/tiers/reach.ts';
import { idOf } from '../../../src/search/engine/columns/ids.ts';
import { type PreparedSearch, prepareSearch } from '../../../src/search/engine/questions/prepared-search.ts';
import { partsOf, scanRows } from '../../../src/search/engine/questions/scan.ts';
import type { Condition } from '../../../src/search/query/condition.ts';
import type { SearchPlan, WordMeaning } from '../../../src/search/query/plan.ts';
import { compileConditions } from '../../../src/search/query/predicate.ts';
import type { RandomTable } from '../catalogue/engine-tables.ts';
import { type IndexedRow, STARTED_AT } from '../catalogue/search-rows.ts';

const AREA_NOS = [1, 70_000];
export const CENTRE = { lng: 20.5, lat: 10.5 };
type Words = Readonly<Record<string, WordMeaning>>;

export interface Question {
  readonly conditions: readonly Condition[];
  readonly ignoreDisplayRules?: boolean;
  readonly words?: Words;
}

export function planOf(
  { conditions, ignoreDisplayRules = true }: Question,
  order: SearchPlan['order'] = [],
): SearchPlan {
  const text = conditions.find((each) => each.kind === 'text') ?? null;
  return {
    listingType: 'sale',
    reach: EVERYTHING,
    conditions,
    order,
    centre: CENTRE,
    text,
    limit: 7,
    cursor: null,
    digest: '',
    startedAt: STARTED_AT,
    count: 'exact',
    fields: null,
    units: 'imperial',
    ignoreDisplayRules,
    currency: null,
  };
}

export function prepare(
  { table, dictionaries }: RandomTable,
  plan: SearchPlan,
  words: Words = {},
): Promise<PreparedSearch> {
  const generation = { tables: { sale: table, rental: table }, dictionaries, sequence: 0 };
  const resolved = { areas: [], areaNos: AREA_NOS, words: new Map(Object.entries(words)) };
  return prepareSearch(generation, { plan, resolved });
}

export function expectedRows(
  { rows }: RandomTable,
  { conditions, ignoreDisplayRules = true, words = {} }: Question,
): IndexedRow[] {
  const meets = compileConditions(conditions, { areaNos: AREA_NOS, words, startedAt: STARTED_AT });
  return rows.filter(
    ({ row, tokens }) => (row.displayed || ignoreDisplayRules) && meets(row, new Set(tokens)),
  );
}

export const expectedIds = (random: RandomTable, question: Question): string[] =>
  expectedRows(random, question)
    .map(({ row }) => row.id)
    .sort();

export async function scannedIds(random: RandomTable, question: Question): Promise<string[]> {
  const { table, filters } = await prepare(random, planOf(question), question.words);
  const ids: string[] = [];
  await scanRows(partsOf(table), filters, (columns) => (rows, count) => {
    for (const row of rows.subarray(0, count)) ids.push(idOf(columns, row));
  });
  return ids.sort();
}
