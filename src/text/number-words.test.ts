// Proves that house numbers are told in the words in which people say them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardinalForms } from './number-words.ts';

const said = (value: number): string[] => cardinalForms(value).map((words) => words.join(' '));

test('a house number has all the words in which it is said, and none twice', () => {
  assert.deepEqual(said(1), ['one']);
  assert.deepEqual(said(12), ['twelve']);
  assert.deepEqual(said(40), ['forty']);
  assert.deepEqual(said(99), ['ninety nine']);
  assert.deepEqual(said(100), ['one hundred', 'one zero zero']);
  for (const form of ['nine hundred five', 'nine hundred and five', 'nine oh five', 'nine zero five'])
    assert.ok(said(905).includes(form), form);
  for (const form of ['forty two seventeen', 'four thousand two hundred and seventeen', 'four two one seven'])
    assert.ok(said(4217).includes(form), form);
  assert.ok(said(1200).includes('twelve hundred'));
  assert.ok(said(2007).includes('two thousand and seven') && said(2007).includes('twenty oh seven'));
  for (let value = 1; value <= 9_999; value++) assert.equal(new Set(said(value)).size, said(value).length);
});

test('what is no such number has no words', () => {
  for (const value of [0, -1, 10_000, 1.5, Number.NaN]) assert.deepEqual(said(value), []);
});
