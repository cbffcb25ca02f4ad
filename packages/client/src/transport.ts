// Transport: each request with its credential, in time, and repeated where that is safe and the service asks for it.

import { errorOf, FreeholdError, withoutAnswer } from './errors.ts';

/** What is left of one limit: requests, and seconds until there are more. */
export interface Limit {
  readonly name: string;
  readonly remaining: number;
  readonly reset: number;
}

export interface TransportOptions {
  readonly baseUrl: string;
  /** What stands behind `Bearer`; null: nothing is sent. */
  readonly credential: () => Promise<string | null>;
  /** Milliseconds until an answer must have begun; of answers that are no stream, until it is complete. */
  readonly timeout: number;
  /** How often a request is repeated at most. */
  readonly maxRetries: number;
  /** The longest Retry-After, in seconds, that is waited for. */
  readonly maxWait: number;
  readonly fetch: typeof fetch;
}

export interface Transport {
  readonly options: TransportOptions;
  /** Of the last answer that named them. */
  readonly limits: readonly Limit[];
  /** Resolves with an answer of 2xx; throws a FreeholdError for every other, and for none. */
  send(request: Request, signal?: AbortSignal): Promise<Response>;
}

const FIRST_PAUSE = 500;

/** A POST is safe to repeat where it only reads, or names itself by a key. */
const isSafe = ({ method, headers, url }: Request): boolean =>
  method !== 'POST' && method !== 'PATCH'
    ? true
    : headers.has('idempotency-key') || /\/v1\/search\//.test(url);

export function createTransport(options: TransportOptions): Transport {
  let limits: readonly Limit[] = [];
  const { credential, timeout, maxRetries, maxWait } = options;

  async function sendOnce(request: Request, signal: AbortSignal | undefined): Promise<Response> {
    const secret = await credential();
    if (secret !== null) request.headers.set('authorization', `Bearer ${secret}`);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException('Too late', 'TimeoutError')), timeout);
    const signals = signal === undefined ? [late.signal] : [late.signal, signal];
    try {
      const response = await options.fetch(request, { signal: AbortSignal.any(signals) });
      limits = limitsOf(response.headers.get('ratelimit')) ?? limits;
      if (!response.ok) throw await errorOf(response);
      return isStream(response) ? response : await complete(response);
    } catch (error) {
      throw withoutAnswer(error, signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Milliseconds until a repeat; null: none. */
  function pauseAfter(error: unknown, request: Request, tries: number): number | null {
    if (!(error instanceof FreeholdError) || tries >= maxRetries) return null;
    const { status, retryAfter } = error;
    // What is refused with 429 was not begun.
    const mayRepeat = status === 429 || (isSafe(request) && (status === 503 || status === null));
    if (!mayRepeat || (retryAfter ?? 0) > maxWait) return null;
    const base = retryAfter === null ? FIRST_PAUSE * 2 ** tries : retryAfter * 1_000;
    return base * (1 + Math.random() / 4);
  }

  return {
    options,
    get limits() {
      return limits;
    },
    async send(request, signal) {
      for (let tries = 0; ; tries++) {
        try {
          return await sendOnce(request.clone() as Request, signal);
        } catch (error) {
          const pause = signal?.aborted ? null : pauseAfter(error, request, tries);
          if (pause === null) throw error;
          await wait(pause, signal);
        }
      }
    },
  };
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
