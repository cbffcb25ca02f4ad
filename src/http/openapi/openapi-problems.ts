// Problems of the OpenAPI document: which codes an operation can answer, at which statuses, and responses that say so.

import type { TSchema } from 'typebox';
import { PROBLEMS, type ProblemCode } from '../../lib/problem.ts';
import type { Route } from '../frame/route.ts';
import type { Missing } from '../input/query.ts';
import type { Json } from './openapi-schemas.ts';
import { HEADERS, type HeaderName, headerReferences, LIMIT_HEADERS } from './openapi-shared.ts';

/** Codes by status. */
export type CodesByStatus = ReadonlyMap<number, readonly ProblemCode[]>;

/** Every code as an example, under its own name. */
export function problemExamples(publicUrl: string): Json {
  return Object.fromEntries(
    Object.entries(PROBLEMS).map(([code, [status, title]]) => {
      const type = `${publicUrl}/docs/errors#${code}`;
      const requestId = HEADERS['X-Request-Id'].example;
      return [code, { summary: title, value: { type, title, status, detail: `${title}.`, code, requestId } }];
    }),
  );
}

/** The codes that the frame answers for this route, those that the route names, and those of statuses that it describes. */
export function codesOf<Caller>(route: Route<Caller>): CodesByStatus {
  const { codes = [], alsoAnswers = {} } = route;
  const described = Object.keys(alsoAnswers).map(Number);
  const all = new Set([...frameCodes(route), ...codes]);
  const statuses = new Set([...all].map((code) => PROBLEMS[code][0] as number));
  const only = described.filter((status) => !statuses.has(status)).flatMap(onlyCodeOf);
  const byStatus = Map.groupBy([...all, ...only], (code) => PROBLEMS[code][0] as number);
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** The code of a status that has just one. */
function onlyCodeOf(status: number): readonly ProblemCode[] {
  const codes = CODES.filter((code) => PROBLEMS[code][0] === status);
  return codes.length === 1 ? codes : [];
}

function frameCodes<Caller>(route: Route<Caller>): readonly ProblemCode[] {
  const { access, params, body, whileDraining, anyAccept } = route;
  const { credentials, counts } = access;
  const isLimited = counts !== 'nothing' || credentials !== 'none';
  return [
    ...BASE.BadRequest,
    ...(credentials === 'none' ? [] : BASE.Unauthorized),
    ...(access.tier === undefined ? [] : (['TIER_RESTRICTED'] as const)),
    ...(access.scope === undefined && access.source !== true ? [] : BASE.Forbidden),
    ...(params === undefined ? [] : Object.values(params.properties).map(missingCode)),
    ...(anyAccept === true ? [] : BASE.NotAcceptable),
    ...(body === undefined ? [] : [...BASE.PayloadTooLarge, ...BASE.UnsupportedMediaType]),
    ...(isLimited ? BASE.TooManyRequests.slice(0, counts === 'month' ? 2 : 1) : []),
    ...(access.stream === true ? (['TOO_MANY_STREAMS'] as const) : []),
    ...BASE.InternalError,
    ...(whileDraining === true ? [] : BASE.ServiceUnavailable.slice(0, credentials === 'none' ? 3 : 5)),
  ];
}

function missingCode(parameter: TSchema): ProblemCode {
  return (parameter as Missing).missing ?? 'NOT_FOUND';
}

/** The codes of each response that every route of its kind has. */
const BASE = {
  BadRequest: ['INVALID_REQUEST', 'INVALID_PARAMETER', 'INVALID_BODY'],
  Unauthorized: ['MISSING_API_KEY', 'INVALID_API_KEY', 'EXPIRED_API_KEY', 'INVALID_TOKEN', 'EXPIRED_TOKEN'],
  Forbidden: ['INSUFFICIENT_SCOPE'],
  NotFound: [],
  NotAcceptable: ['NOT_ACCEPTABLE'],
  PayloadTooLarge: ['PAYLOAD_TOO_LARGE'],
  UnsupportedMediaType: ['UNSUPPORTED_MEDIA_TYPE'],
  TooManyRequests: ['RATE_LIMITED', 'QUOTA_EXCEEDED'],
  InternalError: ['INTERNAL_ERROR'],
  ServiceUnavailable: [
    'SHUTTING_DOWN',
    'MAINTENANCE',
    'OVERLOADED',
    'DATABASE_UNAVAILABLE',
    'SUBSCRIPTIONS_UNAVAILABLE',
  ],
} as const satisfies Readonly<Record<string, readonly ProblemCode[]>>;

type SharedName = keyof typeof BASE;

interface SharedResponse {
  readonly name: SharedName;
  /** Its name with only some of the codes. */
  readonly part?: string;
  readonly description: string;
  readonly headers: readonly HeaderName[];
}

/** The responses that operations share, by status. */
const SHARED: Readonly<Record<number, SharedResponse>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is invalid; `errors` lists every invalid parameter.',
    headers: [],
  },
  401: {
    name: 'Unauthorized',
    description: 'Credentials are missing, invalid or expired.',
    headers: ['WWW-Authenticate'],
  },
  403: { name: 'Forbidden', description: 'The credentials do not allow this endpoint.', headers: [] },
  404: { name: 'NotFound', description: 'The resource does not exist.', headers: [] },
  406: {
    name: 'NotAcceptable',
    description: 'The endpoint supports no media type in Accept.',
    headers: [],
  },
  413: { name: 'PayloadTooLarge', description: 'The body is too large.', headers: [] },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The type or encoding of the body is not supported.',
    headers: [],
  },
  429: {
    name: 'TooManyRequests',
    part: 'RateLimited',
    description: 'A limit is exceeded; `violatedPolicies` names it.',
    headers: ['Retry-After', ...LIMIT_HEADERS],
  },
  500: { name: 'InternalError', description: 'Something went wrong in the service.', headers: [] },
  503: {
    name: 'ServiceUnavailable',
    part: 'ShuttingDown',
    description: 'The service cannot answer at the moment; try again later.',
    headers: ['Retry-After'],
  },
};

