// OpenAPI document: every route, described from the same object that serves it.

import type { TSchema } from 'typebox';
import type { Access, ErrorForm, Route } from '../frame/route.ts';
import { asValueSchema, isInternal } from '../input/values.ts';
import { bodyExample, type Examples, parameterExample } from './openapi-examples.ts';
import { describeParameter, type Json, SchemaShelf } from './openapi-schemas.ts';
import {
  HEADERS,
  headerReferences,
  LIMIT_HEADERS,
  ProblemSchema,
  SHARED_ANSWERS,
  sharedResponses,
} from './openapi-shared.ts';

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
  /** Present if the service issues tokens. */
  readonly oauth?: {
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly scopes: Readonly<Record<string, string>>;
  };
}

/** The document (OpenAPI 3.1). The same routes always give the same text. Throws where a tag is not described. */
export function openapiDocument<Caller>(routes: readonly Route<Caller>[], describe: Describe): Json {
  const shelf = new SchemaShelf();
  shelf.place(ProblemSchema);
  const operations = routes.filter(({ page }) => page !== true);
  const paths = describePaths(operations, describe, shelf);
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
      headers: HEADERS,
      responses: sharedResponses(describe.server),
      schemas: shelf.schemas,
    },
  };
}

function describePaths<Caller>(
  routes: readonly Route<Caller>[],
  describe: Describe,
  shelf: SchemaShelf,
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const operations = paths[path] ?? {};
    paths[path] = operations;
    operations[route.method.toLowerCase()] = describeOperation(route, describe, shelf);
  }
  return paths;
}

function describeOperation<Caller>(route: Route<Caller>, describe: Describe, shelf: SchemaShelf): Json {
  const parameters = [
    ...describeParameters(route, 'path', describe, shelf),
    ...describeParameters(route, 'query', describe, shelf),
  ];
  return {
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    security: describeSecurity(route.access, describe),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: {
        required: route.isBodyOptional !== true,
        content: describeBody(route, route.body, describe, shelf),
      },
    }),
    responses: describeAnswers(route, shelf),
  };
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

function describeAnswers<Caller>(route: Route<Caller>, shelf: SchemaShelf): Json {
  const { access, answer, alsoAnswers = {} } = route;
  const limits = access.counts === 'nothing' ? [] : LIMIT_HEADERS;
  const answers: Record<string, Json> = {
    [answer.status ?? 200]: {
      description: answer.description,
      headers: headerReferences(['X-Request-Id', ...limits]),
      ...describeAllContent(route, shelf),
    },
  };
  if (route.errors !== undefined) return { ...answers, ...describeErrors(route.errors, alsoAnswers, shelf) };
  for (const status of sharedStatuses(route)) {
    const shared = SHARED_ANSWERS[status];
    if (shared !== undefined) answers[status] = { $ref: `#/components/responses/${shared.name}` };
  }
  for (const [status, description] of Object.entries({ ...alsoAnswers, ...route.variant?.alsoAnswers })) {
    answers[status] = { ...(Number(status) >= 400 && problemAnswer), ...answers[status], description };
    if (answers[status]?.$ref !== undefined) answers[status] = { ...problemAnswer, description };
  }
  return answers;
}

/** Errors in a route's own format: its table and the route's own descriptions, which win. */
function describeErrors(form: ErrorForm, own: Readonly<Record<number, string>>, shelf: SchemaShelf): Json {
  const types = Object.entries(form.content).map(([type, schema]) => [type, { schema: shelf.place(schema) }]);
  const content = Object.fromEntries(types);
  const headers = headerReferences(['X-Request-Id']);
  return Object.fromEntries(
    Object.entries({ ...form.answers, ...own }).map(([status, description]) => [
      status,
      Number(status) < 400 ? { description, headers } : { description, headers, content },
    ]),
  );
}

const problemAnswer = {
  headers: headerReferences(['X-Request-Id']),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** Statuses that the frame itself can send for this route. */
function sharedStatuses<Caller>(route: Route<Caller>): readonly number[] {
  const { access, params, body, whileDraining, anyAccept } = route;
  return [
    400,
    ...(access.credentials === 'none' ? [] : [401]),
    ...(access.tier === undefined && access.scope === undefined ? [] : [403]),
    ...(params === undefined ? [] : [404]),
    ...(anyAccept === true ? [] : [406]),
    ...(body === undefined ? [] : [413, 415]),
    ...(access.counts === 'nothing' && access.credentials === 'none' ? [] : [429]),
    500,
    ...(whileDraining === true ? [] : [503]),
  ];
}

/** The route's content, and that of its variant. */
function describeAllContent<Caller>(route: Route<Caller>, shelf: SchemaShelf): Json {
  const own = describeContent(route, shelf);
  if (route.variant === undefined) return own;
  const contents = [own, describeContent(route.variant, shelf)].map(({ content }) => content);
  return { content: Object.assign({}, ...contents) };
}

/** JSON without a schema means an empty body, without content. */
function describeContent<Caller>({ accepts, answer }: Route<Caller>, shelf: SchemaShelf): Json {
  const main = answer.contentType ?? accepts?.[0] ?? 'application/json';
  if (answer.schema === undefined && isJson(main)) return {};
  const schemaOf = (type: string): Json => {
    const schema = answer.otherSchemas?.[type] ?? (type === main || isJson(type) ? answer.schema : undefined);
    return schema === undefined ? { type: 'string' } : shelf.place(schema);
  };
  const example = answer.example === undefined ? {} : { example: answer.example };
  const types = new Set([main, ...(accepts ?? [])]);
  const content = [...types].map((type) => [type, { schema: schemaOf(type), ...(type === main && example) }]);
  return { content: Object.fromEntries(content) };
}

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json');

function describeSecurity({ credentials, scope }: Access, describe: Describe): readonly Json[] {
  if (credentials === 'none') return [];
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
    ...(oauth !== undefined && {
      oauth: {
        type: 'oauth2',
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
