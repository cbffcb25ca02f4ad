// Real service of crash tests: `freehold serve` as its own process, what belongs to it, and its sudden ends.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Database, openDatabase } from '../../../src/postgres/client/database.ts';
import { rolePasswords } from '../../../src/postgres/embedded/cluster-roles.ts';
import { parseLock } from '../../../src/postgres/embedded/postmaster.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { INHERITED, LAUNCHER } from '../process/cli.ts';

export interface ServiceProcess {
  readonly pid: number;
  /** Everything it has written. */
  readonly output: () => string;
  readonly running: () => boolean;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

export interface ServePlace {
  readonly dataDirectory: string;
  readonly port: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Descriptors that the process may have open. */
  readonly descriptors?: number;
}

/** Starts `freehold serve`; killed at the latest when the test ends. Does not wait until it answers. */
export function serve(
  t: Closing,
  { dataDirectory, port, environment, descriptors }: ServePlace,
): ServiceProcess {
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors} && `;
  const command = `${limit}exec "$0" "$@"`;
  const child = spawn('/bin/sh', ['-c', command, process.execPath, LAUNCHER, 'serve'], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...INHERITED,
      DATA_DIR: dataDirectory,
      PORT: String(port),
      SOURCE: 'none',
      LOG_LEVEL: 'info',
      ...environment,
    },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-200_000);
    });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  atEnd(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    output: () => text,
    running: () => child.exitCode === null && child.signalCode === null,
    kill: (signal) => child.kill(signal),
    ended,
  };
}

/** Whether the service says that it is ready. */
export async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );
}

/** The embedded server's process and socket folder; undefined while none runs. */
export async function postmasterOf(dataDirectory: string) {
  const file = join(dataDirectory, 'postgres/cluster/postmaster.pid');
  const lock = parseLock(await readFile(file, 'utf8').catch(() => ''));
  return lock !== undefined && isAlive(lock.pid) ? lock : undefined;
}

/** The service's own database, beside it. */
export async function databaseBeside(dataDirectory: string): Promise<Database> {
  const host = join(dataDirectory, 'postgres/socket');
  const { service: password } = await rolePasswords(dataDirectory);
  const socket = { host, database: 'freehold', user: 'freehold', password };
  return openDatabase({ socket, maxConnections: 16 });
}

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly command: string;
}

/** A process and all below it. */
export async function familyOf(pid: number): Promise<RunningProcess[]> {
  const all = await processes();
  const family = all.filter((each) => each.pid === pid);
  for (const member of family) family.push(...all.filter((each) => each.parent === member.pid));
  return family;
}

/** Of these processes, those that still run half a minute later. */
export async function survivors(family: readonly RunningProcess[]): Promise<readonly RunningProcess[]> {
  let left = family;
  const end = performance.now() + 30_000;
  while (left.length > 0 && performance.now() < end) {
    const now = new Map((await processes()).map((each) => [each.pid, each]));
    left = left.filter(({ pid, command }) => {
      const found = now.get(pid);
      return found !== undefined && !found.state.startsWith('Z') && sameProgram(found.command, command);
    });
    await pause(100);
  }
  return left;
}

/** PostgreSQL's processes change their titles, so only the program is compared. */
function sameProgram(one: string, other: string): boolean {
  return one.split(/[ :]/)[0] === other.split(/[ :]/)[0];
}

async function processes(): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], {
    maxBuffer: 16_000_000,
  });
  return [...stdout.matchAll(/^ *(\d+) +(\d+) +(\S+) +(.*)$/gm)].map((fields) => {
    const [, pid = '', parent = '', state = '', command = ''] = fields;
    return { pid: Number(pid), parent: Number(parent), state, command };
  });
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Ends a process that may be gone already. */
export function endProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
