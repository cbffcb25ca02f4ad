// Stripe for tests: its API with the real wire format, its payment page and its webhooks. It fails now and then unless told not to.

import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import { createRandom, type Random } from '../../check/random.ts';
import type { Closing } from '../../database/database.ts';
import { StripeAccount, type WireEvent } from './stripe-account.ts';
import { answerOf, inOldVersion } from './stripe-endpoints.ts';
import { parseForm, StripeFault } from './stripe-wire.ts';

export interface StripeServerOptions {
  /** False: every call is answered at once. Default: some are late, refused, failed or cut off. */
  readonly faults?: boolean;
  /** Of the faults; default a new one, which is printed. */
  readonly seed?: number;
  readonly clock?: Pick<Clock, 'now'>;
  readonly livemode?: boolean;
}

export interface StripeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/**
 * Answers in place of the API, or leaves it to it with false.
 * @param answer what the API would say
 */
export type StripeInterception = (
  request: StripeRequest,
  response: ServerResponse,
  answer: () => { readonly status: number; readonly body: string },
) => boolean;

export interface StripeServer {
  readonly url: string;
  readonly secretKey: string;
  /** The present one; another one during a rotation. */
  readonly webhookSecret: string;
  readonly account: StripeAccount;
  /** Calls of the API so far. */
  readonly requests: StripeRequest[];
  faults: boolean;
  intercept: StripeInterception | null;
  /** A webhook's body and headers, signed with these secrets; default the present one, now. */
  sign(event: WireEvent, secrets?: readonly string[], at?: number): SignedEvent;
}

export interface SignedEvent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Shares of the calls, each fault by itself. */
const SHARES = { late: 0.2, limited: 0.02, failed: 0.02, cut: 0.015, lost: 0.015 };
/** Milliseconds. */
const LONGEST_DELAY = 30;
const OLDEST_NEW_VERSION = '2025-03-31';

interface Kept {
  readonly form: string;
  readonly status: number;
  readonly body: string;
}

