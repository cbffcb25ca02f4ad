// Endpoints: routes with everything that is computed once at startup.

import { METHODS } from 'node:http';
import { baseHeaders, type Headers } from '../output/reply.ts';
import { deprecationHeaders } from './deprecation.ts';
import { isNamed } from './request-head.ts';
import type { Route } from './route.ts';

export interface Endpoint<Caller> {
  readonly route: Route<Caller>;
  readonly accepts: readonly string[];
  /** Headers of every response at this path. */
  readonly headers: Headers;
  /** Serves requests whose Accept names only its media types. */
  readonly variant: Endpoint<Caller> | null;
  /** The value of Allow if the endpoint handles methods without a route; null for a route. */
  readonly allow: string | null;
}

/** An endpoint and the methods that it serves. */
export interface ServedEndpoint<Caller> {
  readonly endpoint: Endpoint<Caller>;
  readonly methods: readonly string[];
}

/** Throws if the route's deprecation makes no sense. */
export function createEndpoint<Caller>(
  route: Route<Caller>,
  publicUrl: string,
  isOneOfSeveral = route.variant !== undefined,
): Endpoint<Caller> {
  const accepts = route.accepts ?? ['application/json'];
  const varies = accepts.length > 1 || isOneOfSeveral ? { vary: 'accept' } : {};
  const announced = route.deprecated === undefined ? {} : deprecationHeaders(route.deprecated, publicUrl);
  return {
    route,
    accepts,
    headers: { ...baseHeaders(route.path, publicUrl), ...varies, ...announced },
    variant: route.variant === undefined ? null : createEndpoint(route.variant, publicUrl, true),
    allow: null,
  };
}

/** The endpoint, or its variant if Accept asks for that. */
export function selectVariant<Caller>(
  endpoint: Endpoint<Caller>,
  accept: string | undefined,
): Endpoint<Caller> {
  const { variant, accepts } = endpoint;
  if (variant === null) return endpoint;
  return isNamed(accept, variant.accepts) && !isNamed(accept, accepts) ? variant : endpoint;
}

/** All routes, and per path one endpoint that answers other methods with 405 and OPTIONS with Allow. */
export function createEndpoints<Caller>(
  routes: readonly Route<Caller>[],
  publicUrl: string,
): readonly ServedEndpoint<Caller>[] {
  const served = routes.map((route) => ({
    endpoint: createEndpoint(route, publicUrl),
    methods: methodsOf(route),
  }));
  const others = [...Map.groupBy(routes, ({ path }) => path)].map(([path, atPath]) => {
    const methods = [...new Set(atPath.flatMap(methodsOf))];
    const errors = atPath.find((route) => route.errors !== undefined)?.errors;
    const guarding = atPath.find(({ guard }) => guard !== undefined);
    const route: Route<Caller> = {
      ...placeholderRoute(path),
      ...(errors !== undefined && { errors }),
      ...(guarding !== undefined && guardOf(guarding)),
    };
    return {
      endpoint: { ...createEndpoint(route, publicUrl), allow: [...methods, 'OPTIONS'].join(', ') },
      methods: METHODS.filter((method) => method !== 'CONNECT' && !methods.includes(method)),
    };
  });
  return [...served, ...others];
}

/** What a route demands of other methods at its path. */
function guardOf<Caller>({ access, guard }: Route<Caller>): Pick<Route<Caller>, 'access' | 'guard'> {
  return { access: { ...access, counts: 'nothing' }, ...(guard !== undefined && { guard }) };
}

/** The methods of a route, as listed in Allow. */
function methodsOf<Caller>(route: Route<Caller>): readonly string[] {
  const hasHead = [route, route.variant].some((each) => each?.method === 'GET' && each.head !== false);
  return hasHead ? ['GET', 'HEAD'] : [route.method];
}

/** Placeholder for requests without a route, so that they get headers and a log line like all others. */
export function placeholderRoute<Caller>(path: string): Route<Caller> {
  return {
    method: 'GET',
    path,
    access: { credentials: 'none', counts: 'nothing' },
    ownQuery: true,
    whileDraining: true,
    operation: 'none',
    tag: 'none',
    summary: 'A path or method without a route.',
    answer: { description: 'A problem.' },
    handle: () => ({ status: 404 }),
  };
}
