// Proves that composed statements have the text and the values that the driver's own template would send.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose, written } from './compose.ts';
import { together } from './fragments.ts';

test('parts, lists of parts and names become text, and every other value a parameter in its place', () => {
  const { text, values } = written(compose`
    select ${compose('a "b"')} ${[compose`, ${1}`, compose`, ${'two'}`]} from x
    where ${compose`y = any(${[3, 4]}::integer[]) and ${compose`z = ${null}`}`} limit ${5}`);
  assert.equal(
    text.replace(/\s+/g, ' ').trim(),
    'select "a ""b""" , $1 , $2 from x where y = any($3::integer[]) and z = $4 limit $5',
  );
  assert.deepEqual(values, [1, 'two', [3, 4], null, 5]);
});

test('a list without parts is a value, and an empty list of parts put together is nothing', () => {
  assert.deepEqual(written(compose`${[]}`), { text: '$1', values: [[]] });
  assert.deepEqual(written(compose`a${together(compose, [])}b`), { text: 'ab', values: [] });
});

test('what looks like SQL in a value stays a value', () => {
  const { text, values } = written(compose`select ${"'; drop table listing; --"}`);
  assert.equal(text, 'select $1');
  assert.deepEqual(values, ["'; drop table listing; --"]);
});
