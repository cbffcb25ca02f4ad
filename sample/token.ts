// Access tokens of the sample: client credentials in, bearer token out.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Answer, json } from './answer.ts';
import { ODataError } from './odata/problem.ts';
import type { Clock } from './world.ts';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Tokens kept at once; the oldest gives way. */
const MAX_TOKENS = 1000;

export class TokenDesk {
  readonly #expected: Buffer;
  readonly #lifetime: number;
  readonly #clock: Clock;
  readonly #expiries = new Map<string, number>();

  /** `lifetime` in seconds. */
  constructor(credentials: Credentials, lifetime: number, clock: Clock) {
    this.#expected = digest(credentials);
    this.#lifetime = lifetime;
    this.#clock = clock;
  }

  /** Answers a token request: form body, credentials in it or in a Basic header. */
  grant(authorization: string | undefined, contentType: string | undefined, body: string): Answer {
    if (!/^application\/x-www-form-urlencoded\b/i.test(contentType ?? '')) {
      return refusal(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded');
    }
    const form = new URLSearchParams(body);
    if (form.get('grant_type') !== 'client_credentials') {
      return refusal(400, 'unsupported_grant_type', 'grant_type must be client_credentials');
    }
    const credentials = readBasic(authorization) ?? {
      clientId: form.get('client_id') ?? '',
      clientSecret: form.get('client_secret') ?? '',
    };
    if (!timingSafeEqual(digest(credentials), this.#expected)) {
      return refusal(401, 'invalid_client', 'Unknown client or wrong secret', {
        'WWW-Authenticate': 'Basic realm="sample"',
      });
    }
    const token = this.#mint();
    const answer = { access_token: token, token_type: 'Bearer', expires_in: this.#lifetime, scope: 'api' };
    return json(200, answer, { 'Cache-Control': 'no-store' });
  }

  /** Throws the 401 of OData unless the header carries a token that is still good. */
  check(authorization: string | undefined): void {
    const token = /^Bearer ([\w-]+)$/i.exec(authorization ?? '')?.[1];
    const expiry = token === undefined ? undefined : this.#expiries.get(token);
    if (expiry !== undefined && expiry > this.#clock()) return;
    const message =
      token === undefined ? 'A bearer token is needed' : 'The bearer token is unknown or has expired';
    throw new ODataError(401, 'Unauthorized', message, { 'WWW-Authenticate': 'Bearer realm="sample"' });
  }

  /** Invalidates every token. */
  expireAll(): number {
    const count = this.#expiries.size;
    this.#expiries.clear();
    return count;
  }

  #mint(): string {
    const token = randomBytes(32).toString('base64url');
    this.#expiries.set(token, this.#clock() + this.#lifetime * 1000);
    const [oldest] = this.#expiries.keys();
    if (this.#expiries.size > MAX_TOKENS && oldest !== undefined) this.#expiries.delete(oldest);
    return token;
  }
}

/** Hashed together, both parts are compared in one constant time. */
function digest({ clientId, clientSecret }: Credentials): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([clientId, clientSecret]))
    .digest();
}

function readBasic(authorization: string | undefined): Credentials | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return null;
  return { clientId: unescaped(text.slice(0, colon)), clientSecret: unescaped(text.slice(colon + 1)) };
}

/** RFC 6749 has both parts form-encoded inside the header; clients that skip this mostly look the same. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function refusal(
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(status, { error, error_description: description }, { 'Cache-Control': 'no-store', ...headers });
}
