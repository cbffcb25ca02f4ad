// Load balancers of deploy/balancers before ports of this machine, as tests run them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../check/until.ts';
import { ROOT, readSource } from '../code/source-files.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import { run, withoutPrograms } from '../deploy/programs.ts';
import { quietPort } from '../service/ports.ts';

/** Milliseconds for an answer that nothing is computed for: one that never comes must not hang a test. */
const ANSWER_LIMIT = 30_000;

export type BalancerKind = 'haproxy' | 'nginx' | 'caddy';

/** Of the three nodes. */
export type NodePorts = readonly [number, number, number];

export interface Balancer {
  readonly url: string;
  readonly port: number;
  /** Of HAProxy: the numbers (1 to 3) of the nodes that it sends requests to. */
  nodesInUse(): Promise<readonly number[]>;
}

interface Preparation {
  readonly folder: string;
  readonly nodes: NodePorts;
  readonly port: number;
  /** Of HAProxy: where it says what it thinks of its nodes. */
  readonly statusPort: number;
  /** Milliseconds between two health checks of HAProxy; the file's own when absent. */
  readonly checkEvery?: number | undefined;
  /** Of HAProxy: addresses of the nodes, of this machine; 127.0.0.1 when absent. */
  readonly hosts?: readonly string[] | undefined;
}

interface Prepared {
  /** What makes the program check its configuration, and what starts it. */
  readonly check: readonly string[];
  readonly start: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Why tests of a balancer are skipped; false where it is installed. */
export const withoutBalancer = (kind: BalancerKind): string | false => withoutPrograms([kind, kind]);

/** Throws with what the program says if it does not accept its file as it is in deploy/balancers. */
export async function checkBalancer(t: Closing, kind: BalancerKind): Promise<void> {
  const folder = await temporaryFolder(t, kind);
  const [nodes, port] = [[8081, 8082, 8083] as const, 8080];
  const { check, environment } = await PREPARE[kind]({ folder, nodes, port, statusPort: 8084 });
  await run(kind, check, { env: { ...environment, PATH: process.env.PATH, HOME: folder } });
}

/**
 * Starts one on a free port of this machine; it ends with the test. Requests that come from 127.0.0.1 may name their client as a
 * proxy does, by X-Forwarded-For.
 */
export async function startBalancer(
  t: Closing,
  kind: BalancerKind,
  nodes: NodePorts,
  { checkEvery, hosts }: Pick<Preparation, 'checkEvery' | 'hosts'> = {},
): Promise<Balancer> {
  const folder = await temporaryFolder(t, kind);
  const [port, statusPort] = [await quietPort(), await quietPort()];
  const preparation = { folder, nodes, port, statusPort, checkEvery, hosts };
  const { start, environment } = await PREPARE[kind](preparation);
  const child = spawn(kind, start, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, PATH: process.env.PATH, HOME: folder },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-100_000);
    });
  const ended = once(child, 'exit');
  atEnd(t, async () => {
    // Killed, nginx would leave its workers behind.
    child.kill('SIGTERM');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await until(`${kind} answers`, () => {
    if (child.exitCode !== null) throw new Error(`${kind} ended: ${text}`);
    return answers(`${url}/readyz`);
  });
  return { url, port, nodesInUse: () => nodesInUse(statusPort) };
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT) }).catch(() => null);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}

const fileOf = (name: string): string => readSource(`deploy/balancers/${name}`).text;

function prepareEnvironment(
  nodes: NodePorts,
  hosts: readonly string[] = [],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    nodes.map((node, at) => [`NODE${at + 1}`, `${hosts[at] ?? '127.0.0.1'}:${node}`]),
  );
}

/** The file as it is; only how often it checks may differ. */
async function prepareHaproxy({ folder, nodes, port, statusPort, checkEvery, hosts }: Preparation) {
  const file = join(folder, 'haproxy.cfg');
  const text = fileOf('haproxy.cfg');
  const interval = checkEvery === undefined ? 'inter 1s' : `inter ${checkEvery}ms`;
  const status = `\nlisten status\n    bind 127.0.0.1:${statusPort}\n    stats enable\n    stats uri /status\n`;
  await writeFile(file, text.replace('inter 1s', interval) + status);
  return {
    check: ['-c', '-f', join(ROOT, 'deploy/balancers/haproxy.cfg')],
    start: ['-db', '-f', file],
    environment: {
      ...prepareEnvironment(nodes, hosts),
      LISTEN: `127.0.0.1:${port}`,
    },
  } satisfies Prepared;
}

/** The file within `http`, with other ports, and behind a proxy. */
async function prepareNginx({ folder, nodes, port }: Preparation) {
  const addresses = fileOf('nginx.conf')
    .replace(/127\.0\.0\.1:808([123])/g, (_, digit: string) => `127.0.0.1:${nodes[Number(digit) - 1]}`)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`);
  const behind = addresses.replace(/# Behind another proxy: (set_real_ip_from )10\.0\.0\.1/, '$1127.0.0.1');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const around = (contents: string) =>
    [
      `pid ${folder}/pid; daemon off; worker_processes 1; error_log stderr;`,
      'events {}',
      'http {',
      `access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}`,
      contents,
      '}',
    ].join('\n');
  const [written, served] = [join(folder, 'written.conf'), join(folder, 'served.conf')];
  await writeFile(written, around(fileOf('nginx.conf')));
  await writeFile(served, around(behind));
  return {
    check: ['-t', '-e', 'stderr', '-c', written],
    start: ['-e', 'stderr', '-c', served],
    environment: {},
  } satisfies Prepared;
}

/** The file without TLS, on another port, and with addresses as a proxy names them: Caddy 2.6 takes them from its socket only. */
async function prepareCaddy({ folder, nodes, port }: Preparation) {
  const file = join(folder, 'Caddyfile');
  const text = fileOf('Caddyfile')
    .replace('{$DOMAIN:localhost}', `http://127.0.0.1:${port}`)
    .replaceAll('{remote_host}', '{header.X-Forwarded-For}');
  await writeFile(file, `{\n\tadmin off\n}\n${text}`);
  return {
    check: ['validate', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/balancers/Caddyfile')],
    start: ['run', '--adapter', 'caddyfile', '--config', file],
    environment: prepareEnvironment(nodes),
  } satisfies Prepared;
}

const PREPARE: Readonly<Record<BalancerKind, (preparation: Preparation) => Promise<Prepared>>> = {
  haproxy: prepareHaproxy,
  nginx: prepareNginx,
  caddy: prepareCaddy,
};

/** From HAProxy's table of states, whose 18th column is that of a server. */
async function nodesInUse(statusPort: number): Promise<readonly number[]> {
  const url = `http://127.0.0.1:${statusPort}/status;csv`;
  const text = await (await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT) })).text();
  return text.split('\n').flatMap((line) => {
    const [backend, server = '', ...fields] = line.split(',');
    const isUsed = backend === 'nodes' && server.startsWith('node') && fields[15]?.startsWith('UP');
    return isUsed === true ? [Number(server.slice(4))] : [];
  });
}
