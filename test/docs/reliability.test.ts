// Proof that docs/reliability.md names a test for each of its guarantees, and that these tests and programs exist.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { testNames } from '../support/code/test-names.ts';

const PAGE = readSource('docs/reliability.md').text;

interface Proof {
  readonly guarantee: string;
  readonly file: string;
  readonly name: string;
}

/** Guarantees by their rows in the tables. */
function guaranteesOf(page: string): string[] {
  return [...page.matchAll(/^\| (R\d+(?:, R\d+)*) \|/gm)].flatMap(([, ids = '']) => ids.split(', '));
}

/** The list of tests: guarantees, below them files, below them names. */
function proofsOf(page: string): Proof[] {
  const proofs: Proof[] = [];
  let [guarantees, file]: [string[], string] = [[], ''];
  for (const line of page.split('\n')) {
    const [, ids, path, name] = /^- \*\*(.+)\*\*$|^ {2}- `(.+)`$|^ {4}- (.+)$/.exec(line) ?? [];
    if (ids !== undefined) [guarantees, file] = [ids.split(', '), ''];
    else if (path !== undefined) file = path;
    else if (name !== undefined) proofs.push(...guarantees.map((guarantee) => ({ guarantee, file, name })));
  }
  return proofs;
}

/** Proofs whose file has no test of that name. */
function missing(proofs: readonly Proof[]): string[] {
  return proofs
    .filter(({ file, name }) => !existsSync(join(ROOT, file)) || !testNames(readSource(file)).includes(name))
    .map(({ guarantee, file, name }) => `${guarantee}: ${file}: ${name}`);
}

test('each guarantee has one row, and names at least one test that runs in every build', () => {
  const guarantees = guaranteesOf(PAGE);
  assert.ok(guarantees.length > 20);
  assert.equal(new Set(guarantees).size, guarantees.length);
  const proven = new Set(proofsOf(PAGE).map(({ guarantee }) => guarantee));
  assert.deepEqual(guarantees.toSorted(), [...proven].toSorted());
});

test('every test that docs/reliability.md names exists in the file that it names', () => {
  const proofs = proofsOf(PAGE);
  assert.ok(proofs.length > 30);
  assert.deepEqual(missing(proofs), []);
});

test('a test that was renamed, removed or only mentioned would be missed', () => {
  const [proof] = proofsOf(PAGE);
  assert.ok(proof);
  assert.equal(missing([proof, { ...proof, name: `${proof.name}.` }]).length, 1);
  assert.equal(missing([{ ...proof, file: 'test/none.test.ts' }]).length, 1);
  const source =
    'test("one", f); test(`two $' + '{x} of $' + '{y}`, f); t.test("three", f); // test("four", f)';
  assert.deepEqual(testNames({ path: 'a.ts', text: source }), ['one', 'two … of …', 'three']);
});

test('every program that docs/reliability.md names for longer runs exists', () => {
  const programs = [...PAGE.matchAll(/`((?:test|bench)\/[^`]+\.ts)`/g)].map(([, path = '']) => path);
  assert.ok(programs.length > 30);
  assert.deepEqual(
    programs.filter((path) => !existsSync(join(ROOT, path))),
    [],
  );
});
