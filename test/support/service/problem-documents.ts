// Checks of a problem document: its members, the challenge of RFC 6750 and RFC 9728, and the limits that it tells.

import assert from 'node:assert/strict';
import { PROBLEMS, type ProblemCode } from '../../../src/lib/problem.ts';

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Where the links of a problem lead, and the page of errors there. */
export interface ErrorPages {
  readonly base: string;
  readonly page: string;
}

/** Codes that are met after the request was counted, so that the answer must tell the limits. */
const COUNTED: readonly ProblemCode[] = [
  'TIER_RESTRICTED',
  'INSUFFICIENT_SCOPE',
  'INVALID_PARAMETER',
  'INVALID_CURSOR',
  'INVALID_GEOMETRY',
  'LISTING_NOT_FOUND',
  'PROPERTY_NOT_FOUND',
  'AREA_NOT_FOUND',
  'NOT_ACCEPTABLE',
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'TOO_MANY_STREAMS',
  'UNSUPPORTED_MEDIA_TYPE',
] as const;

const AT_FAULT: readonly ProblemCode[] = ['INVALID_PARAMETER', 'INVALID_CURSOR', 'INVALID_GEOMETRY'];
const MEMBERS = [
  'type',
  'title',
  'status',
  'detail',
  'code',
  'requestId',
  'errors',
  'violatedPolicies',
  'progress',
];

/** Checks that an answer is the problem of this code, whole and as documented. */
export function checkProblem(code: ProblemCode, answer: Answer, pages: ErrorPages): void {
  checkDocument(code, answer, pages);
  checkChallenge(code, answer, pages.base);
  checkLimits(code, answer);
}

function checkDocument(
  code: ProblemCode,
  { status, headers, body }: Answer,
  { base, page }: ErrorPages,
): void {
  const [expected, title] = PROBLEMS[code];
  const problem = JSON.parse(body);
  assert.deepEqual([problem.code, status, problem.status, problem.title], [code, expected, expected, title]);
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json(;|$)/);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.deepEqual(
    Object.keys(problem).filter((member) => !MEMBERS.includes(member)),
    [],
  );
  assert.equal(problem.type, `${base}/docs/errors#${code}`);
  assert.ok(page.includes(`id="${code}"`), 'the link leads to an entry');
  assert.match(problem.detail, /^[A-Z][^\n]{8,}[.?]$/, 'a sentence');
  assert.match(problem.requestId, /^req_/);
  assert.equal(problem.requestId, headers.get('x-request-id'));
  assert.ok(!/SERVICE-[0-9A-F]{8}-|relation|postgres|\.ts:/i.test(body), 'nothing private is shown');
  if (AT_FAULT.includes(code)) {
    assert.ok(problem.errors.length > 0);
    for (const error of problem.errors) assert.ok(error.parameter && error.detail, 'names what is at fault');
  }
}

/** RFC 6750 and RFC 9728: every 401 leads on; an error is named only where a Bearer credential was sent. */
function checkChallenge(code: ProblemCode, { status, headers }: Answer, base: string): void {
  const insufficient = code === 'INSUFFICIENT_SCOPE';
  assert.equal(headers.has('www-authenticate'), status === 401 || insufficient);
  if (status !== 401 && !insufficient) return;
  const challenge = headers.get('www-authenticate') ?? '';
  const metadata = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource", scope="listings:`;
  assert.ok(challenge.startsWith(metadata), challenge);
  const [, error] = /, error="(\w+)", error_description="[^"]+"/.exec(challenge) ?? [];
  const named: Partial<Record<ProblemCode, string>> = {
    INVALID_API_KEY: 'invalid_token',
    EXPIRED_API_KEY: 'invalid_token',
    EXPIRED_TOKEN: 'invalid_token',
    INSUFFICIENT_SCOPE: 'insufficient_scope',
  };
  assert.equal(error, named[code]);
}

function checkLimits(code: ProblemCode, { status, headers, body }: Answer): void {
  if (status === 405) assert.match(headers.get('allow') ?? '', /^GET, HEAD, OPTIONS$/);
  if (status === 429 || status === 503) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  if (status === 429) {
    const { violatedPolicies } = JSON.parse(body);
    const expected = { RATE_LIMITED: 'minute', QUOTA_EXCEEDED: 'month', TOO_MANY_STREAMS: 'streams' };
    assert.deepEqual(violatedPolicies, [expected[code as keyof typeof expected]]);
  }
  if (!COUNTED.includes(code)) return;
  assert.match(headers.get('ratelimit-policy') ?? '', /^"minute";q=\d+;w=60/);
  assert.match(headers.get('ratelimit') ?? '', /^"minute";r=\d+;t=\d+/);
  for (const name of ['limit', 'remaining', 'reset'])
    assert.match(headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/);
}
