// Answers of an operation in the OpenAPI document: one content for success, and its problems with their codes.

import type { ErrorForm, Route } from '../frame/route.ts';
import { codesOf, type ProblemResponses } from './openapi-problems.ts';
import type { Json, SchemaShelf } from './openapi-schemas.ts';
import { DEPRECATION_HEADERS, type HeaderName, headerReferences, LIMIT_HEADERS } from './openapi-shared.ts';

/** Where named parts of answers are collected. */
export interface AnswerShelves {
  readonly schemas: SchemaShelf;
  readonly problems: ProblemResponses;
}

/** The answers by status. */
export function describeAnswers<Caller>(route: Route<Caller>, shelves: AnswerShelves): Json {
  const { access, answer, alsoAnswers = {} } = route;
  const limits = access.counts === 'nothing' ? [] : LIMIT_HEADERS;
  const announced = route.deprecated === undefined ? [] : (Object.keys(DEPRECATION_HEADERS) as HeaderName[]);
  const answers: Record<string, Json> = {
    [answer.status ?? 200]: {
      description: answer.description,
      headers: headerReferences(['X-Request-Id', ...limits, ...announced]),
      ...describeContent(route, shelves.schemas),
    },
  };
  if (route.errors !== undefined)
    return { ...answers, ...describeErrors(route, route.errors, shelves.schemas) };
  for (const [status, description] of Object.entries(alsoAnswers))
    if (Number(status) < 400) answers[status] = { description, headers: headerReferences(['X-Request-Id']) };
  for (const [status, codes] of codesOf(route))
    answers[status] = shelves.problems.place(status, codes, descriptionOf(route, status));
  return answers;
}

/** The route's own words for a status, if it has any. */
function descriptionOf<Caller>(
  { alsoAnswers, bodyBytes }: Route<Caller>,
  status: number,
): string | undefined {
  if (status !== 413 || bodyBytes === undefined) return alsoAnswers?.[status];
  return `The body is larger than ${bodyBytes.toLocaleString('en-US')} bytes.`;
}

/** Errors in a route's own format: its table and the route's own descriptions, which win. */
function describeErrors<Caller>(route: Route<Caller>, form: ErrorForm, shelf: SchemaShelf): Json {
  const types = Object.entries(form.content).map(([type, schema]) => [type, { schema: shelf.place(schema) }]);
  const content = Object.fromEntries(types);
  const headers = headerReferences(['X-Request-Id']);
  return Object.fromEntries(
    Object.entries({ ...form.answers, ...route.alsoAnswers }).map(([status, words]) => {
      const description = descriptionOf(route, Number(status)) ?? words;
      return [status, Number(status) < 400 ? { description, headers } : { description, headers, content }];
    }),
  );
}

/**
 * One content, in the main type: generated clients have one type for each answer. What else `accepts` names is put into
 * words by the route, or has a path of its own. JSON without a schema means an empty body, without content.
 */
function describeContent<Caller>({ accepts, answer }: Route<Caller>, shelf: SchemaShelf): Json {
  const type = answer.contentType ?? accepts?.[0] ?? 'application/json';
  if (answer.schema === undefined && isJson(type)) return {};
  const schema = answer.schema === undefined ? { type: 'string' } : shelf.place(answer.schema);
  const example = answer.example === undefined ? {} : { example: answer.example };
  return { content: { [type]: { schema, ...example } } };
}

const isJson = (type: string): boolean => type === 'application/json' || type.endsWith('+json');
