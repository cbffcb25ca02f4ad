// Owns the parts of the OpenAPI document that all operations share: the problem document, its answers, and headers.

import { Type } from 'typebox';
import { PROBLEMS, type ProblemCode } from '../../lib/problem.ts';
import type { Json } from './openapi-schemas.ts';

/** The error document (RFC 9457) of every answer from 400 on. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'A page about this code.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What was wrong with this request, and the remedy.' }),
    code: Type.Enum(Object.keys(PROBLEMS), { description: 'Stable: programs decide by it.' }),
    requestId: Type.String({ description: 'The value of X-Request-Id.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          parameter: Type.Optional(Type.String({ description: 'The faulty parameter.' })),
          pointer: Type.Optional(
            Type.String({ description: 'JSON pointer to the faulty place in the body.' }),
          ),
          detail: Type.String(),
          suggestion: Type.Optional(Type.String({ description: 'What was probably meant.' })),
        }),
      ),
    ),
    violatedPolicies: Type.Optional(
      Type.Array(Type.String(), {
        description: 'On 429: the limits that were reached, as RateLimit names them.',
      }),
    ),
  },
  { $id: 'Problem', description: 'An error. Single codes may add members.' },
);

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const number = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** Response headers, by the name under which they stand in components. */
export const HEADERS = {
  'X-Request-Id': text('Names this request; support and logs know it.', 'req_Yb0mV2nTq3hJk9Lw'),
  'RateLimit-Policy': text(
    'The limits in force: quota `q` in a window of `w` seconds.',
    '"minute";q=60;w=60',
  ),
  RateLimit: text('What is left: `r` requests, and `t` seconds until more.', '"minute";r=59;t=60'),
  'X-RateLimit-Limit': number('The quota of the limit that binds first.', 60),
  'X-RateLimit-Remaining': number('What is left of it.', 59),
  'X-RateLimit-Reset': number('Seconds until more is available.', 60),
  'Retry-After': number('Seconds to wait before the next attempt.', 18),
  'WWW-Authenticate': text(
    'Where and how to get credentials (RFC 6750, RFC 9728).',
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
    description: 'The request is malformed; `errors` names every faulty parameter.',
  },
  401: {
    ...{ name: 'Unauthorized', code: 'INVALID_API_KEY', headers: ['WWW-Authenticate'] },
    description: 'Credentials are missing, wrong or expired.',
  },
  403: {
    ...{ name: 'Forbidden', code: 'TIER_RESTRICTED', headers: [] },
    description: 'The credentials do not reach this endpoint.',
  },
  404: { name: 'NotFound', code: 'NOT_FOUND', headers: [], description: 'There is no such resource.' },
  406: {
    ...{ name: 'NotAcceptable', code: 'NOT_ACCEPTABLE', headers: [] },
    description: 'Nothing that this endpoint can answer with fits Accept.',
  },
  413: {
    name: 'PayloadTooLarge',
    code: 'PAYLOAD_TOO_LARGE',
    headers: [],
    description: 'The body is too large.',
  },
  415: {
    ...{ name: 'UnsupportedMediaType', code: 'UNSUPPORTED_MEDIA_TYPE', headers: [] },
    description: 'The body is of a type or coding that is not read here.',
  },
  429: {
    ...{ name: 'TooManyRequests', code: 'RATE_LIMITED', headers: ['Retry-After', ...LIMIT_HEADERS] },
    description: 'A limit is reached; `violatedPolicies` names it.',
  },
  500: {
    name: 'InternalError',
    code: 'INTERNAL_ERROR',
    headers: [],
    description: 'Something went wrong here.',
  },
  503: {
    ...{ name: 'ServiceUnavailable', code: 'DATABASE_UNAVAILABLE', headers: ['Retry-After'] },
    description: 'Something that is needed does not answer now; try again later.',
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
