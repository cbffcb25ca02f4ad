// Problem of parameters that could not be read, with those that could.

import { Problem } from '../../lib/problem.ts';

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
