// Tests of the texts that tell who answers searches: while the engine is loaded, in memory, and out of use.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EngineStatus, NO_ENGINE } from '../search/engine/lifecycle/search-engine.ts';
import { describeRows, describeSearch, readDescription } from './describe-search.ts';

const status = (known: Partial<EngineStatus>): EngineStatus => ({ ...NO_ENGINE.status(), ...known });

const READY = status({ state: 'ready', rows: 650_025, bytes: 312_012_000, lagMs: 41.2 });
const FAILURE = 'a page differed';

test('an engine that is loaded tells how far it is, as soon as that is known', () => {
  assert.equal(describeSearch(status({ state: 'filling' })), 'loading into memory');
  const progress = { rows: 120_000, total: 650_000 };
  assert.equal(
    describeSearch(status({ state: 'filling', progress })),
    'loading into memory: 120,000 of 650,000 listings',
  );
});

test('an engine in memory tells its listings, the memory that they take, and how late it may be', () => {
  assert.equal(describeSearch(READY), 'in memory');
  assert.equal(describeRows(READY), '650,025 listings in 313 MB of memory, at most 42 ms behind');
});

test('an engine out of use tells that PostgreSQL answers and why, also while it is loaded again', () => {
  const progress = { rows: 1, total: 2 };
  for (const [state, more] of [
    ['off', {}],
    ['unusable', {}],
    ['unusable', { progress }],
  ] as const)
    assert.equal(
      describeSearch(status({ state, failure: FAILURE, ...more })),
      'PostgreSQL, since the engine in memory is out of use: a page differed',
    );
});

test('without an engine PostgreSQL answers, for no reason', () => {
  assert.equal(describeSearch(NO_ENGINE.status()), 'PostgreSQL');
});

test('listings in memory are told only by an engine that answers', () => {
  for (const state of ['filling', 'unusable', 'off'] as const)
    assert.equal(describeRows({ ...READY, state }), null);
});

test('who reads a description learns whether PostgreSQL answers, and how late the engine may be', () => {
  const read = (text: string | null) => readDescription(text ?? '');
  assert.deepEqual(read(describeRows(READY)), { isByPostgres: false, lagMs: 42 });
  assert.deepEqual(read(describeSearch(status({ state: 'filling' }))), { isByPostgres: false, lagMs: null });
  const isByPostgres = { isByPostgres: true, lagMs: null };
  assert.deepEqual(read(describeSearch(NO_ENGINE.status())), isByPostgres);
  assert.deepEqual(read(describeSearch(status({ state: 'off', failure: FAILURE }))), isByPostgres);
});
