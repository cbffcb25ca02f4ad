// Owns what is worked out once per route, when the service starts, so that a request costs no more than it must.

import { isNamed } from '../input/accept.ts';
import { compileParameters, type ReadParameters } from '../input/parameters.ts';
import { compileQuery, type ReadQuery } from '../input/query.ts';
import { baseHeaders } from '../output/headers.ts';
import type { ErrorForm, Route } from './route.ts';

export interface Plan<Caller> {
  readonly route: Route<Caller>;
  readonly accepts: readonly string[];
  readonly readQuery: ReadQuery;
  readonly readParameters: ReadParameters;
  /** Headers of every answer at this path: each name followed by its value. */
  readonly headers: readonly string[];
  readonly variant: Plan<Caller> | null;
}

/** Throws an Error where a route contradicts itself, so that the service does not start with it. */
export function planRoute<Caller>(
  route: Route<Caller>,
  publicUrl: string,
  isOneOfSeveral = route.variant !== undefined,
): Plan<Caller> {
  const accepts = route.accepts ?? ['application/json'];
  const varies = accepts.length > 1 || isOneOfSeveral ? { vary: 'accept' } : {};
  return {
    route,
    accepts,
    readQuery: route.ownQuery === true ? () => ({}) : compileQuery(route.query),
    readParameters: compileParameters(route.path, route.params),
    headers: Object.entries({ ...baseHeaders(route.path, publicUrl), ...varies }).flat(),
    variant: route.variant === undefined ? null : planRoute(route.variant, publicUrl, true),
  };
}

/** The plan, or its variant where that is what Accept asks for. */
export function planFor<Caller>(plan: Plan<Caller>, accept: string | undefined): Plan<Caller> {
  const { variant } = plan;
  return variant !== null && isNamed(accept, variant.accepts) && !isNamed(accept, plan.accepts)
    ? variant
    : plan;
}

/** The methods that a route answers, as they stand in Allow. */
export function methodsOf<Caller>(route: Route<Caller>): readonly (Route<Caller>['method'] | 'HEAD')[] {
  const hasHead = [route, route.variant].some((each) => each?.method === 'GET' && each.head !== false);
  return hasHead ? ['GET', 'HEAD'] : [route.method];
}

/** What the routes at an address have in common. */
export interface Place {
  /** The methods that are answered; empty where there is no route. */
  readonly methods: readonly string[];
  /** How errors are written there; undefined: as problem documents. */
  readonly errors: ErrorForm | undefined;
}

/** Tells what is at an address, whatever the method. */
export function placeFinder<Caller>(routes: readonly Route<Caller>[]): (path: string) => Place {
  const patterns = routes.map((route) => ({ parts: route.path.split('/'), route }));
  return (path) => {
    const parts = decoded(path).split('/');
    const fitting = patterns.filter((pattern) => fits(pattern.parts, parts)).map(({ route }) => route);
    return {
      methods: [...new Set(fitting.flatMap(methodsOf))],
      errors: fitting.find(({ errors }) => errors !== undefined)?.errors,
    };
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
