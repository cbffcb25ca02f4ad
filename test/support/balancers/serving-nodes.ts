// Three processes of `freehold serve` on one database behind HAProxy, with a source that can be asked live.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../check/until.ts';
import { type Closing, type TestDatabase, temporaryFolder, testDatabase } from '../database/database.ts';
import { type CliRun, startCli } from '../process/cli.ts';
import { quietPort } from '../service/ports.ts';
import { startUpstream, type Upstream } from '../sources/upstream.ts';
import { record } from '../streams/service.ts';
import { type Balancer, startBalancer } from './balancer.ts';

export interface ServingNodes extends TestDatabase {
  readonly balancer: Balancer;
  /** Ends a node by a signal, numbered from 1; gives the code of its end, null for one that was killed. */
  end(node: number, signal: NodeJS.Signals): Promise<number | null>;
  /** Starts it at its port, again where it could not start; resolves once it is ready and HAProxy uses it. */
  start(node: number): Promise<void>;
  /** Starts that failed since the database did not answer in time: what supervisors are for. */
  failedStarts(): number;
}

/** Keys of the source's listings. */
export const LISTING_KEYS = ['0', '1', '2', '3', '4', '5'] as const;
/** Milliseconds between two health checks: two that fail are less than the five seconds in which a node leaves. */
const CHECK_EVERY = 500;
/** Addresses that other tests do not listen on: nobody takes the port of a node that is being replaced. */
const HOSTS = ['127.0.0.41', '127.0.0.42', '127.0.0.43'] as const;
/** In a run, on a machine that is busy with other work. */
const MAX_FAILED_STARTS = 5;
const TOO_LATE = /"event":"failed","reason":"The database cannot answer/;
const SECRETS_KEY = Buffer.alloc(32, 8).toString('base64');

/** Starts them; everything ends with the test. */
export async function startServingNodes(t: Closing): Promise<ServingNodes> {
  const created = await testDatabase(t);
  const folder = await temporaryFolder(t, 'nodes');
  const upstream = await startSource(t);
  const ports = [await quietPort(), await quietPort(), await quietPort()] as const;
  const runs = new Map<number, CliRun>();
  let failedStarts = 0;
  async function launch(node: number): Promise<void> {
    const [port, host] = [ports[node - 1] ?? 0, HOSTS[node - 1] ?? ''];
    const own = join(folder, String(node));
    for (;;) {
      const options = { folder: own, databaseUrl: created.url, host, port, upstream };
      const run = await startNode(t, options).catch((error: Error) => {
        failedStarts += 1;
        if (failedStarts > MAX_FAILED_STARTS || !TOO_LATE.test(error.message)) throw error;
        return null;
      });
      if (run === null) continue;
      runs.set(node, run);
      return;
    }
  }
  await Promise.all(ports.map((_, at) => launch(at + 1)));
  const balancer = await startBalancer(t, 'haproxy', ports, { checkEvery: CHECK_EVERY, hosts: HOSTS });
  const used = () =>
    until('HAProxy uses every node that runs', async () => {
      const inUse = await balancer.nodesInUse();
      return String(inUse) === String([...runs.keys()].toSorted());
    });
  await used();
  return {
    ...created,
    balancer,
    async end(node, signal) {
      const run = runs.get(node);
      run?.kill(signal);
      const end = await run?.ended;
      runs.delete(node);
      return end?.code ?? null;
    },
    async start(node) {
      await launch(node);
      await used();
    },
    failedStarts: () => failedStarts,
  };
}

export interface NodeOptions {
  /** Of its own: its DATA_DIR. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly host: string;
  readonly port: number;
  /** The source of all nodes. */
  readonly upstream: Upstream;
}

/** Starts `freehold serve` as a node behind a load balancer of this machine; resolves once it is ready. */
export async function startNode(
  t: Closing,
  { folder, databaseUrl, host, port, upstream }: NodeOptions,
): Promise<CliRun> {
  await mkdir(folder, { recursive: true });
  const environment = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    SECRETS_KEY,
    HOST: host,
    PORT: String(port),
    TRUSTED_PROXIES: '127.0.0.1',
    DRAIN_SECONDS: '5',
    ...sourceSettings(upstream),
  };
  const run = startCli(t, ['serve'], { folder, environment });
  const url = `http://${host}:${port}`;
  await until(`the node at ${url} is ready`, () => isReady(url, run)).catch(async (error: unknown) => {
    throw new Error(`${await describeStart(url, run)}\n${String(error)}`, { cause: error });
  });
  return run;
}

/** What a node that is not ready says of itself. */
async function describeStart(url: string, run: CliRun): Promise<string> {
  const readiness = await fetch(`${url}/readyz?verbose`, { signal: AbortSignal.timeout(5_000) }).then(
    (answer) => answer.text(),
    (error: Error) => `${error.message} ${String(error.cause ?? '')}`,
  );
  return `${readiness}\n${run.stdout().slice(-4_000)}\n${run.stderr().slice(-1_000)}`;
}

/** What makes a node read the source. */
export const sourceSettings = ({ url, tokenUrl }: Pick<Upstream, 'url' | 'tokenUrl'>) => ({
  SOURCE: 'reso',
  RESO_BASE_URL: url,
  RESO_TOKEN_URL: tokenUrl,
  RESO_CLIENT_ID: 'me',
  RESO_CLIENT_SECRET: 'hush',
});

async function isReady(url: string, run: CliRun): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  await answer?.arrayBuffer();
  if (/cannot start/.test(run.stdout())) throw new Error(run.stdout() + run.stderr());
  return answer?.status === 200;
}

/** A source for all nodes, whose token is good for each. */
export async function startSource(t: Closing): Promise<Upstream> {
  const upstream = await startUpstream(t);
  upstream.pageSize = 100;
  upstream.tokens = 1;
  upstream.faults.token = (_, response) => void response.end('{"access_token":"t1","expires_in":3600}');
  for (const key of LISTING_KEYS) upstream.records.set(key, record(key));
  return upstream;
}
