// Clients of several processes while their database comes and goes: they read, search, stream and write, and judge each answer.

import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../check/until.ts';

export interface OutageClientsOptions {
  /** Of the processes: each client asks one after another. */
  readonly urls: readonly string[];
  /** Of one client each. */
  readonly keys: readonly string[];
  /** Ids of the listings for sale, which do not change meanwhile. */
  readonly listings: readonly string[];
}

export interface OutageClients {
  /** Answers by kind and status; of a stream, how it ended. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Answers that nobody should have had, in words. */
  readonly wrong: readonly string[];
  /** Milliseconds that the longest stream took. */
  slowestStream(): number;
  /** Waits until each process has answered a change that was sent after this call, as it is asked to: made, or 503. */
  until(outcome: 'changed' | 'refused'): Promise<void>;
  /** Lets each client finish its request; gives the names of the watchers whose creation was acknowledged, and of those that nobody knows of. */
  stop(): Promise<{ readonly created: readonly string[]; readonly unknown: readonly string[] }>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Milliseconds between two requests of a client: enough for load, and processor is left for the servers. */
const PAUSE = 5;
/** Milliseconds for one request: nothing may hang. */
const LIMIT = 60_000;
/** Seconds that a client may be told to wait. */
const MAX_RETRY_AFTER = 10;
/** Codes of a 503 while the database is away. */
const HONEST = ['DATABASE_UNAVAILABLE', 'SUBSCRIPTIONS_UNAVAILABLE'];
const STREAMS = /^cached,(?:live|error),done$/;

/** Starts one client for each key. Each has a watcher whose name it changes, and makes others with an Idempotency-Key. */
export async function startOutageClients(options: OutageClientsOptions): Promise<OutageClients> {
  const { urls, keys, listings } = options;
  const outcomes: Record<string, number> = {};
  const wrong: string[] = [];
  const latest = { changed: urls.map(() => 0), refused: urls.map(() => 0) };
  let [isStopped, slowest] = [false, 0];
  const count = (outcome: string): void => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };

