// Proves that sets share their conditions, each of which is looked at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from './condition.ts';
import { numberSets } from './condition-sets.ts';

test('equal conditions have one number, and each object is written out once in however many sets it is', () => {
  let written = 0;
  const condition = (min: number): Condition => {
    const bounds = { kind: 'range', column: 'price', min } as const;
    const toJSON = () => {
      written++;
      return bounds;
    };
    return { ...bounds, toJSON } as Condition;
  };
  const all = Array.from({ length: 40 }, (_, at) => condition(at));
  const sets = all.map((one) => all.filter((each) => each !== one));
  const numbered = numberSets([...sets, [condition(7)]]);
  assert.equal(numbered.conditions.length, 40);
  assert.equal(written, 41);
  const conditionsOf = (set: readonly number[]) => set.map((number) => numbered.conditions[number]);
  assert.deepEqual(numbered.sets.slice(0, 40).map(conditionsOf), sets);
  assert.deepEqual(conditionsOf(numbered.sets[40] ?? []), [all[7]]);
});
