// Stop of a real process in the middle of its work, while a second one on the same database takes over.

import type { ServerResponse } from 'node:http';
import { ensureSampleKeys } from '../../../src/access/keys/sample-keys.ts';
import { listingId } from '../../../src/ingest/identity.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { until } from '../check/until.ts';
import { type Closing, temporaryFolder, testDatabase } from '../database/database.ts';
import { type CliRun, readyUrl, startCli } from '../process/cli.ts';
import { startUpstream, type Upstream } from '../sources/upstream.ts';
import { request } from './clients.ts';
import { startLoad } from './drain-load.ts';
import { outcomeOf } from './gates.ts';
import { record } from './service.ts';

export interface DrainOptions {
  readonly streams: number;
  /** Requests that wait for the database when the process gets the signal to stop: no more than it has connections. */
  readonly requests: number;
  /** Requests for a property that come all the while, on reused connections; default none. */
  readonly perSecond?: number;
  /** Whether the upstream answers once the process is stopping; otherwise the streams run into their deadline. */
  readonly upstreamAnswers: boolean;
}

type Counts = Readonly<Record<string, number>>;

export interface DrainResult {
  /** Streams by their outcomes; an empty name is a broken stream. */
  readonly streams: Counts;
  /** Requests under way by what they were answered. */
  readonly requests: Counts;
  /** Requests made while the first process was stopping: to it, and to the second. */
  readonly refused: Counts;
  readonly takenOver: Counts;
  /** What became of the requests that came all the while. */
  readonly steady: Counts;
  readonly code: number | null;
  /** From the signal to the end of the process. */
  readonly seconds: number;
}

interface Instance {
  readonly run: CliRun;
  readonly url: string;
}

const KEYS = Array.from({ length: 10 }, (_, at) => String(at));
const AFTERWARDS = 20;

/** Starts two processes, fills the first with work, tells it to stop, and gives what became of everything. */
export async function runDrain(t: Closing, options: DrainOptions): Promise<DrainResult> {
  const { database, url: databaseUrl } = await testDatabase(t);
  const folder = await temporaryFolder(t, 'drain');
  const { keys } = await ensureSampleKeys({ database, clock: systemClock, file: `${folder}/keys.env` });
  const { upstream, held } = await gatedUpstream(t);
  const start = () => startInstance(t, folder, databaseUrl, upstream);
  const first = await start();
  const second = await start();
  const get = (url: string) => answerTo(`${url}/v1/search/sales?limit=1`, keys.internal);

  // A process that has never seen a key lets only so many at once ask about it.
  for (const { url } of [first, second]) await get(url);

  const steadyUrl = ({ url }: Instance) =>
    `${url}/v1/property/${listingId('reso', KEYS[0] ?? '')}?freshness=cached`;
  const urls = [steadyUrl(first), steadyUrl(second)] as const;
  const load = startLoad({ urls, key: keys.internal }, options.perSecond ?? 0);
  await until('the load is steady', async () => load.answered() >= (options.perSecond ?? 0));
  // A stream ends with its deadline eight seconds after it began: what takes long comes before.
  const path = (at: number) => `/v1/listing/${listingId('reso', KEYS[at % KEYS.length] ?? '')}`;
  const readers = await Promise.all(
    Array.from({ length: options.streams }, (_, at) => request(first.url, path(at), keys.internal)),
  );
  await until('all streams have begun', async () =>
    readers.every((reader) => reader.text().includes('event: cached')),
  );
  const { sql: lock, end: unlock } = database.dedicated();
  await lock`begin`;
  await lock`lock table listing in access exclusive mode`;
  const underWay = Array.from({ length: options.requests }, () => get(first.url));
  await until(
    'all requests are under way',
    async () => (await active(first)) > options.streams + options.requests,
  );

  const from = performance.now();
  first.run.kill('SIGTERM');
  await until('it is draining', async () => (await answerTo(`${first.url}/readyz`)).startsWith('503'));
  await lock`commit`;
  await unlock(1);
  const [refused, takenOver] = await Promise.all(
    [first, second].map(({ url }) => Promise.all(Array.from({ length: AFTERWARDS }, () => get(url)))),
  );
  if (options.upstreamAnswers) held.release();
  const streams = await Promise.all(readers.map(outcomeOf));
  const { code } = await first.run.ended;
  const seconds = (performance.now() - from) / 1000;
  const steady = await load.stop();
  return {
    streams: count(streams),
    requests: count(await Promise.all(underWay)),
    code,
    seconds,
    refused: count(refused ?? []),
    takenOver: count(takenOver ?? []),
    steady,
  };
}

/** An upstream that holds every request for one listing until the test lets it answer. */
async function gatedUpstream(t: Closing) {
  const upstream = await startUpstream(t);
  upstream.pageSize = 100;
  // Both processes may have the one token at the same time.
  upstream.tokens = 1;
  upstream.faults.token = (_, response) => void response.end('{"access_token":"t1","expires_in":3600}');
  for (const key of KEYS) upstream.records.set(key, record(key));
  const waiting: { readonly key: string; readonly response: ServerResponse }[] = [];
  upstream.faults.entity = ({ url = '' }, response) => {
    waiting.push({ key: /'(.*)'/.exec(decodeURIComponent(url))?.[1] ?? '', response });
  };
  const release = () => {
    delete upstream.faults.entity;
    for (const { key, response } of waiting) response.end(JSON.stringify(upstream.records.get(key)));
  };
  return { upstream, held: { release } };
}

async function startInstance(
  t: Closing,
  folder: string,
  databaseUrl: string,
  upstream: Upstream,
): Promise<Instance> {
  const run = startCli(t, ['serve'], {
    folder,
    environment: {
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      PORT: '0',
      LOG_LEVEL: 'warn',
      SOURCE: 'reso',
      RESO_BASE_URL: upstream.url,
      RESO_TOKEN_URL: upstream.tokenUrl,
      RESO_CLIENT_ID: 'me',
      RESO_CLIENT_SECRET: 'hush',
    },
  });
  let url = '';
  await until('the service is ready', async () => {
    url = readyUrl(run.stdout()) ?? '';
    return url !== '' && (await answerTo(`${url}/readyz`)).startsWith('200');
  });
  return { run, url };
}

/** The status, with the code of a problem; `failed` where there was no answer. */
async function answerTo(url: string, key?: string): Promise<string> {
  try {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const answer = await fetch(url, { headers });
    const body = (await answer.json()) as { code?: string };
    return [answer.status, body.code].filter((part) => part !== undefined).join(' ');
  } catch (error) {
    return `failed ${error instanceof Error ? String(error.cause ?? error) : ''}`;
  }
}

async function active({ url }: Instance): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^freehold_http_active (\d+)$/m.exec(text)?.[1]);
}

function count(words: readonly string[]): Counts {
  const groups = Object.groupBy(words, (word) => word);
  return Object.fromEntries(Object.entries(groups).map(([word, all = []]) => [word, all.length]));
}
