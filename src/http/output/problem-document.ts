// Problem documents (RFC 9457): errors as responses with their headers; causes stay private.

import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../lib/problem.ts';
import type { Headers, Reply } from './reply.ts';

/** Context of a problem document. */
export interface ProblemContext {
  readonly publicUrl: string;
  readonly requestId: string;
  /** Request headers; Authorization decides the challenge. */
  readonly request?: IncomingHttpHeaders;
  /** What the route requires of a token. */
  readonly access?: {
    readonly scope?: string;
    readonly challengeScope?: string;
    readonly resource?: string;
  };
}

/** Fastify's own errors by code, with texts for clients. */
const FRAMEWORK: Readonly<Record<string, (bodyBytes?: number) => Problem>> = {
  FST_ERR_BAD_URL: () => new Problem('INVALID_REQUEST', 'The URL has a %-escape that is not valid UTF-8.'),
  // A method that Node parses and does not list, such as PRI.
  FST_ERR_NOT_FOUND: () => new Problem('NOT_FOUND', 'There is nothing at this URL.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem('URI_TOO_LONG', 'A part of the path is too long.'),
  FST_ERR_CTP_BODY_TOO_LARGE: (bodyBytes) => bodyTooLarge(bodyBytes),
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

/** The problem of a body that is larger than the endpoint's `bodyBytes`, or than the server's bound for all. */
function bodyTooLarge(bodyBytes: number | undefined): Problem {
  const remedy =
    bodyBytes === undefined
      ? 'send less'
      : `this endpoint takes at most ${bodyBytes.toLocaleString('en-US')} bytes`;
  return new Problem('PAYLOAD_TOO_LARGE', `The body is too large: ${remedy}.`, {
    headers: { connection: 'close' },
  });
}

/** Any thrown value as a Problem; unknown errors become INTERNAL_ERROR and reveal nothing of their cause. */
export function toProblem(thrown: unknown, bodyBytes?: number): Problem {
  if (thrown instanceof Problem) return thrown;
  if (thrown instanceof Error) {
    const known = 'code' in thrown && typeof thrown.code === 'string' ? FRAMEWORK[thrown.code] : undefined;
    if (known !== undefined) return known(bodyBytes);
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

/** Headers of a problem in any format: no-store, a challenge, and the problem's own. */
export function problemHeaders(problem: Problem, context: ProblemContext): Headers {
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  const challenge = challengeFor(problem, context);
  if (challenge !== null) headers['www-authenticate'] = challenge;
  for (const [name, value] of Object.entries(problem.headers)) headers[name.toLowerCase()] = value;
  return headers;
}

/**
 * The Bearer challenge (RFC 6750, RFC 9728). It has `error` only if a Bearer credential was sent; otherwise it only names
 * the metadata. A tier is not a scope, so TIER_RESTRICTED has no challenge.
 */
function challengeFor(problem: Problem, context: ProblemContext): string | null {
  const insufficient = problem.code === 'INSUFFICIENT_SCOPE';
  if (problem.status !== 401 && !insufficient) return null;
  const { scope, challengeScope = scope, resource = '' } = context.access ?? {};
  const parts = [`resource_metadata="${context.publicUrl}/.well-known/oauth-protected-resource${resource}"`];
  const sent = /^bearer +\S/i.test(context.request?.authorization ?? '');
  const wanted = insufficient ? scope : challengeScope;
  if (wanted !== undefined) parts.push(`scope="${wanted}"`);
  if (sent) {
    parts.push(`error="${insufficient ? 'insufficient_scope' : 'invalid_token'}"`);
    parts.push(`error_description="${problem.message.replace(/[^ !#-[\]-~]/g, "'")}"`);
  }
  return `Bearer ${parts.join(', ')}`;
}
