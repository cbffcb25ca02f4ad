// Proof that what is written as YAML is read as the same data by somebody else's reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { toYaml } from './yaml.ts';

test('any JSON value written as YAML is read back as it was, by the rules of YAML 1.2 and of 1.1', () => {
  const odd = fc.constantFrom(
    'yes',
    'Off',
    'null',
    '~',
    '1e3',
    'E0',
    'e-7',
    '0x1F',
    '12:30',
    '- a',
    'a: b',
    '#',
    '',
    ' ',
    'é\u2028"',
    '2026-01-01',
  );
  const text = fc.oneof(odd, fc.string(), fc.string({ unit: 'grapheme' }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        text.filter((key) => key !== '__proto__'),
        tie('value'),
        { maxKeys: 4, noNullPrototype: true },
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (any) => {
      const known = JSON.parse(JSON.stringify(any));
      assert.deepEqual(parse(toYaml(known)), known);
      assert.deepEqual(parse(toYaml(known), { version: '1.1' }), known);
    }),
  );
});

test('a document is written for people: one member a line, without quotes where none are needed', () => {
  const value = {
    openapi: '3.1.0',
    tags: [{ name: 'Search', description: 'By place: here.' }],
    paths: {},
    none: [],
  };
  assert.equal(
    toYaml(value),
    'openapi: "3.1.0"\ntags:\n  - name: Search\n    description: "By place: here."\npaths: {}\nnone: []\n',
  );
});
