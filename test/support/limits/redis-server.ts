// Redis of the machine's own for tests: one server, a replica, or a cluster.

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import { newAuthority } from '../oauth/certificates.ts';
import { quietPort } from '../service/ports.ts';

const PROGRAM = '/usr/bin/redis-server';
const found = await access(PROGRAM).then(
  () => true,
  () => false,
);
/** Why tests of it are skipped; false where they are not. */
export const withoutRedis = found ? false : `no ${PROGRAM} (package redis-server)`;

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Sends a command with the command line client, and gives what it prints. */
  command(...words: string[]): Promise<string>;
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port, with what it had saved. */
  start(): Promise<void>;
  pause(): void;
  resume(): void;
}

const execute = promisify(execFile);

/** A server on a free port of this machine, which ends with the test. @param settings as on its command line */
export async function startRedis(t: Closing, ...settings: string[]): Promise<RedisServer> {
  const folder = await temporaryFolder(t, 'redis');
  const port = await quietPort();
  let child: ChildProcess | null = null;

  async function command(...words: string[]): Promise<string> {
    const { stdout } = await execute('redis-cli', ['-h', '127.0.0.1', '-p', String(port), ...words]);
    return stdout.trim();
  }

  async function start(): Promise<void> {
    assert.equal(child, null);
    const common = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    const all = [...common, '--appendonly', 'no', ...settings];
    child = spawn(PROGRAM, all, { stdio: 'ignore' });
    await until('Redis answers', async () => (await command('ping').catch(() => '')) === 'PONG');
  }

  async function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const ending = child;
    child = null;
    if (ending === null || ending.exitCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGCONT');
    ending.kill(signal);
    await ended;
  }

  await start();
  atEnd(t, () => kill());
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    command,
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}

/** A server that takes TLS too. */
export interface SecureRedisServer extends RedisServer {
  /** Leads to its port for TLS. */
  readonly secureUrl: string;
  /** The certificate of the authority that made its own, and the file with it: PEM. */
  readonly authority: string;
  readonly authorityFile: string;
}

/** A server with a certificate of an authority that nobody trusts yet. */
export async function startSecureRedis(t: Closing): Promise<SecureRedisServer> {
  const folder = await temporaryFolder(t, 'certificates');
  const authority = newAuthority();
  const { cert, key } = authority.leaf('127.0.0.1');
  const files = { authority: authority.cert, certificate: cert, key };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const file = (name: keyof typeof files): string => join(folder, name);
  const port = await quietPort();
  const own = ['--tls-cert-file', file('certificate'), '--tls-key-file', file('key')];
  const others = ['--tls-ca-cert-file', file('authority'), '--tls-auth-clients', 'no'];
  const server = await startRedis(t, '--tls-port', String(port), ...own, ...others);
  return Object.assign(server, {
    secureUrl: `rediss://127.0.0.1:${port}`,
    authority: authority.cert,
    authorityFile: file('authority'),
  });
}