/** Responses with problem documents: shared ones once under components. */
export class ProblemResponses {
  readonly #shared = new Map<string, Json>();

  /** A response with these codes; with a description of its own it is not shared. */
  place(status: number, codes: readonly ProblemCode[], description?: string): Json {
    const shared = SHARED[status];
    if (shared === undefined || description !== undefined)
      return response(codes, description ?? '', shared?.headers ?? []);
    const name = nameOf(shared, codes);
    this.#shared.set(name, response(codes, shared.description, shared.headers));
    return { $ref: `#/components/responses/${name}` };
  }

  /** All shared responses, by name. */
  get responses(): Json {
    return Object.fromEntries([...this.#shared].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** `BadRequest`, with the codes that it has beyond those of its kind. */
function nameOf({ name, part = name }: SharedResponse, codes: readonly ProblemCode[]): string {
  const base: readonly ProblemCode[] = BASE[name];
  const isWhole = base.every((code) => codes.includes(code));
  const more = codes.filter((code) => !base.includes(code)).map(pascal);
  return base.length === 0 ? more.join('Or') : (isWhole ? name : part) + more.join('');
}

const pascal = (code: ProblemCode): string =>
  code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');

function response(codes: readonly ProblemCode[], description: string, headers: readonly HeaderName[]): Json {
  const sentence = /[.;]$/.test(description) ? description : `${description}.`;
  const list = codes.map((code) => `\`${code}\``).join(', ');
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }] as const);
  return {
    description: codes.length === 0 ? sentence : `${sentence} Codes: ${list}.`,
    headers: headerReferences(['X-Request-Id', ...headers]),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
      },
    },
  };
}
