// Small services on which guards are tried: real phases and HTTP, one provider, one database, time by hand.

import { Agent, request } from 'node:http';
import { createAccess } from '../../../src/access/access.ts';
import type { SubscriptionProvider } from '../../../src/access/tiers/provider.ts';
import { type Principal, TIERS, type Tiers } from '../../../src/access/tiers/tiers.ts';
import { route } from '../../../src/http/frame/route.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { untilListening } from '../database/listening.ts';
import { createAccessServer } from '../service/access-service.ts';

export interface GuardedService {
  /** One request: its status, its headers, and the problem's code where it is one. Header values may be lists. */
  ask(options?: Ask): Promise<Answered>;
  readonly access: ReturnType<typeof createAccess>;
  readonly port: number;
}

export interface Ask {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export interface Answered {
  readonly status: number;
  readonly code: string | null;
  readonly retryAfter: number | null;
}

export interface GuardOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly provider: SubscriptionProvider;
  readonly trustedProxies?: readonly string[];
  readonly tiers?: Tiers;
}

/** Serves `/v1/thing`, which counts against minute and month and needs no credentials; ended with the test. */
export async function serveGuarded(t: Closing, options: GuardOptions): Promise<GuardedService> {
  const { database, clock, provider, trustedProxies = ['127.0.0.1'], tiers = TIERS } = options;
  const access = createAccess({ database, clock, provider, tiers, report: () => {} });
  const thing = route<Principal>()({
    method: 'GET',
    path: '/v1/thing',
    operation: 'thing',
    tag: 'Test',
    summary: 'A thing.',
    access: { credentials: 'optional', counts: 'month' },
    answer: { description: 'A thing.' },
    handle: () => ({ json: {} }),
  });
  const server = createAccessServer({ routes: [thing], clock, trustedProxies, phases: access.phases });
  const port = await server.listen('127.0.0.1', 0);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  atEnd(t, async () => {
    agent.destroy();
    await server.close();
    await access.close();
  });
  // When it begins to listen for changes, it queries anew what it had cached: that would disturb the counting.
  await untilListening(database);
  return { access, port, ask: (ask = {}) => send({ port, agent }, ask) };
}

/** node:http, since fetch joins headers that are to be sent twice. */
function send(
  to: { readonly port: number; readonly agent: Agent },
  { key, headers }: Ask,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const all = { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers };
    const outgoing = request({ ...to, host: '127.0.0.1', path: '/v1/thing', headers: all }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { code = null } = JSON.parse(Buffer.concat(chunks).toString()) as { code?: string };
        const wait = answer.headers['retry-after'];
        const retryAfter = wait === undefined ? null : Number(wait);
        resolve({ status: answer.statusCode ?? 0, code, retryAfter });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** How often each answer came: status and code. */
export function tally(answers: readonly Answered[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) {
    const name = code === null ? String(status) : `${status} ${code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
