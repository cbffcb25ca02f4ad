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
    // Shapes are long, and the same objects in all sets.
    const key = isShape(condition) ? condition : JSON.stringify(condition);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, conditions.length);
    return conditions.push(condition) - 1;
  };
  return { sets: sets.map((set) => set.map(numberOf)), conditions };
}
