// Sets of conditions by numbers: sets share most of their conditions, and each is asked once.

import { type Condition, isShape } from './condition.ts';

/** Conditions without those that are the same, and each set as their numbers. */
export interface ConditionSets {
  readonly conditions: readonly Condition[];
  readonly sets: readonly (readonly number[])[];
}

export function numberSets(sets: readonly (readonly Condition[])[]): ConditionSets {
  const numbers = new Map<unknown, number>();
  const conditions: Condition[] = [];
  const numberOf = (condition: Condition): number => {
    // Most sets have the same objects, which may be long.
    const known = numbers.get(condition);
    if (known !== undefined) return known;
    const key = keyOf(condition);
    const number = numbers.get(key) ?? conditions.push(condition) - 1;
    numbers.set(condition, number).set(key, number);
    return number;
  };
  return { sets: sets.map((set) => set.map(numberOf)), conditions };
}

/** Shapes are the same objects wherever they are. */
const keyOf = (condition: Condition): unknown => (isShape(condition) ? condition : JSON.stringify(condition));
