// Problems of parameters, in a query or as members of a body: one problem names them all.

import { type FieldError, faultSentence, Problem, pointerTo } from '../../lib/problem.ts';

/** Maximum number of errors reported; parsing stops there. */
export const MAX_FAULTS = 20;

/** One problem for all invalid parameters; its detail describes the first, `errors` all (at most twenty). */
export function parameterProblem(errors: readonly FieldError[]): Problem {
  return fieldProblem(
    errors.slice(0, MAX_FAULTS),
    ({ parameter, pointer = '' }) => `The parameter ${parameter ?? pointer.slice(1)}`,
  );
}

/** The same for members of a body. */
export function memberProblem(errors: readonly FieldError[]): Problem {
  return fieldProblem(errors.slice(0, MAX_FAULTS), ({ pointer = '' }) => `The member ${pointer.slice(1)}`);
}

/** One problem for all these errors; `subjectOf` names what is invalid. */
export function fieldProblem(
  errors: readonly FieldError[],
  subjectOf: (error: FieldError) => string,
  code: 'INVALID_PARAMETER' | 'INVALID_BODY' = 'INVALID_PARAMETER',
): Problem {
  const [first = { detail: 'is not valid' }, ...others] = errors;
  const more = others.length === 1 ? 'fault is' : 'faults are';
  const rest = others.length === 0 ? '' : ` ${others.length} more ${more} listed in errors.`;
  return new Problem(code, `${faultSentence(subjectOf(first), first)}${rest}`, { errors });
}

/** The problem of a parameter, reworded for the member of a body; `parent` points to the object that has the members. */
export function ofMembers(problem: Problem, parent = ''): Problem {
  const { code, message, headers, members } = problem;
  const errors = problem.errors.map(({ parameter, pointer, ...error }) => {
    if (parameter !== undefined) return { pointer: pointerTo(parameter, parent), ...error };
    return pointer === undefined ? error : { pointer: `${parent}${pointer}`, ...error };
  });
  const detail = message.replace(/^The parameter /, 'The member ');
  return new Problem(code, detail, { errors, headers, members, cause: problem.cause });
}

/** A request of which some parameters could not be read: `readable` has the others, `unread` the names of those. */
export class UnreadParameters extends Problem {
  readonly readable: Readonly<Record<string, unknown>>;
  readonly unread: ReadonlySet<string>;

  constructor(problem: Problem, readable: Readonly<Record<string, unknown>>, names: Iterable<string>) {
    super(problem.code, problem.message, { errors: problem.errors });
    this.readable = readable;
    const sent = problem.errors.flatMap(({ parameter = '', pointer = '', suggestion = '' }) => [
      parameter,
      pointer.slice(1),
      suggestion,
    ]);
    this.unread = new Set([...sent, ...names].filter((name) => name !== ''));
  }
}
