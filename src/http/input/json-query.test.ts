// Proves that reading a body costs no more than a request is worth: faults, members and comparisons are bounded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { Problem } from '../../lib/problem.ts';
import { compileJsonQuery } from './json-query.ts';
import { compileQuery } from './query.ts';

const NAMES = Array.from({ length: 150 }, (_, at) => `minimumOfTrait${at}`);
const schema = Type.Object({
  ...Object.fromEntries(NAMES.map((name) => [name, Type.Optional(Type.Number())])),
  bbox: Type.Optional(Type.Unsafe<string>({ type: 'string', maxLength: 120, written: 'numbers' })),
});

/** The problem that reading ends with, and how often a suggestion was looked for. */
function refusal(read: (suggest: () => undefined) => unknown) {
  let lookedFor = 0;
  try {
    read(() => {
      lookedFor++;
      return undefined;
    });
  } catch (error) {
    assert.ok(error instanceof Problem);
    return { problem: error, lookedFor };
  }
  throw new Error('Nothing was refused');
}

const unknownMembers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`minimumOfTrait${at}x`, 1]));

test('a body of very many members is refused before any of them is compared with a name', () => {
  const { problem, lookedFor } = refusal((suggest) =>
    compileJsonQuery(schema, suggest)(unknownMembers(36_000)),
  );
  assert.equal(problem.code, 'INVALID_BODY');
  assert.match(problem.message, /36000 members; at most 200/);
  assert.equal(lookedFor, 0);
});

test('reading a body ends with its twentieth fault', () => {
  const { problem, lookedFor } = refusal((suggest) => compileJsonQuery(schema, suggest)(unknownMembers(200)));
  assert.equal(problem.errors.length, 20);
  assert.equal(lookedFor, 20);
});

test('reading a query ends with its twentieth fault', () => {
  const sent = Object.keys(unknownMembers(200)).map((name) => `${name}=1`);
  const { problem, lookedFor } = refusal((suggest) => compileQuery(schema, suggest)(sent.join('&')));
  assert.equal(problem.errors.length, 20);
  assert.equal(lookedFor, 20);
});

test('a list that stands for a box is refused by its length, before its numbers are written out', () => {
  let read = 0;
  const numbers = new Proxy(Array(60_000).fill(1), {
    get(list, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) read++;
      return Reflect.get(list, name, receiver);
    },
  });
  const { problem } = refusal((suggest) => compileJsonQuery(schema, suggest)({ bbox: numbers }));
  assert.match(problem.message, /a list of 4 numbers/);
  assert.equal(read, 0);
});
