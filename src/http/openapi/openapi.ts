// OpenAPI document: every route, described from the same object that serves it.

import type { TSchema } from 'typebox';
import { linkOf } from '../frame/deprecation.ts';
import type { Access, Route } from '../frame/route.ts';
import { asValueSchema, isInternal } from '../input/values.ts';
import { type AnswerShelves, describeAnswers } from './openapi-answers.ts';
import { bodyExample, type Examples, parameterExample } from './openapi-examples.ts';
import { ProblemResponses, problemExamples } from './openapi-problems.ts';
import { describeParameter, type Json, SchemaShelf } from './openapi-schemas.ts';
import { DEPRECATION_HEADERS, HEADERS, ProblemSchema } from './openapi-shared.ts';

/** Metadata of the document. */
export interface Describe {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: { readonly name: string; readonly identifier: string };
  /** Public URL of the service; also the base of links to error pages. */
  readonly server: string;
  /** Descriptions of tags, in display order. */
  readonly tags: Readonly<Record<string, string>>;
  readonly examples?: Examples;
  /** Who may call an operation, in words: the end of its description. */
  readonly describeAccess?: (access: Access) => string;
  /** Present if the service issues tokens. */
  readonly oauth?: {
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly scopes: Readonly<Record<string, string>>;
  };
}

/** The document (OpenAPI 3.1). The same routes always give the same text. Throws where a tag is not described. */
export function openapiDocument<Caller>(routes: readonly Route<Caller>[], describe: Describe): Json {
  const shelves = { schemas: new SchemaShelf(), problems: new ProblemResponses() };
  shelves.schemas.place(ProblemSchema);
  const operations = routes.filter(({ page }) => page !== true);
  const paths = describePaths(operations, describe, shelves);
  return {
    openapi: '3.1.0',
    info: {
      title: describe.title,
      version: describe.version,
      ...(describe.description !== undefined && { description: describe.description }),
      ...(describe.license !== undefined && { license: describe.license }),
    },
    servers: [{ url: describe.server }],
    tags: usedTags(operations, describe),
    paths,
    components: {
      securitySchemes: securitySchemes(describe),
      headers: operations.some(({ deprecated }) => deprecated)
        ? { ...HEADERS, ...DEPRECATION_HEADERS }
        : HEADERS,
      responses: shelves.problems.responses,
      examples: problemExamples(describe.server),
      schemas: shelves.schemas.schemas,
    },
  };
}

function describePaths<Caller>(
  routes: readonly Route<Caller>[],
  describe: Describe,
  shelves: AnswerShelves,
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const operations = paths[path] ?? {};
    paths[path] = operations;
    operations[route.method.toLowerCase()] = describeOperation(route, describe, shelves);
  }
  return paths;
}

function describeOperation<Caller>(route: Route<Caller>, describe: Describe, shelves: AnswerShelves): Json {
  const { schemas } = shelves;
  const parameters = [
    ...describeParameters(route, 'path', describe, schemas),
    ...describeParameters(route, 'query', describe, schemas),
  ];
  return {
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    ...(route.deprecated !== undefined && { deprecated: true }),
    ...describeOperationInWords(route, describe),
    security: describeSecurity(route.access, describe),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: {
        required: route.ownBody !== 'optional' && route.ownBody !== 'bytes',
        content: describeBody(route, route.documentedBody ?? route.body, describe, schemas),
      },
    }),
    responses: describeAnswers(route, shelves),
  };
}

/** `{ description }`: what the operation does, until when, and who may call it. */
function describeOperationInWords<Caller>(
  { description, access, deprecated }: Route<Caller>,
  { describeAccess, server }: Describe,
): Json {
  const end =
    deprecated &&
    `Deprecated since ${deprecated.since}, and may be gone from ${deprecated.sunset} on: see ${linkOf(deprecated, server)}.`;
  const parts = [description, end, describeAccess?.(access)].filter((part) => part !== undefined);
  return parts.length === 0 ? {} : { description: parts.join('\n\n') };
}

function describeBody<Caller>(
  { operation, consumes = ['application/json'] }: Route<Caller>,
  body: TSchema,
  { examples }: Describe,
  shelf: SchemaShelf,
): Json {
  const content = { schema: shelf.place(body), ...bodyExample(examples, operation) };
  return Object.fromEntries(consumes.map((type) => [type, content]));
}

function describeParameters<Caller>(
  { operation, params, query }: Route<Caller>,
  place: 'path' | 'query',
  { examples }: Describe,
  shelf: SchemaShelf,
): readonly Json[] {
  const object = place === 'path' ? params : query;
  const required = new Set(object?.required ?? []);
  const open = Object.entries(object?.properties ?? {}).filter(([, schema]) => !isInternal(schema));
  return open.map(([name, schema]) => {
    const value = asValueSchema(schema);
    const description = describeParameter(schema);
    // Described once: on the parameter, not again on its schema.
    const { description: _, ...bare } = shelf.place(schema as TSchema);
    return {
      name,
      in: place,
      required: place === 'path' || (required.has(name) && value.default === undefined),
      ...(description !== '' && { description }),
      ...(value.type === 'array' && { style: 'form', explode: value.separator === null }),
      schema: bare,
      ...parameterExample(examples, operation, name),
    };
  });
}

function describeSecurity({ credentials, scope, source }: Access, describe: Describe): readonly Json[] {
  if (credentials === 'none') return [];
  if (source === true) return [{ sourceToken: [] }];
  const token = describe.oauth === undefined ? [] : [{ oauth: scope === undefined ? [] : [scope] }];
  const known = [{ apiKey: [] }, ...token];
  return credentials === 'optional' ? [{}, ...known] : known;
}

function securitySchemes({ oauth }: Describe): Json {
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'SERVICE-<uuid>',
      description: 'Authorization: Bearer SERVICE-<uuid>',
    },
    sourceToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'src_<43 characters>',
      description: 'The token of a source that programs push to: Authorization: Bearer src_<43 characters>',
    },
    ...(oauth !== undefined && {
      oauth: {
        type: 'oauth2',
        description:
          'OAuth 2.1 with PKCE (S256), recommended for MCP clients and third-party applications: Authorization: Bearer ' +
          '<access token>',
        flows: { authorizationCode: { ...oauth, refreshUrl: oauth.tokenUrl } },
      },
    }),
  };
}

function usedTags<Caller>(routes: readonly Route<Caller>[], { tags }: Describe): readonly Json[] {
  const used = new Set(routes.map(({ tag }) => tag));
  for (const tag of used) if (tags[tag] === undefined) throw new Error(`The tag ${tag} is not described`);
  const names = Object.keys(tags).filter((name) => used.has(name));
  return names.map((name) => ({ name, description: tags[name] }));
}
