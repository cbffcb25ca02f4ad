// Parts of the OpenAPI document that all operations share: the problem document and the headers.

import { Type } from 'typebox';
import { PROBLEMS } from '../../lib/problem.ts';
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
  'X-RateLimit-Notice': text('Present once `p` percent of the month are used: 80, then 100.', '"month";p=80'),
  'Retry-After': number('Seconds to wait before a retry.', 18),
  'WWW-Authenticate': text(
    'How to get credentials (RFC 6750, RFC 9728).',
    'Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource"',
  ),
} as const;

/** Headers of deprecated operations; in the document only if it has such operations. */
export const DEPRECATION_HEADERS = {
  Deprecation: text('Since when the operation is deprecated: seconds since 1970 (RFC 9745).', '@1803859200'),
  Sunset: text('From when on the operation may be gone (RFC 8594).', 'Wed, 01 Sep 2027 00:00:00 GMT'),
  Link: text(
    'The page that says what to use instead, as `deprecation` and `sunset`.',
    '<https://api.example/docs/versioning>; rel="deprecation"',
  ),
} as const;

export type HeaderName = keyof typeof HEADERS | keyof typeof DEPRECATION_HEADERS;

export const LIMIT_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Notice',
] as const satisfies readonly HeaderName[];

/** References to shared headers, as they stand under `headers` of an answer. */
export function headerReferences(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
