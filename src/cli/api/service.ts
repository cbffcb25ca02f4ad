// The remote service: requests by the transport of packages/client, what went by on standard error, and failures in words.

import {
  AuthenticationError,
  CursorExpiredError,
  type Fault,
  FreeholdError,
  InvalidRequestError,
  TimeoutError,
} from '../../../packages/client/src/errors.ts';
import { createTransport, type Transport } from '../../../packages/client/src/transport.ts';
import { systemClock } from '../../lib/clock.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { emphasis, print } from '../output.ts';
import { optionNames } from './fields.ts';
import { isReadableOnTheWay, type RemoteSettings } from './remote-settings.ts';
import { safeLine } from './safe-text.ts';

export interface ServiceOptions {
  readonly verbose: boolean;
  /** Seconds until an answer must be there. */
  readonly timeout: number;
}

/** Seconds: a minute's limit has refilled by then. */
const MAX_WAIT = 60;
const SECONDS = 1_000;

/** Sends to the service. Requests, limits and ids of requests stand on standard error where `verbose`, and waits in any case. */
export function connect({ url, key }: RemoteSettings, { verbose, timeout }: ServiceOptions): Transport {
  const say = (line: string) => print(process.stderr, emphasis('quiet', safeLine(line), process.stderr));
  if (key !== null && isReadableOnTheWay(url))
    print(process.stderr, `${url} is plain http: others on the way can read the key. Use https.`);
  let hasAnswered = false;
  let isAway = false;

  async function send(request: Request, init: RequestInit): Promise<Response> {
    const startedAt = systemClock.monotonic();
    if (verbose) say(`> ${request.method} ${request.url}`);
    let response: Response;
    try {
      // A redirect would be followed with another method, or with the key in clear.
      response = await fetch(request, { ...init, redirect: 'manual' });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      if (!hasAnswered) throw unreachable(url, error);
      if (!isAway) say(`${url} does not answer; trying again`);
      isAway = true;
      throw error;
    }
    if (isAway) say(`${url} answers again`);
    isAway = false;
    hasAnswered = true;
    if (verbose) for (const line of exchange(response, systemClock.monotonic() - startedAt)) say(`< ${line}`);
    const location = response.headers.get('location');
    if (location !== null && response.status >= 300 && response.status < 400)
      return redirected(url, response, location);
    const wait = response.headers.get('retry-after');
    if (wait !== null && !response.ok && Number(wait) <= MAX_WAIT)
      say(`The service asks to wait ${wait} seconds (${response.status})`);
    return response;
  }

  const transport = createTransport({
    baseUrl: url,
    credential: async () => key,
    timeout: timeout * SECONDS,
    // Heartbeats of a stream come every 20 seconds.
    idleTimeout: Math.max(60, timeout) * SECONDS,
    maxRetries: 3,
    maxWait: MAX_WAIT,
    fetch: send as typeof fetch,
  });
  return {
    options: transport.options,
    get limits() {
      return transport.limits;
    },
    async send(request) {
      const response = await transport.send(request);
      // Every answer of Freehold has one.
      if (response.headers.has('x-request-id')) return response;
      throw new FreeholdError(
        `${url} answers, but not as Freehold does. Check FREEHOLD_URL: it is the address of the service, without a path.`,
        'UNKNOWN',
      );
    },
  };
}

/** Who is sent elsewhere with 303 is meant to look there; every other redirect is one of the address of the service. */
function redirected(url: string, { status, headers }: Response, location: string): Response {
  if (status === 303) {
    const answer = { ...Object.fromEntries(headers), 'content-type': 'application/json' };
    return new Response(JSON.stringify({ location }), { status: 200, headers: answer });
  }
  throw new FreeholdError(
    `${url} redirects to ${location}: set FREEHOLD_URL to where the service is.`,
    'UNKNOWN',
    { status },
  );
}

/** Causes that a repeat a moment later does not mend. */
const LASTING =
  /^(?:ECONNREFUSED|ENOTFOUND|CERT_\w+|DEPTH_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+)$/;

