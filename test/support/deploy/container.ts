// Containers of an image, started without an engine: process 1 of namespaces of its own, no privileges, a volume at /data.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { poll } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import type { Image } from './image.ts';
import { run } from './programs.ts';

export interface ContainerOptions {
  /** Default: the image's. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The folder of the volume. */
  readonly data: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly readOnlyRoot?: boolean;
}

export interface Container {
  readonly output: () => string;
  /** Runs the image's health check; gives its exit code and what it printed. */
  checkHealth(): Promise<{ readonly code: number | null; readonly output: string }>;
  /** Runs a command in it, and gives what it printed. */
  exec(...command: readonly string[]): Promise<string>;
  /** Sends a signal to its process 1, as an engine does. */
  kill(signal: NodeJS.Signals): Promise<void>;
  readonly ended: Promise<number | null>;
}

const START = join(import.meta.dirname, 'start-container.sh');
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const NAMESPACES = ['--mount', '--pid', '--ipc', '--uts'];

/** A folder as a new volume is: with the mode that the image gives it. */
export async function createVolume(t: Closing, image: Image): Promise<string> {
  const volume = join(await temporaryFolder(t, 'volume'), 'data');
  await mkdir(volume);
  await run('cp', ['--archive', '--no-target-directory', join(image.root, 'data'), volume]);
  return volume;
}

/** Starts a container with the network of this machine; killed at the latest when the test ends. */
export function startContainer(t: Closing, image: Image, options: ContainerOptions): Container {
  const { root, config } = image;
  const [uid = 0, gid = 0] = options.user ? Object.values(options.user) : config.User.split(':').map(Number);
  const own = Object.entries(options.environment ?? {}).map(([name, value]) => `${name}=${value}`);
  const environment = [PATH, ...config.Env, ...own];
  const mode = options.readOnlyRoot === true ? 'ro' : 'rw';
  const where = [root, mode, options.data, String(uid), String(gid)];
  const command = [...config.Entrypoint, ...config.Cmd];
  const unshared = [
    ...NAMESPACES,
    '--fork',
    '--kill-child',
    'sh',
    START,
    ...where,
    ...environment,
    ...command,
  ];
  const child = spawn('unshare', unshared, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const first = () => firstProcess(child.pid ?? 0);
  atEnd(t, async () => {
    // Process 1 alone: a change of user has undone what would end it with its parent.
    if (child.exitCode === null) process.kill(Number(await first()), 'SIGKILL');
    await ended;
  });
  const exec = async (words: readonly string[]): Promise<string> => {
    const user = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
    const inside = ['/usr/bin/setpriv', ...user, '/usr/bin/env', '-i', '--chdir=/data', ...environment];
    return run('nsenter', ['--target', await first(), ...NAMESPACES, '--root', ...inside, ...words]);
  };
  return {
    output: () => text,
    exec: (...words) => exec(words),
    async checkHealth() {
      const [kind, ...words] = config.Healthcheck.Test;
      if (kind !== 'CMD') throw new Error(`The health check is run by ${kind}`);
      return exec(words).then(
        (output) => ({ code: 0, output }),
        (error: Error) => ({ code: (error.cause as { code: number | null }).code, output: error.message }),
      );
    },
    async kill(signal) {
      process.kill(Number(await first()), signal);
    },
    ended,
  };
}

/** The id that process 1 of the container has outside. */
function firstProcess(unshare: number): Promise<string> {
  return poll('the container has a process', async () => {
    const children = await readFile(`/proc/${unshare}/task/${unshare}/children`, 'utf8');
    return children.trim() || undefined;
  });
}

/** Where something else is mounted in a container. */
const MOUNTED = new Set(['proc', 'dev', 'tmp', 'data']);

/** Path -> what shows that something was written there: size, mode, owner, the time of the last change. */
export async function listTree(root: string): Promise<Map<string, string>> {
  const tree = new Map<string, string>();
  const entries = await readdir(root);
  const pending = entries.filter((name) => !MOUNTED.has(name)).map((name) => join(root, name));
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const folder = path;
    const { size, mode, uid, gid, ctimeMs } = await lstat(folder);
    tree.set(folder.slice(root.length), `${size} ${mode} ${uid} ${gid} ${ctimeMs}`);
    const isFolder = (mode & 0o170000) === 0o040000;
    if (isFolder) pending.push(...(await readdir(folder)).map((name) => join(folder, name)));
  }
  return tree;
}
