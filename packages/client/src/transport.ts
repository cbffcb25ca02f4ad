// Transport: each request with its credential, in time, and repeated where that is safe and the service asks for it.

import { errorOf, FreeholdError, withoutAnswer } from './errors.ts';
import { VERSION } from './version.ts';

/** What is left of one limit: requests, and seconds until there are more. */
export interface Limit {
  readonly name: string;
  readonly remaining: number;
  readonly reset: number;
}

/** One try of a request, for logs and measurements. It holds no credential. */
export interface Attempt {
  readonly method: string;
  readonly url: string;
  /** 0 is the first try. */
  readonly retry: number;
  /** Until the answer was complete, or of a stream until it had begun. */
  readonly milliseconds: number;
  /** null: there was no answer. */
  readonly status: number | null;
  readonly headers: Headers | null;
}

export interface TransportOptions {
  readonly baseUrl: string;
  /** What stands behind `Bearer`; null: nothing is sent. */
  readonly credential: () => Promise<string | null>;
  readonly timeout: number;
  readonly idleTimeout: number;
  readonly maxRetries: number;
  readonly maxWait: number;
  readonly fetch: typeof fetch;
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  readonly options: TransportOptions;
  /** Of the last answer that named them. */
  readonly limits: readonly Limit[];
  /** Resolves with an answer of 2xx; throws a FreeholdError for every other, and for none. */
  send(request: Request): Promise<Response>;
}

/** Milliseconds, doubled with each repeat. */
const FIRST_PAUSE = 500;

/** A POST is safe to repeat where it only reads, or names itself by a key. */
const isSafe = ({ method, headers, url }: Request): boolean =>
  (method !== 'POST' && method !== 'PATCH') || headers.has('idempotency-key') || url.includes('/v1/search/');

export const isBrowser = (): boolean => 'document' in globalThis;

/** One names itself, so that a repeat makes no second one. */
const isNewWatcher = ({ method, url }: Request): boolean =>
  method === 'POST' && new URL(url).pathname.endsWith('/v1/watchers');

export function createTransport(options: TransportOptions): Transport {
  let limits: readonly Limit[] = [];

  async function sendOnce(request: Request, retry: number): Promise<Response> {
    const { method, url, headers, signal } = request;
    const secret = await options.credential();
    if (secret !== null) headers.set('authorization', `Bearer ${secret}`);
    if (!isBrowser()) headers.set('user-agent', `freehold-client/${VERSION}`);
    const late = new AbortController();
    const began = performance.now();
    const timer = setTimeout(() => late.abort(new DOMException('Too late', 'TimeoutError')), options.timeout);
    let response: Response | null = null;
    try {
      response = await options.fetch(request, { signal: AbortSignal.any([late.signal, signal]) });
      limits = limitsOf(response.headers.get('ratelimit')) ?? limits;
      if (!response.ok) throw await errorOf(response);
      return isStream(response) ? response : await complete(response);
    } catch (error) {
      throw withoutAnswer(error, signal);
    } finally {
      clearTimeout(timer);
      const milliseconds = performance.now() - began;
      const answer = { status: response?.status ?? null, headers: response?.headers ?? null };
      options.onAttempt?.({ method, url, retry, milliseconds, ...answer });
    }
  }

  /** Milliseconds until a repeat; null: none. */
  function pauseAfter(error: unknown, request: Request, retry: number): number | null {
    if (!(error instanceof FreeholdError) || retry >= options.maxRetries) return null;
    const { status, retryAfter } = error;
    // What is refused with 429 was not begun.
    const mayRepeat = status === 429 || (isSafe(request) && (status === 503 || status === null));
    if (!mayRepeat || (retryAfter ?? 0) > options.maxWait) return null;
    const base = retryAfter === null ? FIRST_PAUSE * 2 ** retry : retryAfter * 1_000;
    return base * (1 + Math.random() / 4);
  }

  return {
    options,
    get limits() {
      return limits;
    },
    async send(request) {
      if (isNewWatcher(request) && !request.headers.has('idempotency-key'))
        request.headers.set('idempotency-key', crypto.randomUUID());
      for (let retry = 0; ; retry++) {
        try {
          return await sendOnce(request.clone() as Request, retry);
        } catch (error) {
          const pause = request.signal.aborted ? null : pauseAfter(error, request, retry);
          if (pause === null) throw error;
          await wait(pause, request.signal);
        }
      }
    },
  };
}

/** GET of a path, with a query whose lists are parted by commas. */
export function get(
  transport: Transport,
  path: string,
  query: object,
  accept: string,
  { signal }: CallOptions,
): Promise<Response> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const url = `${transport.options.baseUrl}${path}${text === '' ? '' : `?${text}`}`;
  return transport.send(new Request(url, { headers: { accept }, signal: signal ?? null }));
}

/** What may be long is read as it comes. */
const isStream = ({ headers }: Response): boolean =>
  /event-stream|ndjson|csv/.test(headers.get('content-type') ?? '');

async function complete(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const body = [204, 205, 304].includes(status) ? null : await response.arrayBuffer();
  return new Response(body, { status, statusText, headers });
}

/** `"minute";r=59;t=60, "month";r=9000;t=86400` */
function limitsOf(header: string | null): Limit[] | null {
  if (header === null) return null;
  return [...header.matchAll(/"([^"]+)";r=(\d+);t=(\d+)/g)].map(([, name = '', remaining, reset]) => ({
    name,
    remaining: Number(remaining),
    reset: Number(reset),
  }));
}

/** Resolves after so many milliseconds, or rejects with the reason of the signal. */
export const wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
