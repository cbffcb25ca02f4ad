// Load of clients on reused connections: reads, searches, streams and writes, one after another for each client.

import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** What became of requests, counted by kind and outcome. */
export type Outcomes = Readonly<Record<string, number>>;

export interface ClientLoad {
  /** Requests that have ended so far. */
  answered(): number;
  /** Names of the watchers whose creation was acknowledged. */
  readonly created: readonly string[];
  /** Lets each client finish its request; gives what became of all. */
  stop(): Promise<Outcomes>;
}

export interface ClientLoadOptions {
  readonly url: string;
  /** Of one client each. */
  readonly keys: readonly string[];
  /** Listings that can be read live. */
  readonly listings: readonly string[];
}

interface Step {
  readonly kind: string;
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
}

/** Of so many steps of a client, one is a stream and one creates a watcher. */
const STREAM_EVERY = 20;
const WRITE_EVERY = 25;

/** Starts one client for each key. */
export function startClientLoad({ url, keys, listings }: ClientLoadOptions): ClientLoad {
  const outcomes: Record<string, number> = {};
  const created: string[] = [];
  let answered = 0;
  let isStopped = false;
  const note = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    answered += 1;
  };
  async function run(key: string, client: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let at = 0; !isStopped; at++) {
      const listing = listings[(client + at) % listings.length] ?? '';
      const step = stepOf(at, listing, `client ${client}, ${at}`);
      const outcome = await ask(agent, url, key, step);
      if (step.kind === 'create' && outcome === '201') created.push(`client ${client}, ${at}`);
      note(`${step.kind} ${outcome}`);
    }
    agent.destroy();
  }
  const running = keys.map(run);
  return {
    answered: () => answered,
    created,
    async stop() {
      isStopped = true;
      await Promise.all(running);
      return outcomes;
    },
  };
}

function stepOf(at: number, listing: string, name: string): Step {
  if (at % WRITE_EVERY === 7)
    return {
      kind: 'create',
      method: 'POST',
      path: '/v1/watchers',
      body: { name, target: targetOf(listing) },
    };
  if (at % STREAM_EVERY === 3) return { kind: 'stream', path: `/v1/listing/${listing}` };
  if (at % 3 === 0)
    return { kind: 'search', method: 'POST', path: '/v1/search/sales', body: { limit: 2, minPrice: at } };
  return { kind: 'read', path: `/v1/property/${listing}?freshness=cached` };
}

const targetOf = (listingId: string) => ({ type: 'listing', listingId });

/** The status; of a stream, how it ended; the system's name for what went wrong. */
function ask(agent: Agent, url: string, key: string, { method = 'GET', path, body }: Step): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const fail = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const sent = request(`${url}${path}`, { agent, method, headers }, (response) => {
    text(response).then((answer) => resolve(outcomeOf(response, answer)), fail);
  });
  sent.on('error', fail);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

function outcomeOf({ statusCode, headers }: IncomingMessage, answer: string): string {
  const status = String(statusCode);
  if (!headers['content-type']?.startsWith('text/event-stream')) return status;
  const events = [...answer.matchAll(/^event: (\w+)\ndata: (.*)$/gm)];
  return `${status} ${events.map(([, event = '', data = '']) => nameOf(event, data)).join()}`;
}

/** Of an error its code and what it says, too. */
function nameOf(event: string, data: string): string {
  if (event !== 'error') return event;
  const { code, message } = JSON.parse(data) as { readonly code: string; readonly message: string };
  return `error ${code} (${message})`;
}
