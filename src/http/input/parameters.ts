// Owns how the variable parts of a path are read: a part that cannot name anything is a 404, not a 400.

import type { TObject } from 'typebox';
import { PROBLEMS, Problem, type ProblemCode } from '../../lib/problem.ts';
import { asValueSchema, compileValue, Refusal } from './values.ts';

export type ReadParameters = (raw: Readonly<Record<string, string>>) => Record<string, unknown>;

/** The keyword by which a path parameter's schema names the code of the 404 that a malformed value gets. */
interface Missing {
  readonly missing?: ProblemCode;
}

/** Builds the reader of a route's path parameters. Throws a 404 problem for a value that its schema refuses. */
export function compileParameters(path: string, schema?: TObject): ReadParameters {
  const properties = Object.entries(schema?.properties ?? {});
  const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
  const described = properties.map(([name]) => name);
  if (named.join() !== described.join()) {
    throw new Error(`${path} has the variable parts (${named}) but its params describe (${described})`);
  }
  const readers = properties.map(([name, property]) => {
    const code = (property as Missing).missing ?? 'NOT_FOUND';
    return { name, code, read: compileValue(asValueSchema(property)) };
  });
  return (raw) => {
    const values: Record<string, unknown> = {};
    for (const { name, code, read } of readers) {
      const value = read(raw[name] ?? '');
      if (value instanceof Refusal) throw new Problem(code, `${PROBLEMS[code][1]}: ${name} ${value.detail}.`);
      values[name] = value;
    }
    return values;
  };
}