  async function run(key: string, client: number) {
    const [created, unknown]: [string[], Set<string>] = [[], new Set()];
    /** Names that the client's own watcher may have: the last that was acknowledged or read, and those of which nobody knows. */
    let names = ['own 0'];
    let [node, changes, creations] = [client, 0, 0];

    /** Sends a request to the next process; null: an honest 503. */
    async function ask(kind: string, method: string, path: string, body?: object, idempotencyKey?: string) {
      node = (node + 1) % urls.length;
      const sentAt = performance.now();
      const answer = await send(`${urls[node]}${path}`, { key, method, body, idempotencyKey }).catch(
        (error: Error) => `${kind}: ${error.message} ${String(error.cause ?? '')}`,
      );
      if (typeof answer === 'string') {
        wrong.push(answer);
        return null;
      }
      count(`${kind} ${answer.status}`);
      const isRefused = answer.status === 503;
      if (isRefused && !isHonest(answer)) wrong.push(`${kind}: ${describe(answer)}`);
      if (method === 'PATCH') latest[isRefused ? 'refused' : 'changed'][node] = sentAt;
      return isRefused ? null : answer;
    }
    const expect = (kind: string, answer: Answer, isRight: boolean): void => {
      if (!isRight) wrong.push(`${kind}: ${describe(answer)}`);
    };

    const own = await ask('create', 'POST', '/v1/watchers', watcherNamed('own 0', listings[0] ?? ''));
    const { id } = JSON.parse(own?.text ?? '{}') as { readonly id: string };

    async function create(): Promise<void> {
      const [first] = unknown;
      const name = first ?? `client ${client}, ${++creations}`;
      const body = watcherNamed(name, listings[client % listings.length] ?? '');
      const answer = await ask(
        'create',
        'POST',
        '/v1/watchers',
        body,
        name.replace(', ', '-').replace(' ', '-'),
      );
      unknown.add(name);
      // The request that is repeated may be under way.
      if (answer === null || (answer.status === 409 && first !== undefined)) return;
      expect('create', answer, answer.status === 201 && nameOf(answer) === name);
      unknown.delete(name);
      created.push(name);
    }
    async function change(): Promise<void> {
      const name = `own ${++changes}`;
      const answer = await ask('change', 'PATCH', `/v1/watchers/${id}`, { name });
      if (answer === null) return void names.push(name);
      expect('change', answer, answer.status === 200 && nameOf(answer) === name);
      names = [name];
    }
    async function look(): Promise<void> {
      const answer = await ask('look', 'GET', `/v1/watchers/${id}`);
      if (answer === null) return;
      const name = nameOf(answer);
      expect(`look for one of ${names.join()}`, answer, answer.status === 200 && names.includes(name));
      names = [name];
    }
    async function read(at: number): Promise<void> {
      const listing = listings[at % listings.length] ?? '';
      const answer = await ask('read', 'GET', `/v1/property/${listing}?freshness=cached`);
      if (answer !== null)
        expect('read', answer, answer.status === 200 && answer.text.includes(`"${listing}"`));
    }
    async function search(): Promise<void> {
      const answer = await ask('search', 'POST', '/v1/search/sales', { limit: 50 });
      if (answer !== null)
        expect('search', answer, answer.status === 200 && String(idsOf(answer)) === String(listings));
    }
    async function stream(at: number): Promise<void> {
      const begun = performance.now();
      const answer = await ask('stream', 'GET', `/v1/listing/${listings[at % listings.length]}`);
      if (answer === null) return;
      slowest = Math.max(slowest, performance.now() - begun);
      const events = [...answer.text.matchAll(/^event: (\w+)$/gm)].map(([, event]) => event).join();
      count(`stream ${events}`);
      expect('stream', answer, answer.status === 200 && STREAMS.test(events));
    }

    const steps = [change, look, read, create, search, change, look, stream];
    for (let at = client; !isStopped; at++) {
      await steps[at % steps.length]?.(at);
      await pause(PAUSE);
    }
    await until('its watcher can be read', async () => {
      await look();
      return names.length === 1;
    });
    return { created, unknown: [...unknown] };
  }

  const running = Promise.all(keys.map(run));
  // Awaited at the end.
  running.catch(() => {});
  return {
    outcomes,
    wrong,
    slowestStream: () => slowest,
    async until(outcome) {
      const from = performance.now();
      await until(`each process has ${outcome}`, () => latest[outcome].every((sentAt) => sentAt > from));
    },
    async stop() {
      isStopped = true;
      const results = await running;
      return {
        created: results.flatMap((result) => result.created),
        unknown: results.flatMap((result) => result.unknown),
      };
    },
  };
}

interface Sent {
  readonly key: string;
  readonly method: string;
  readonly body?: object | undefined;
  readonly idempotencyKey?: string | undefined;
}

async function send(url: string, { key, method, body, idempotencyKey }: Sent): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(LIMIT),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function isHonest({ headers, text }: Answer): boolean {
  const wait = Number(headers.get('retry-after') ?? 'none');
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true;
  return isProblem && HONEST.includes(codeOf(text)) && wait >= 1 && wait <= MAX_RETRY_AFTER;
}

const codeOf = (text: string): string => (JSON.parse(text) as { readonly code?: string }).code ?? '';
const describe = ({ status, text }: Answer): string => `${status} ${text.slice(0, 1_000)}`;
const nameOf = ({ text }: Answer): string => (JSON.parse(text) as { readonly name?: string }).name ?? '';
const idsOf = ({ text }: Answer): readonly string[] =>
  (JSON.parse(text) as { readonly data: readonly { readonly id: string }[] }).data
    .map(({ id }) => id)
    .toSorted();
const watcherNamed = (name: string, listingId: string) => ({ name, target: { type: 'listing', listingId } });
