// Redis of the machine's own for tests: one server, a replica, or a cluster.

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { until } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
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
