// Owns how an error becomes an answer: the problem document, its headers, and what is kept from the client.

import type { IncomingHttpHeaders } from 'node:http';
import { pointerTo } from '../../lib/json-pointer.ts';
import { faultSentence, Problem } from '../../lib/problem.ts';
import type { ErrorForm, Reply } from '../frame/route.ts';
import type { Headers } from './headers.ts';

/** What the document says besides the problem itself. */
export interface ProblemContext {
  readonly publicUrl: string;
  readonly requestId: string;
  /** The Authorization header as it was sent, to choose the challenge. */
  readonly authorization?: string | undefined;
  /** The scope that the route asks of a token. */
  readonly scope?: string | undefined;
}

/** What Fastify throws on its own behalf, by code. Texts are ours, since theirs name its own parts. */
const FRAMEWORK: Readonly<Record<string, () => Problem>> = {
  FST_ERR_BAD_URL: unreadableAddress,
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('URI_TOO_LONG', 'A part of the path is too long.'),
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new Problem('PAYLOAD_TOO_LARGE', 'The body is too large; send less.', {
      headers: { connection: 'close' },
    }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Problem('UNSUPPORTED_MEDIA_TYPE', 'The Content-Type of the body is not supported.', {
      headers: { connection: 'close' },
    }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Problem('INVALID_REQUEST', 'The length of the body does not match Content-Length.', {
      headers: { connection: 'close' },
    }),
  ECONNRESET: () => new Problem('INVALID_REQUEST', 'The connection closed before the request was complete.'),
};

interface Violation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The problem of an address that no router can take apart. */
export function unreadableAddress(): Problem {
  return new Problem('INVALID_REQUEST', 'The URL has a %-escape that is not valid UTF-8.');
}

/** Any thrown value as a Problem; what is not one becomes an INTERNAL_ERROR that says nothing about its cause. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof Error) {
    if ('validation' in thrown && Array.isArray(thrown.validation)) return fromViolations(thrown.validation);
    const known = 'code' in thrown && typeof thrown.code === 'string' ? FRAMEWORK[thrown.code] : undefined;
    if (known !== undefined) return known();
  }
  return new Problem(
    'INTERNAL_ERROR',
    'Something went wrong on our side. Quote the request id when you report it.',
    {
      cause: thrown,
    },
  );
}

function fromViolations(violations: readonly Violation[]): Problem {
  const errors = violations.map((violation) => {
    const extra = violation.params.additionalProperty;
    const isExtra = typeof extra === 'string';
    const pointer = isExtra ? pointerTo(extra, violation.instancePath) : violation.instancePath;
    const allowed = violation.params.allowedValues;
    const list = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
    const detail = isExtra
      ? 'is not a member of this object'
      : `${violation.message ?? 'is not valid'}${list}`;
    return { pointer, detail };
  });
  const [first] = errors;
  const place = first?.pointer ? `The member ${first.pointer.slice(1)}` : 'The body';
  const detail = faultSentence(place, first ?? { detail: 'is not valid' });
  return new Problem('INVALID_BODY', detail, { errors });
}

/** The problem as the route writes its errors; by default as a problem document. */
export function failureReply(
  problem: Problem,
  context: ProblemContext & { readonly request: IncomingHttpHeaders },
  form: ErrorForm | undefined,
): Reply {
  if (form === undefined) return problemReply(problem, context);
  const { requestId, request } = context;
  return form.write({ problem, requestId, request, headers: problemHeaders(problem, context) });
}

/** The problem document (RFC 9457) as a reply. */
export function problemReply(problem: Problem, context: ProblemContext): Reply {
  const document = {
    type: `${context.publicUrl}/docs/errors#${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    requestId: context.requestId,
    ...(problem.errors.length > 0 && { errors: problem.errors }),
    ...problem.members,
  };
  const headers = { 'content-type': 'application/problem+json; charset=utf-8' };
  return {
    status: problem.status,
    headers: { ...headers, ...problemHeaders(problem, context) },
    json: document,
  };
}

function problemHeaders(problem: Problem, context: ProblemContext): Headers {
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  const challenge = challengeFor(problem, context);
  if (challenge !== null) headers['www-authenticate'] = challenge;
  for (const [name, value] of Object.entries(problem.headers)) headers[name.toLowerCase()] = value;
  return headers;
}

/**
 * The Bearer challenge (RFC 6750, RFC 9728). `error` is named only where a Bearer credential was sent: with none, or
 * with another scheme, the client is only told where to begin. A tier is no scope, so TIER_RESTRICTED has no challenge.
 */
function challengeFor(problem: Problem, context: ProblemContext): string | null {
  const insufficient = problem.code === 'INSUFFICIENT_SCOPE';
  if (problem.status !== 401 && !insufficient) return null;
  const parts = [`resource_metadata="${context.publicUrl}/.well-known/oauth-protected-resource"`];
  const sent = /^bearer +\S/i.test(context.authorization ?? '');
  if (context.scope !== undefined) parts.push(`scope="${context.scope}"`);
  if (sent) {
    parts.push(`error="${insufficient ? 'insufficient_scope' : 'invalid_token'}"`);
    parts.push(`error_description="${problem.message.replace(/[^ !#-[\]-~]/g, "'")}"`);
  }
  return `Bearer ${parts.join(', ')}`;
}