/** Starts the server; it ends with the test. */
export async function startStripeServer(
  t: Closing,
  { faults = true, seed, clock = systemClock, livemode = false }: StripeServerOptions = {},
): Promise<StripeServer> {
  const random = createRandom(seed ?? Math.trunc(Math.random() * 2 ** 32));
  const mode = livemode ? 'live' : 'test';
  const stripe: StripeServer = {
    url: '',
    secretKey: `sk_${mode}_${randomUUID().replaceAll('-', '')}`,
    webhookSecret: `whsec_${randomUUID().replaceAll('-', '')}`,
    account: new StripeAccount(clock, livemode),
    requests: [],
    faults,
    intercept: null,
    sign(event, secrets = [stripe.webhookSecret], at = stripe.account.now) {
      const body = JSON.stringify(event, null, 2);
      const signature = (secret: string) =>
        createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
      const parts = [`t=${at}`, ...secrets.map((secret) => `v1=${signature(secret)}`), 'v0=0'];
      return {
        body,
        headers: { 'stripe-signature': parts.join(','), 'content-type': 'application/json; charset=utf-8' },
      };
    },
  };
  const api = new Api(stripe, random);
  const server = createServer((request, response) => void api.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return Object.assign(stripe, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

class Api {
  readonly #stripe: StripeServer;
  readonly #random: Random;
  /** Answers to POSTs by their idempotency keys. */
  readonly #kept = new Map<string, Kept>();

  constructor(stripe: StripeServer, random: Random) {
    this.#stripe = stripe;
    this.#random = random;
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming);
    if (request.path.startsWith('/c/pay/')) return showPayment(this.#stripe, request, response);
    this.#stripe.requests.push(request);
    if (this.#stripe.intercept?.(request, response, () => this.#answer(request))) return;
    if (this.#stripe.faults && this.#random.chance(SHARES.late)) {
      await new Promise((resolve) => setTimeout(resolve, this.#random.below(LONGEST_DELAY)));
    }
    if (this.#stripe.faults && this.#fails(response)) return;
    const answer = this.#answer(request);
    // Done, but nobody hears of it.
    if (this.#stripe.faults && this.#random.chance(SHARES.lost)) return cut(response);
    send(response, answer, request);
  }

  #fails(response: ServerResponse): boolean {
    if (this.#random.chance(SHARES.cut)) {
      cut(response);
      return true;
    }
    if (this.#random.chance(SHARES.limited)) {
      const message = 'Request rate limit exceeded. Learn more: https://stripe.com/docs/rate-limits';
      sendFault(response, new StripeFault(429, { code: 'rate_limit', message }));
      return true;
    }
    if (this.#random.chance(SHARES.failed)) {
      sendFault(response, new StripeFault(500, { type: 'api_error', message: 'An unknown error occurred' }));
      return true;
    }
    return false;
  }

  #answer(request: StripeRequest): Kept & { readonly replayed?: true } {
    const { method, body: form } = request;
    const key = request.headers['idempotency-key'];
    const kept = typeof key === 'string' && method === 'POST' ? this.#kept.get(key) : undefined;
    if (kept !== undefined && kept.form === form) return { ...kept, replayed: true };
    const answer = { form, ...this.#call(request, kept !== undefined) };
    if (typeof key === 'string' && kept === undefined) this.#kept.set(key, answer);
    return answer;
  }

  #call(request: StripeRequest, isReused: boolean): Omit<Kept, 'form'> {
    try {
      if (isReused) {
        const message = 'Keys for idempotent requests can only be used with the same parameters.';
        throw new StripeFault(400, { type: 'idempotency_error', message });
      }
      this.#authorize(request);
      const params = parseForm(request.method === 'POST' ? request.body : request.query);
      const { url: origin, account } = this.#stripe;
      const answer = answerOf(account, { method: request.method, path: request.path, params, origin });
      const version = String(request.headers['stripe-version'] ?? '');
      const shown = version < OLDEST_NEW_VERSION ? inOldVersion(answer) : answer;
      return { status: 200, body: JSON.stringify(shown) };
    } catch (error) {
      if (error instanceof StripeFault) return faultAnswer(error);
      throw error;
    }
  }

  #authorize({ headers, path }: StripeRequest): void {
    const { secretKey } = this.#stripe;
    const [, key = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    if (key === secretKey) return;
    const otherMode = key.startsWith('sk_live_') ? 'live' : 'test';
    if (/^sk_(?:live|test)_/.test(key) && !secretKey.startsWith(`sk_${otherMode}`)) {
      const [, id = ''] = /\/(\w+_\w+)$/.exec(path) ?? [];
      const ownMode = otherMode === 'live' ? 'test' : 'live';
      throw new StripeFault(404, {
        code: 'resource_missing',
        param: 'id',
        message: `No such object: '${id}'; a similar object exists in ${ownMode} mode, but a ${otherMode} mode key was used to make this request.`,
      });
    }
    throw new StripeFault(401, { message: `Invalid API Key provided: ${key.slice(0, 8)}***` });
  }
}

async function read(incoming: IncomingMessage): Promise<StripeRequest> {
  const at = performance.now();
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { pathname, search } = new URL(incoming.url ?? '/', 'http://stripe');
  const { method = 'GET', headers } = incoming;
  return { method, path: pathname, query: search.slice(1), headers, body: String(Buffer.concat(chunks)), at };
}

function cut(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function faultAnswer(fault: StripeFault): Omit<Kept, 'form'> {
  return { status: fault.status, body: JSON.stringify({ error: fault.error }) };
}

function sendFault(response: ServerResponse, fault: StripeFault): void {
  const { status, body } = faultAnswer(fault);
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${randomUUID()}` });
  response.end(body);
}

function send(
  response: ServerResponse,
  { status, body, replayed }: Kept & { readonly replayed?: true },
  { headers }: StripeRequest,
): void {
  const key = headers['idempotency-key'];
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': `req_${randomUUID()}`,
    'stripe-version': String(headers['stripe-version'] ?? ''),
    ...(typeof key === 'string' && { 'idempotency-key': key }),
    ...(replayed && { 'idempotent-replayed': 'true' }),
  });
  response.end(body);
}

/** The page where a person pays, and what its two buttons do. */
function showPayment(
  { account }: StripeServer,
  { method, path, body }: StripeRequest,
  response: ServerResponse,
): void {
  const id = path.slice('/c/pay/'.length);
  const session = account.session(id);
  if (session === undefined || session.status !== 'open') {
    response.writeHead(404, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>Over</title><h1>This page is over</h1>');
    return;
  }
  if (method === 'POST') {
    const pays = parseForm(body).do === 'pay';
    if (pays) account.complete(id);
    const location = pays ? (session.success_url ?? '') : (session.cancel_url ?? '');
    response.writeHead(303, { location: location.replace('{CHECKOUT_SESSION_ID}', id) });
    response.end();
    return;
  }
  const button = (name: string, label: string) => `<button name="do" value="${name}">${label}</button>`;
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(
    `<!doctype html><html lang="en"><title>Pay</title><h1>Pay</h1>` +
      `<form method="post">${button('pay', 'Pay')}${button('cancel', 'Cancel')}</form></html>`,
  );
}
