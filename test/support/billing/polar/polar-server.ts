// A Polar API of a test: real records over HTTP, faults on by default, and controls for what happens in the organization.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '../../check/random.ts';
import { atEnd, type Closing } from '../../database/database.ts';
import type { Happening, PolarBenefit, PolarProduct } from './polar-objects.ts';
import { answerPolar, type PolarAnswer, type PolarRequest } from './polar-routes.ts';
import { PolarWire } from './polar-wire.ts';
import { PolarWorld } from './polar-world.ts';

/** What happens to one request instead of its answer, or before it. */
export type Fault =
  | { readonly kind: 'late'; readonly milliseconds: number }
  /** Answered once the promise is kept. */
  | { readonly kind: 'held'; readonly until: Promise<void> }
  | { readonly kind: 'limited'; readonly retryAfter: number }
  | { readonly kind: 'failing'; readonly status: number }
  | { readonly kind: 'dropped' }
  /** No answer for as long as the server runs. */
  | { readonly kind: 'frozen' };

export interface PolarServerOptions {
  /** False: none. Default: latency, and a few percent of 429, 500 and dropped connections. */
  readonly faults?: false;
  readonly seed?: number;
  /** Wall-clock milliseconds of the organization; default: those of the system. */
  readonly now?: () => number;
}

export interface PolarServer {
  readonly url: string;
  readonly accessToken: string;
  /** The organization: its customers, products, subscriptions and keys, and what happens to them. */
  readonly world: PolarWorld;
  readonly wire: PolarWire;
  /** The license-key benefit that all products share unless they are given others. */
  readonly benefit: PolarBenefit;
  /** Calls of the API so far. */
  readonly requests: readonly PolarRequest[];
  /** What Polar would have told webhooks so far. */
  readonly happenings: Happening[];
  /** Decides on faults; replaceable. */
  fault: (request: PolarRequest) => Fault | null;
  /** Changes answers before they are sent; replaceable. A text is sent as it is. */
  alter: (answer: PolarAnswer, request: PolarRequest) => PolarAnswer;
  /** Adds a product; its benefit is the shared one unless others are given. */
  addProduct(name: string, amount?: number, benefits?: readonly PolarBenefit[]): PolarProduct;
}

export async function startPolarServer(t: Closing, options: PolarServerOptions = {}): Promise<PolarServer> {
  const { now = Date.now } = options;
  const happenings: Happening[] = [];
  const requests: PolarRequest[] = [];
  const world = new PolarWorld(now, (happening) => void happenings.push(happening));
  const wire = new PolarWire(world, () => polar.url);
  const server = createServer((request, response) => {
    response.on('error', () => {});
    receive(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const polar: PolarServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accessToken: `polar_oat_${world.organization.replaceAll('-', '')}`,
    world,
    wire,
    requests,
    happenings,
    benefit: world.addBenefit(),
    fault: options.faults === false ? () => null : randomFaults(options.seed ?? 1),
    alter: (answer) => answer,
    addProduct: (name, amount = 1_900, benefits = [polar.benefit]) =>
      world.addProduct(name, amount, benefits),
  };
  atEnd(t, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    const isPage = request.path.startsWith('/checkout/');
    if (!isPage) requests.push(request);
    const fault = isPage ? null : polar.fault(request);
    if (fault?.kind === 'frozen') return;
    if (fault?.kind === 'dropped') return void incoming.socket.destroy();
    if (fault?.kind === 'late') await pause(fault.milliseconds);
    if (fault?.kind === 'held') await fault.until;
    const answer = faultAnswer(fault) ?? polar.alter(answerPolar(polar, request), request);
    if (response.destroyed) return;
    const isText = typeof answer.body === 'string';
    response.writeHead(answer.status, {
      'content-type': isText ? 'text/html; charset=utf-8' : 'application/json',
      'polar-version': request.headers['polar-version'] ?? '2026-10',
      ...answer.headers,
    });
    response.end(isText ? answer.body : JSON.stringify(answer.body));
  }
  return polar;
}

async function readRequest(incoming: IncomingMessage): Promise<PolarRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const url = new URL(incoming.url ?? '/', 'http://polar.test');
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString(),
    at: performance.now(),
  };
}

function faultAnswer(fault: Fault | null): PolarAnswer | null {
  if (fault?.kind === 'limited') {
    const headers = { 'retry-after': String(fault.retryAfter) };
    return { status: 429, body: { error: 'TooManyRequests', detail: 'Too many requests' }, headers };
  }
  if (fault?.kind !== 'failing') return null;
  return { status: fault.status, body: { error: 'InternalServerError', detail: 'Internal Server Error' } };
}

/** Every tenth request or so fares badly, the same ones in each run. */
function randomFaults(seed: number): PolarServer['fault'] {
  const random = createRandom(seed);
  return () => {
    const roll = random.below(100);
    if (roll < 3) return { kind: 'limited', retryAfter: 1 };
    if (roll < 6) return { kind: 'failing', status: random.pick([500, 502, 503]) };
    if (roll < 9) return { kind: 'dropped' };
    return roll < 30 ? { kind: 'late', milliseconds: random.below(20) } : null;
  };
}