/** Not a ConnectionError, after which a feed would connect for ever. */
function unreachable(url: string, error: unknown): FreeholdError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return new FreeholdError(
    `Nothing answers at ${url} (${message || (code ?? 'no reason')}). Check FREEHOLD_URL, and that the service runs.`,
    'CONNECTION_FAILED',
    // Without a status it is repeated.
    { status: LASTING.test(code ?? '') ? 0 : null },
  );
}

function exchange({ status, headers }: Response, milliseconds: number): string[] {
  const id = headers.get('x-request-id') ?? 'no request id';
  const etag = headers.get('etag');
  const limits = headers.get('ratelimit');
  return [
    `${status} in ${(milliseconds / SECONDS).toFixed(3)} s, ${id}${etag === null ? '' : `, etag ${etag}`}`,
    ...(limits === null ? [] : [`limits: ${limitsText(limits)}`]),
  ];
}

/** `"minute";r=59;t=60` -> minute 59 left, whole again in 60 s */
const limitsText = (header: string): string =>
  header.replace(/"(\w+)";r=(\d+);t=(\d+)/g, '$1 $2 left, reset in $3 s').replaceAll(', month', '; month');

/** A failure of a request as the command says it: what, which option, what to do, and the id of the request. */
export function failureOf(error: unknown, hasKey: boolean): unknown {
  if (!(error instanceof FreeholdError)) return error;
  const { status, faults, requestId, docs, code } = error;
  const remedy = remedyOf(error, hasKey);
  const lines = [
    optionNames(safeLine(sentence(error, faults))),
    ...(faults.length > 1 || faults.some(({ suggestion }) => suggestion !== undefined)
      ? faults.map(faultText)
      : []),
    ...(remedy === null ? [] : [remedy]),
    ...(requestId === null
      ? []
      : [
          `Request ${safeLine(requestId)}, ${status} ${safeLine(code)}${docs === null ? '' : `: ${safeLine(docs)}`}`,
        ]),
  ];
  const isUsage = error instanceof InvalidRequestError || error instanceof AuthenticationError;
  return new CommandFailure(lines.join('\n'), isUsage ? EXIT.usage : EXIT.failed);
}

function sentence(error: FreeholdError, faults: readonly Fault[]): string {
  if (error instanceof TimeoutError) return 'The service did not answer in time.';
  const [first] = faults;
  if (faults.length > 1) return `${faults.length} things are wrong with the request:`;
  const named =
    first?.parameter === undefined
      ? error.message
      : error.message.replace(`parameter ${first.parameter} `, `option ${optionOf(first.parameter)} `);
  return /[.?!:]$/.test(named) ? named : `${named}.`;
}

const optionOf = (parameter: string): string =>
  optionNames(`\`${parameter}\``)
    .replaceAll('`', '')
    .replace(/^(?!--)/, '--');

function faultText({ parameter, pointer, detail, suggestion }: Fault): string {
  const place = parameter === undefined ? (pointer ?? 'The body') : optionOf(parameter);
  const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  return safeLine(`  ${place} ${optionNames(detail)}.${meant}`);
}

function remedyOf(error: FreeholdError, hasKey: boolean): string | null {
  if (error instanceof AuthenticationError)
    return hasKey
      ? 'Check FREEHOLD_KEY: it is the key or the token alone, and of this service.'
      : 'Set FREEHOLD_KEY to a key of this service: `export FREEHOLD_KEY=…`.';
  if (error instanceof CursorExpiredError)
    return 'Begin again without --after, and read what you watch again.';
  if (error instanceof TimeoutError) return '--timeout SECONDS waits longer.';
  if (error.code === 'UNKNOWN' && (error.status ?? 0) >= 400)
    return 'The answer is not one of Freehold. Check FREEHOLD_URL, and what stands in front of the service.';
  return error.retryAfter === null ? null : `Try again in ${error.retryAfter} seconds.`;
}
