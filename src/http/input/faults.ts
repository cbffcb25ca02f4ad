// Faults of a request: all of them in one answer, not one after the other.

import { type FieldError, Problem } from '../../lib/problem.ts';
import { parameterProblem } from './query.ts';

/** Problems of what a request says, which do not keep its other parts from being read. */
const OF_PARAMETERS: readonly Problem['code'][] = ['INVALID_PARAMETER', 'INVALID_GEOMETRY'];

/** Collects the faults of several parts, to report them together. */
export class Faults {
  readonly #problems: Problem[] = [];

  /** What `read` gives; undefined if it throws a problem of a parameter, which is kept. Throws all other errors. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Problem) || !OF_PARAMETERS.includes(error.code) || error.errors.length === 0)
        throw error;
      this.#problems.push(error);
      return undefined;
    }
  }

  /** Throws one problem for all faults, if there are any. */
  report(): void {
    const [only, ...others] = this.#problems;
    if (only === undefined) return;
    if (others.length === 0) throw only;
    const known = new Set<string>();
    const errors = this.#problems
      .flatMap((problem): readonly FieldError[] => problem.errors)
      .filter((error) => {
        const text = JSON.stringify(error);
        return !known.has(text) && known.add(text);
      });
    throw parameterProblem(errors);
  }
}

/** What each of these gives, in their order. Throws one problem with the faults of all. */
export function readAll<T>(parts: readonly (() => T)[]): T[] {
  const faults = new Faults();
  const results = parts.flatMap((part) => {
    const result = faults.attempt(() => [part()]);
    return result ?? [];
  });
  faults.report();
  return results;
}
