// Errors of an authorization request: shown to the person as a page, or sent to the client by a redirect.

import type { OAuthErrorCode } from './errors.ts';

/** The client or its redirect is not good, so that nobody may be redirected: a page says so. */
export class ErrorPage extends Error {
  override readonly name = 'AuthorizeRefusal';
  readonly error: OAuthErrorCode;
  readonly title: string;
  readonly status: 400 | 403 | 429 | 503;
  /** Seconds; null where waiting does not help. */
  readonly retryAfter: number | null;

  constructor(
    error: OAuthErrorCode,
    title: string,
    detail: string,
    options: {
      readonly status?: 403 | 429 | 503;
      readonly retryAfter?: number | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.error = error;
    this.title = title;
    this.status = options.status ?? 400;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** Where an answer goes, once client and redirect are found good. */
export interface ReturnAddress {
  readonly redirectUri: string;
  /** As it came; null: none that could be returned. */
  readonly state: string | null;
}

/** The client asks for something that it cannot have: it is told by a redirect. */
export class ErrorRedirect extends Error {
  override readonly name = 'AuthorizeFault';
  readonly error: OAuthErrorCode;
  readonly to: ReturnAddress;

  constructor(error: OAuthErrorCode, description: string, to: ReturnAddress) {
    super(description);
    this.error = error;
    this.to = to;
  }
}
