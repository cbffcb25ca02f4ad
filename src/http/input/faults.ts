// Faults of a request: all of them in one answer, not one after the other.

import { type FieldError, Problem } from '../../lib/problem.ts';
import { bodyProblem } from './body.ts';
import { parameterProblem, UnreadParameters } from './parameter-problem.ts';

/** Problems of what a request says, which do not keep its other parts from being read. */
const OF_PARAMETERS: readonly Problem['code'][] = ['INVALID_PARAMETER', 'INVALID_GEOMETRY'];

const isOfParameters = (error: unknown): error is Problem =>
  error instanceof Problem && OF_PARAMETERS.includes(error.code) && error.errors.length > 0;

/** The same, or of members of the body. */
const isOfRequest = (error: unknown): error is Problem =>
  isOfParameters(error) ||
  (error instanceof Problem && error.code === 'INVALID_BODY' && error.errors.length > 0);

/** Collects the faults of several parts, to report them together. */
export class Faults {
  readonly #problems: Problem[] = [];

  /** What `read` gives; undefined if it throws a problem of a parameter or member, which is kept. Throws all other errors. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.add(error);
      return undefined;
    }
  }

  /** Keeps a problem of a parameter or member. Throws all other errors. */
  add(error: unknown): void {
    if (!isOfRequest(error)) throw error;
    this.#problems.push(error);
  }

  /** Throws one problem for all faults, if there are any. */
  report(): void {
    const [only, ...others] = this.#problems;
    if (only === undefined) return;
    throw others.length === 0 ? only : combined(this.#problems);
  }
}

function combined(problems: readonly Problem[]): Problem {
  const known = new Set<string>();
  const errors = problems
    .flatMap((problem): readonly FieldError[] => problem.errors)
    .filter(({ parameter, pointer = '', detail, suggestion }) => {
      const text = JSON.stringify([parameter ?? pointer.slice(1), detail, suggestion]);
      return !known.has(text) && known.add(text);
    });
  const [first] = problems;
  return first !== undefined && errors.length === first.errors.length ? first : problemOf(problems, errors);
}

const problemOf = (problems: readonly Problem[], errors: readonly FieldError[]): Problem =>
  problems.every(({ code }) => code === 'INVALID_BODY') ? bodyProblem(errors) : parameterProblem(errors);

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

/** Throws the faults of meaning of these parameters, which may be part of a request. */
export type CheckParameters = (readable: Readonly<Record<string, unknown>>) => Promise<void>;

/**
 * The error, and if it is a problem of parameters, the faults that `check` finds in those that could be read: `sent`, where
 * all could. Faults that may only follow from what could not be read are left out.
 */
export async function withAllFaults(
  error: unknown,
  sent: Readonly<Record<string, unknown>>,
  check: CheckParameters,
): Promise<unknown> {
  if (!isOfParameters(error)) return error;
  const { readable, unread } =
    error instanceof UnreadParameters ? error : { readable: sent, unread: new Set<string>() };
  try {
    await check(readable);
    return error;
  } catch (found) {
    if (!isOfParameters(found)) return error;
    const errors = found.errors.filter(({ parameter = '', pointer = '', detail }) =>
      [parameter, pointer.slice(1), ...(detail.match(/\w+/g) ?? [])].every((word) => !unread.has(word)),
    );
    return errors.length === 0 ? error : combined([error, parameterProblem(errors)]);
  }
}
