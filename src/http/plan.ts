// Owns what is worked out once per route, when the service starts, so that a request costs no more than it must.

import { baseHeaders, type Headers } from './headers.ts';
import { compileParameters, type ReadParameters } from './parameters.ts';
import { compileQuery, type ReadQuery } from './query.ts';
import type { Route } from './route.ts';

export interface Plan<Caller> {
  readonly route: Route<Caller>;
  readonly accepts: readonly string[];
  readonly readQuery: ReadQuery;
  readonly readParameters: ReadParameters;
  /** Headers of every answer at this path. */
  readonly headers: Headers;
}

/** Throws an Error where a route contradicts itself, so that the service does not start with it. */
export function planRoute<Caller>(route: Route<Caller>, publicUrl: string): Plan<Caller> {
  const accepts = route.accepts ?? ['application/json'];
  const varies = accepts.length > 1 ? { vary: 'accept' } : {};
  return {
    route,
    accepts,
    readQuery: compileQuery(route.query),
    readParameters: compileParameters(route.path, route.params),
    headers: { ...baseHeaders(route.path, publicUrl), ...varies },
  };
}

/** The methods that a route answers, as they stand in Allow. */
export function methodsOf<Caller>(route: Route<Caller>): readonly string[] {
  return route.method === 'GET' && route.head !== false ? ['GET', 'HEAD'] : [route.method];
}

/** Tells which methods the routes at an address answer; empty where there is no route. */
export function methodFinder<Caller>(routes: readonly Route<Caller>[]): (path: string) => readonly string[] {
  const patterns = routes.map((route) => ({ parts: route.path.split('/'), methods: methodsOf(route) }));
  return (path) => {
    const parts = decoded(path).split('/');
    const fitting = patterns.filter((pattern) => fits(pattern.parts, parts));
    return [...new Set(fitting.flatMap(({ methods }) => methods))];
  };
}

/** The router reads escapes; a slash that was escaped stays one within its part. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return path.replaceAll(/%2f/gi, '%252f').split('/').map(decodeURIComponent).join('/');
  } catch {
    return path;
  }
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  if (pattern.length !== parts.length) return false;
  return pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]));
}
