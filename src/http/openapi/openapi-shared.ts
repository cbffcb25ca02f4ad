// Parts of the OpenAPI document that all operations share: the problem document, its responses, and headers.

import { Type } from 'typebox';
import { PROBLEMS, type ProblemCode } from '../../lib/problem.ts';
import type { Json } from './openapi-schemas.ts';

/** The error document (RFC 9457) of every answer from 400 on. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Link to the documentation of this code.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What was wrong with this request, and how to fix it.' }),
    code: Type.Enum(Object.keys(PROBLEMS), { description: 'Stable code for programs.' }),
    requestId: Type.String({ description: 'The value of X-Request-Id.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          parameter: Type.Optional(Type.String({ description: 'The faulty parameter.' })),
          pointer: Type.Optional(
            Type.String({ description: 'JSON pointer to the faulty place in the body.' }),
          ),
          detail: Type.String(),
          suggestion: Type.Optional(Type.String({ description: 'The likely intended value.' })),
        }),
      ),
    ),
    violatedPolicies: Type.Optional(
      Type.Array(Type.String(), {
        description: 'On 429: names of the exceeded policies, as in RateLimit-Policy.',
      }),
    ),
    progress: Type.Optional(
      Type.Object(
        { records: Type.Integer(), total: Type.Integer() },
        { description: 'With SEARCH_LOADING: listings that are loaded, and about how many there are.' },
      ),
    ),
  },
  { $id: 'Problem', description: 'An error. Some codes add members.' },
);

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const number = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** Response headers, by the name under which they stand in components. */
export const HEADERS = {
  'X-Request-Id': text('Id of this request, as in the service’s log.', 'req_Yb0mV2nTq3hJk9Lw'),
  'RateLimit-Policy': text(
    'The limits in force: quota `q` in a window of `w` seconds.',
    '"minute";q=60;w=60',
  ),
  RateLimit: text('Remaining quota: `r` requests, and `t` seconds until more.', '"minute";r=59;t=60'),
  'X-RateLimit-Limit': number('Quota of the limit that is reached first.', 60),
  'X-RateLimit-Remaining': number('Remaining requests of that limit.', 59),
  'X-RateLimit-Reset': number('Seconds until more requests are available.', 60),
  'Retry-After': number('Seconds to wait before a retry.', 18),
  'WWW-Authenticate': text(
    'How to get credentials (RFC 6750, RFC 9728).',
    'Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource"',
  ),
} as const;

export type HeaderName = keyof typeof HEADERS;

export const LIMIT_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const satisfies readonly HeaderName[];

/** References to shared headers, as they stand under `headers` of an answer. */
export function headerReferences(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

interface SharedAnswer {
  readonly name: string;
  readonly description: string;
  /** The code that the example shows. */
  readonly code: ProblemCode;
  readonly headers: readonly HeaderName[];
}

/** The answers that the frame gives on its own, by status. */
export const SHARED_ANSWERS: Readonly<Record<number, SharedAnswer>> = {
  400: {
    ...{ name: 'BadRequest', code: 'INVALID_PARAMETER', headers: [] },
    description: 'The request is invalid; `errors` lists every invalid parameter.',
  },
  401: {
    ...{ name: 'Unauthorized', code: 'INVALID_API_KEY', headers: ['WWW-Authenticate'] },
    description: 'Credentials are missing, invalid or expired.',
  },
  403: {
    ...{ name: 'Forbidden', code: 'TIER_RESTRICTED', headers: [] },
    description: 'The credentials do not allow this endpoint.',
  },
  404: { name: 'NotFound', code: 'NOT_FOUND', headers: [], description: 'The resource does not exist.' },
  406: {
    ...{ name: 'NotAcceptable', code: 'NOT_ACCEPTABLE', headers: [] },
    description: 'The endpoint supports no media type in Accept.',
  },
  413: {
    name: 'PayloadTooLarge',
    code: 'PAYLOAD_TOO_LARGE',
    headers: [],
    description: 'The body is too large.',
  },
  415: {
    ...{ name: 'UnsupportedMediaType', code: 'UNSUPPORTED_MEDIA_TYPE', headers: [] },
    description: 'The type or encoding of the body is not supported.',
  },
  429: {
    ...{ name: 'TooManyRequests', code: 'RATE_LIMITED', headers: ['Retry-After', ...LIMIT_HEADERS] },
    description: 'A limit is exceeded; `violatedPolicies` names it.',
  },
  500: {
    name: 'InternalError',
    code: 'INTERNAL_ERROR',
    headers: [],
    description: 'Something went wrong in the service.',
  },
  503: {
    ...{ name: 'ServiceUnavailable', code: 'DATABASE_UNAVAILABLE', headers: ['Retry-After'] },
    description: 'A dependency does not answer at the moment; try again later.',
  },
};

/** Shared answers as they stand under components. */
export function sharedResponses(publicUrl: string): Json {
  return Object.fromEntries(
    Object.values(SHARED_ANSWERS).map(({ name, description, code, headers }) => {
      const content = { 'application/problem+json': problemContent(code, publicUrl) };
      return [name, { description, headers: headerReferences(['X-Request-Id', ...headers]), content }];
    }),
  );
}

function problemContent(code: ProblemCode, publicUrl: string): Json {
  const [status, title] = PROBLEMS[code];
  return {
    schema: { $ref: '#/components/schemas/Problem' },
    example: {
      type: `${publicUrl}/docs/errors#${code}`,
      title,
      status,
      detail: `${title}.`,
      code,
      requestId: HEADERS['X-Request-Id'].example,
    },
  };
}
