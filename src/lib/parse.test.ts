// Tests of the parsers of text from outside.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTimeZone } from './parse.ts';

test('zones are known by the names of today and by those they had before, in any letters', () => {
  for (const name of [
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'Europe/Kiev',
    'America/Indiana/Indianapolis',
  ])
    assert.deepEqual([parseTimeZone(name), parseTimeZone(name.toLowerCase())], [name, name]);
  for (const name of ['UTC', ...Intl.supportedValuesOf('timeZone')]) assert.equal(parseTimeZone(name), name);
});

test('what names no zone is none, and neither is an offset', () => {
  for (const name of [
    '',
    '+05:30',
    '-08',
    'Europe/Seattle',
    'Europe/Berlin ',
    'America',
    '2026-01-01T00:00[UTC]',
  ])
    assert.equal(parseTimeZone(name), null, name);
});
