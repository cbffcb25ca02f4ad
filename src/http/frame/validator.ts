// Validators of a route's parameters and body, as Fastify calls them.

import { type TObject, Type } from 'typebox';
import { compileBody } from '../input/body.ts';
import { compileParameters, compileParsedQuery } from '../input/query.ts';
import type { Route } from './route.ts';

/** The route's schemas under Fastify's names; a query without a schema takes no parameters. */
export function schemaOf<Caller>({ params, query, body, ownQuery, ownBody }: Route<Caller>) {
  return {
    ...(params !== undefined && { params }),
    ...(ownQuery !== true && { querystring: query ?? Type.Object({}) }),
    ...(body !== undefined && ownBody === undefined && { body }),
  };
}

interface RouteSchema {
  readonly schema: unknown;
  readonly url?: string;
  readonly httpPart?: string;
}

/** Validator of each part, strict: nothing is coerced or dropped, and unknown parameters are errors. */
export function compileValidator({ schema, httpPart, url = '' }: RouteSchema) {
  const read = compilePart(schema as TObject, httpPart, url);
  return (part: unknown) => {
    try {
      return { value: read(part) };
    } catch (error) {
      return { error: error as Error };
    }
  };
}

function compilePart(
  schema: TObject,
  httpPart: string | undefined,
  path: string,
): (part: unknown) => unknown {
  if (httpPart === 'params') return compileParameters(path, schema) as (part: unknown) => unknown;
  if (httpPart === 'querystring') return compileParsedQuery(schema) as (part: unknown) => unknown;
  return compileBody(schema);
}
