// Proves that paging gives each row once, whatever the page size and whatever happens to other rows meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Columns } from './match.ts';
import type { Query } from './options.ts';
import { type Page, takePage } from './page.ts';

interface Row {
  readonly key: number;
  stamp: number;
}

const columns: Columns<Row> = (name) => ({
  name,
  type: 'Int64',
  many: false,
  read: (row) => (name === 'key' ? row.key : row.stamp),
});

const EVERYTHING: Query = {
  filter: null,
  orderBy: [],
  select: null,
  expand: new Map(),
  top: null,
  count: false,
  skipToken: null,
};

/** Walks all pages; `between` may change the rows before each further page. */
function walk(
  rows: () => Iterable<Row>,
  query: Query,
  size: number,
  between: () => void = () => undefined,
): number[] {
  const met: number[] = [];
  let skipToken: string | null = null;
  do {
    const page: Page<Row> = takePage(rows(), { ...query, skipToken }, columns, 'key', size);
    assert.ok(page.rows.length <= size);
    met.push(...page.rows.map((row) => row.key));
    assert.ok(met.length < 1000, 'the walk does not end');
    skipToken = page.skipToken;
    between();
  } while (skipToken !== null);
  return met;
}

const stamps = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 });

test('pages of any size together give every row once, in the order asked for', () => {
  fc.assert(
    fc.property(stamps, fc.integer({ min: 1, max: 7 }), fc.boolean(), (values, size, descending) => {
      const rows = values.map((stamp, key) => ({ key, stamp }));
      const sorted = rows.toSorted(
        (a, b) => (descending ? b.stamp - a.stamp : a.stamp - b.stamp) || a.key - b.key,
      );
      const query = { ...EVERYTHING, orderBy: [{ field: 'stamp', descending }] };
      assert.deepEqual(
        walk(() => rows, query, size),
        sorted.map((row) => row.key),
      );
    }),
  );
});

test('rows that do not change are met exactly once while others move to the end, come and go', () => {
  fc.assert(
    fc.property(
      stamps,
      fc.integer({ min: 1, max: 7 }),
      fc.infiniteStream(fc.nat(60)),
      (values, size, picks) => {
        const rows = new Map(values.map((stamp, key): [number, Row] => [key, { key, stamp }]));
        const steady = new Set(values.keys().filter((key) => key % 2 === 0));
        let later = 10;
        let changes = 60;
        const disturb = (): void => {
          const pick = picks.next().value ?? 0;
          const row = rows.get(pick);
          changes -= 1;
          if (changes < 0) return;
          if (row && !steady.has(pick)) {
            if (pick % 3 === 0) rows.delete(pick);
            else {
              later += 1;
              row.stamp = later;
            }
          } else if (!row) rows.set(pick, { key: pick, stamp: pick % 6 });
        };
        const query = { ...EVERYTHING, orderBy: [{ field: 'stamp', descending: false }] };
        const met = walk(() => rows.values(), query, size, disturb);
        for (const key of steady) assert.equal(met.filter((other) => other === key).length, 1, `row ${key}`);
      },
    ),
  );
});

test('$top is a total over all pages, whatever their size', () => {
  const rows = Array.from({ length: 30 }, (_, key) => ({ key, stamp: 0 }));
  for (const top of [0, 1, 7, 14, 29, 30, 99]) {
    assert.equal(walk(() => rows, { ...EVERYTHING, top }, 7).length, Math.min(top, 30), `top ${top}`);
  }
});
