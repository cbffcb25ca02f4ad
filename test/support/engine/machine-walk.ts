// Walks by cursor while the market changes: what does not change is met exactly once, forwards and back, whoever answers each page.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compareBy } from '../oracle/order.ts';
import { type Write, writeArbitrary } from './machine-market.ts';
import {
  askable,
  askPage,
  isWalkable,
  type Judge,
  type Search,
  searchArbitrary,
} from './machine-questions.ts';
import type { Side } from './machine-stage.ts';

export const walkArbitrary = fc.record({
  kind: fc.constant('walk' as const),
  search: searchArbitrary.filter(isWalkable),
  limit: fc.constantFrom(1, 2, 5, 9),
  /** Between the first pages of either way. */
  writes: fc.array(writeArbitrary, { minLength: 1, maxLength: 4 }),
  /** Who answers the pages in turn. */
  sides: fc.array(fc.constantFrom<Side>('engine', 'engine', 'sql'), { minLength: 1, maxLength: 3 }),
  mayBeLate: fc.boolean(),
  /** Milliseconds by which the clock is set on the way. */
  jump: fc.constantFrom(0, 0, 90_000, -3_600_000),
});
export type Walk = typeof walkArbitrary extends fc.Arbitrary<infer W> ? W : never;

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly page: { readonly nextCursor: string | null; readonly prevCursor: string | null };
}

export async function walk(judge: Judge, command: Walk): Promise<void> {
  const { stage, market } = judge;
  const search = askable(command.search, judge);
  const { type, query } = search;
  const now = stage.clock.now();
  const changed = new Set(
    command.writes.flatMap(({ facts, removed }) => [...Object.keys(facts), ...removed]),
  );
  const staying = market
    .found(type, query, now)
    .filter(({ key }) => !changed.has(key))
    .sort((a, b) => compareBy(query.sort ?? '', a, b, now, query))
    .map(({ id }) => id);
  const writes = [...command.writes];
  const half = Math.ceil(writes.length / 2);
  const forwards = await pages(judge, command, search, 'nextCursor', null, writes.splice(0, half));
  const stays = new Set(staying);
  const met = forwards.flatMap(({ data }) => data.map(({ id }) => id)).filter((id) => stays.has(id));
  assert.deepEqual(met, staying, `forwards, ${JSON.stringify(query)}`);
  stage.jump(command.jump);
  const last = forwards.at(-1);
  if (last === undefined || last.page.prevCursor === null) return;
  const backwards = await pages(judge, command, search, 'prevCursor', last.page.prevCursor, writes);
  const seen = new Set(last.data.map(({ id }) => id));
  const before = backwards
    .toReversed()
    .flatMap(({ data }) => data.map(({ id }) => id))
    .filter((id) => stays.has(id));
  assert.deepEqual(
    before,
    staying.filter((id) => !seen.has(id)),
    `backwards, ${JSON.stringify(query)}`,
  );
  judge.counts.found++;
}

/** Pages from a cursor on to the end of its way, with a write between the first ones. */
async function pages(
  judge: Judge,
  { limit, sides, mayBeLate }: Walk,
  { type, query }: Search,
  way: 'nextCursor' | 'prevCursor',
  from: string | null,
  writes: readonly Write[],
): Promise<Page[]> {
  const found: Page[] = [];
  const waiting = [...writes];
  for (let cursor = from; ; ) {
    const asked = { ...query, limit: String(limit), ...(cursor !== null && { cursor }) };
    const side = sides[found.length % sides.length] ?? 'engine';
    const page = await askPage(judge, side, { type, query: asked }, { mayBeLate });
    found.push(page);
    const write = waiting.shift();
    if (write !== undefined) await judge.market.write(write);
    cursor = page.page[way];
    if (cursor === null) break;
    assert.ok(found.length < 500, 'the walk ends');
  }
  for (const write of waiting) await judge.market.write(write);
  return found;
}
