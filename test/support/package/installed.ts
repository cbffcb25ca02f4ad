// The npm package as a stranger has it: installed from its tarball into an empty folder.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { poll } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import { readyUrl } from '../process/cli.ts';

/** Milliseconds; most of it is for a slow registry. */
const TIMEOUT = 5 * 60_000;
const UNREACHABLE = /request to|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENOTCACHED/;

/** Where the packages come from is out of reach: nothing can be said about the installation. */
export class Unreachable extends Error {}

/** An empty folder with the package installed, without the scripts of any package. */
export async function installPackage(
  t: Closing,
  tarball: string,
  ...options: readonly string[]
): Promise<string> {
  const folder = await temporaryFolder(t, 'installed');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1', '--ignore-scripts'];
  const args = ['install', tarball, ...quiet, ...options];
  await promisify(execFile)('npm', args, { cwd: folder, timeout: TIMEOUT }).catch((error: Error) => {
    throw UNREACHABLE.test(error.message) ? new Unreachable(error.message) : error;
  });
  return folder;
}

export interface Running {
  readonly url: string;
  readonly output: () => string;
  /** Ends it as a terminal does, and waits. */
  stop(): Promise<void>;
}

/** Starts a service by this command line; resolves once it says that it is ready. */
export async function startInstalled(
  t: Closing,
  folder: string,
  command: readonly [program: string, ...args: string[]],
  environment: Readonly<Record<string, string>>,
): Promise<Running> {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, which npm and the service are in.
    detached: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DRAIN_SECONDS: '0', ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const closed = once(child, 'close');
  atEnd(t, async () => {
    signal(child, 'SIGKILL');
    await closed;
  });
  let hasEnded = false;
  void closed.then(() => {
    hasEnded = true;
  });
  const url = await poll('the installed service is ready', () => {
    if (hasEnded) throw new Error(`The service ended:\n${output}`);
    return readyUrl(output);
  });
  return {
    url,
    output: () => output,
    async stop() {
      signal(child, 'SIGTERM');
      await closed;
    },
  };
}

function signal({ pid = 0 }: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export const packageIn = (folder: string, ...path: readonly string[]): string =>
  join(folder, 'node_modules/freehold', ...path);
