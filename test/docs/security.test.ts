// Proves that every promise about OAuth in docs/security.md is proved where the page says, and every proof is explained.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSource, sourceFiles } from '../support/code/source-files.ts';
import { testNames } from '../support/code/test-names.ts';

/** What no test here can show, and why. */
const BY_REVIEW = ['CP11', 'SE5'];

const ID = /\b(?:MD|RG|AZ|CP|TK|RF|AT|BE|RV|CO|RL|SE|LG)\d+\b/g;

interface Row {
  readonly id: string;
  readonly promise: string;
  readonly proof: string;
}

const rows: readonly Row[] = [
  ...readSource('docs/security.md').text.matchAll(/^\| ([A-Z]{2}\d+) \| ([^|]+) \| ([^|]+) \|$/gm),
].map(([, id = '', promise = '', proof = '']) => ({ id, promise, proof }));

const files = [
  ...(await sourceFiles('test/{oauth,mcp,account}/**/*.test.ts')),
  ...(await sourceFiles('src/{oauth,page,account,access/key-form}/**/*.test.ts')),
];

/** File -> the ids that stand before the colon in the names of its tests. */
const proved = new Map(
  files.map((file) => [
    file.path,
    new Set(testNames(file).flatMap((name) => name.split(':')[0]?.match(ID) ?? [])),
  ]),
);

const provedBy = ({ proof }: Row): string[] =>
  [...proof.matchAll(/`((?:test|src)\/[^`]+)`/g)].map(([, path = '']) => path);

test('there are promises, each with an id of its own and in words', () => {
  assert.ok(rows.length > 120, String(rows.length));
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  assert.deepEqual(
    rows.filter(({ promise }) => promise.trim().length < 20).map(({ id }) => id),
    [],
  );
});

test('every promise is proved by tests that name it, in the files that the page names', () => {
  const unproved = rows.flatMap((row) => {
    if (BY_REVIEW.includes(row.id)) return row.proof === 'by review' ? [] : [`${row.id}: by review`];
    const paths = provedBy(row);
    if (paths.length === 0) return [`${row.id}: nowhere`];
    return paths.filter((path) => !proved.get(path)?.has(row.id)).map((path) => `${row.id}: not in ${path}`);
  });
  assert.deepEqual(unproved, []);
});

test('every id that a test names is explained on the page', () => {
  const known = new Set(rows.map(({ id }) => id));
  const strange = [...proved].flatMap(([path, ids]) =>
    [...ids].filter((id) => !known.has(id)).map((id) => `${id} in ${path}`),
  );
  assert.deepEqual(strange, []);
});
