// Small HTTP server for tests, with phases that record what they see, and requests as raw bytes.

import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { Phases, Route } from '../../../src/http/frame/route.ts';
import type { Reply } from '../../../src/http/output/reply.ts';
import { createServer, type ServerOptions, type WebServer } from '../../../src/http/server/server.ts';
import { createLog } from '../../../src/lib/log.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import type { Closing } from '../database/database.ts';
import { type ManualClock, manualClock } from './clock.ts';

export type TestRoute = Route<string>;

/** A route with the documentation that tests do not care about. */
export function testRoute(route: Partial<TestRoute> & Pick<TestRoute, 'path'>): TestRoute {
  return {
    method: 'GET',
    access: { credentials: 'optional', counts: 'month' },
    operation: `${route.method ?? 'GET'}${route.path}`,
    tag: 'Test',
    summary: 'A route of a test.',
    answer: { description: 'Whatever the test wants.' },
    handle: (): Reply => ({ json: { ok: true } }),
    ...route,
  };
}

/** Phases that let everybody in as `caller`, note their order in `steps`, and can be replaced one by one. */
export function recordingPhases(steps: string[], replaced: Partial<Phases<string>> = {}): Phases<string> {
  return {
    async identify(incoming, access) {
      steps.push('identify');
      return (await replaced.identify?.(incoming, access)) ?? 'caller';
    },
    allow(caller, access) {
      steps.push('allow');
      return replaced.allow?.(caller, access) ?? null;
    },
    look: (caller) => replaced.look?.(caller) ?? null,
    async limit(caller, access, isAllowed) {
      steps.push('limit');
      return (await replaced.limit?.(caller, access, isAllowed)) ?? { RateLimit: '"minute";r=9;t=6' };
    },
    headers: (caller) => replaced.headers?.(caller) ?? { vary: 'Authorization' },
    describe: (caller) => ({ account: caller }),
  };
}

export interface Web {
  readonly server: WebServer;
  readonly port: number;
  readonly clock: ManualClock;
  /** Lines of the log so far. */
  readonly log: () => string;
  /** What the phases and handlers noted. */
  readonly steps: string[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends bytes on a new connection and gives everything that came back once the server closes it. */
  raw(bytes: string | readonly (string | Buffer)[]): Promise<string>;
  open(): Promise<Socket>;
  /** The value of one measurement as /metrics would show it. */
  measure(line: string): Promise<number | undefined>;
}

/** A server on a free port of the loopback, closed when the test ends. */
export async function serveRoutes(
  test: Closing,
  routes: readonly TestRoute[],
  options: Partial<ServerOptions<string>> & { readonly phasesReplaced?: Partial<Phases<string>> } = {},
): Promise<Web> {
  const steps: string[] = [];
  const clock = manualClock();
  const sink = new PassThrough();
  const chunks: Buffer[] = [];
  sink.on('data', (chunk: Buffer) => chunks.push(chunk));
  const { phasesReplaced, ...replaced } = options;
  const metrics = createMetrics();
  const server = createServer<string>({
    routes,
    clock,
    phases: recordingPhases(steps, phasesReplaced),
    log: createLog({ stream: sink }),
    metrics,
    publicUrl: 'https://api.example',
    health: { checks: [], metricsAccess: { allow: [], token: null } },
    describe: {
      title: 'Test',
      version: '1',
      tags: { Test: 'Test.', Health: 'Health.', Service: 'Service.' },
    },
    ...replaced,
  });
  const port = await server.listen('127.0.0.1', 0);
  test.after(() => server.close());
  return {
    server,
    port,
    clock,
    steps,
    log: () => Buffer.concat(chunks).toString(),
    fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    raw: (bytes) => exchangeRaw(port, bytes),
    open: () => openSocket(port),
    measure: async (line) => {
      const { text } = await metrics.read();
      const found = text.split('\n').find((entry) => entry.startsWith(`${line} `));
      return found === undefined ? undefined : Number(found.slice(line.length));
    },
  };
}

async function exchangeRaw(port: number, bytes: string | readonly (string | Buffer)[]): Promise<string> {
  const socket = await openSocket(port);
  for (const piece of typeof bytes === 'string' ? [bytes] : bytes) socket.write(piece);
  return await readToEnd(socket);
}

/** Everything that a connection carries until it closes, by whichever side. */
export async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.off('error', reject).on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** A problem document out of a raw answer or a response. */
export interface ProblemBody {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly requestId: string;
  readonly type: string;
  readonly errors?: readonly {
    readonly parameter?: string;
    readonly pointer?: string;
    readonly detail: string;
    readonly suggestion?: string;
  }[];
}

export async function problemOf(response: Response): Promise<ProblemBody> {
  return (await response.json()) as ProblemBody;
}

/** Status, headers and problem of one raw answer. */
export function parseRaw(text: string): { status: number; headers: Map<string, string>; body: string } {
  const split = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, split).split('\r\n');
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(' ')[1]), headers: new Map(pairs), body: text.slice(split + 4) };
}
