// Problem documents (RFC 9457): how an error becomes an answer, its headers, and what is kept from the client.

import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../lib/problem.ts';
import type { Headers, Reply } from './reply.ts';

/** What the document says besides the problem itself. */
export interface ProblemContext {
  readonly publicUrl: string;
  readonly requestId: string;
  /** The request's headers, whose Authorization decides on the challenge. */
  readonly request?: IncomingHttpHeaders;
  /** The scope that the route asks of a token. */
  readonly scope?: string | undefined;
}

/** What Fastify throws on its own behalf, by code. Texts are ours, since theirs name its own parts. */
const FRAMEWORK: Readonly<Record<string, () => Problem>> = {
  FST_ERR_BAD_URL: () => new Problem('INVALID_REQUEST', 'The URL has a %-escape that is not valid UTF-8.'),
  // A method that Node parses and does not list, such as PRI.
  FST_ERR_NOT_FOUND: () => new Problem('NOT_FOUND', 'There is nothing at this URL.'),
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

/** Any thrown value as a Problem; what is not one becomes an INTERNAL_ERROR that says nothing about its cause. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof Error) {
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

/** Headers of an answer that tells of a problem, whatever its form: no-store, a challenge, and what the problem brings. */
export function problemHeaders(problem: Problem, context: ProblemContext): Headers {
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
  const sent = /^bearer +\S/i.test(context.request?.authorization ?? '');
  if (context.scope !== undefined) parts.push(`scope="${context.scope}"`);
  if (sent) {
    parts.push(`error="${insufficient ? 'insufficient_scope' : 'invalid_token'}"`);
    parts.push(`error_description="${problem.message.replace(/[^ !#-[\]-~]/g, "'")}"`);
  }
  return `Bearer ${parts.join(', ')}`;
}
