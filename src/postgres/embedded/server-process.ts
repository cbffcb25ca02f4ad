// Process of the PostgreSQL server and its log. The server shuts down when this process ends.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, poll, withDeadline } from '../../lib/clock.ts';
import type { SupervisedProcess } from '../../lib/supervisor.ts';
import { type Binaries, binariesEnvironment } from './binaries.ts';
import type { ServerUser } from './cluster-home.ts';
import { readPostmaster } from './postmaster.ts';
import { MALLOC_ENVIRONMENT } from './server-settings.ts';

/**
 * A watcher reads a pipe whose other end only this Node process has. When Node ends, even by SIGKILL, the system closes the
 * pipe, the read returns, and the server gets a fast shutdown. The shell ignores the signals that a terminal or a service
 * manager sends to a whole group: the server must outlive the requests that still use it.
 */
const WRAPPER = `
trap '' HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- >&2 &
server=$!
echo "$server"
(read -r _ <&3; kill -INT "$server") >/dev/null 2>&1 &
watcher=$!
wait "$server"; status=$?
kill -KILL "$watcher" 2>/dev/null
exit "$status"
`;

/** Milliseconds. */
const START_TIMEOUT = 120_000;
const STOP_TIMEOUT = 60_000;

export interface ServerCommand {
  readonly binaries: Binaries;
  readonly cluster: string;
  readonly user: ServerUser | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: ServerLog;
  readonly clock: Clock;
}

/** Another process started a server on the same cluster a moment earlier. */
export class ClusterInUse extends Error {}

/**
 * Starts the server and resolves when it accepts connections. `stop` is a fast shutdown: open transactions are rolled back,
 * everything committed is on disk.
 */
export async function launchServer(command: ServerCommand): Promise<SupervisedProcess> {
  const offset = command.log.size();
  const child = spawnServer(command);
  const pid = firstLine(child).then(Number);
  const ended = endOf(child);
  let end: string | undefined;
  void ended.then((how) => {
    end = how;
  });
  const look = async () => {
    if (end !== undefined) return 'ended' as const;
    const postmaster = await readPostmaster(command.cluster);
    const ready = postmaster?.status === 'ready' && postmaster.pid === (await pid);
    return ready ? ('ready' as const) : undefined;
  };
  const outcome = await poll(look, { clock: command.clock, limit: START_TIMEOUT, every: 10 });
  if (outcome !== 'ready') {
    if (end === undefined) await stopServer(child, pid, ended, command.clock);
    throw startFailure(command.log.tail(offset), end ?? 'it was not ready in time');
  }
  release(child);
  return { ended, stop: () => stopServer(child, pid, ended, command.clock) };
}

function spawnServer(command: ServerCommand): ChildProcess {
  const settings = Object.entries(command.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const postgres = join(command.binaries.native, 'bin', 'postgres');
  return spawn('/bin/sh', ['-c', WRAPPER, 'sh', postgres, '-D', command.cluster, ...settings], {
    ...command.user,
    // A session of its own: Ctrl-C in a terminal reaches only the service, which then stops the server.
    detached: true,
    cwd: '/',
    env: { ...binariesEnvironment(command.binaries), ...MALLOC_ENVIRONMENT },
    stdio: ['pipe', 'pipe', command.log.descriptor],
  });
}

async function stopServer(
  child: ChildProcess,
  pid: Promise<number>,
  ended: Promise<string>,
  clock: Clock,
): Promise<void> {
  child.ref();
  child.stdin?.destroy();
  const timeout = new Error(`PostgreSQL (process ${await pid}) does not stop.`);
  const deadline = { clock, milliseconds: STOP_TIMEOUT, onTimeout: () => timeout };
  try {
    await withDeadline(deadline, () => ended);
  } catch {
    // Immediate shutdown loses nothing committed: the next start replays it from the log.
    sendSignal(await pid, 'SIGQUIT');
    await withDeadline(deadline, () => ended);
  }
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The server does not keep this process alive: a command that is done may just end. */
function release(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as { unref?(): void } | null)?.unref?.();
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, name) => {
      child.stdin?.destroy();
      child.stdout?.destroy();
      resolve(name === null ? `exit code ${code}` : `signal ${name}`);
    });
    child.stdin?.on('error', () => {}); // 'exit' reports the end.
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.on('close', () => resolve(text));
  });
}

function startFailure(log: string, how: string): Error {
  if (/lock file "postmaster\.pid" already exists|pre-existing shared memory block/.test(log)) {
    return new ClusterInUse('Another PostgreSQL server uses the cluster');
  }
  const reasons = log.split('\n').filter((line) => /FATAL|PANIC|HINT|error while loading/.test(line));
  return new Error(
    `PostgreSQL did not start (${how}): ${reasons.join(' ').trim() || log.trim() || 'no reason given'}`,
  );
}

/** Bytes. */
const MAX_LOG_SIZE = 8 * 1024 * 1024;
const LOG_CHECK_INTERVAL = 60_000;

export interface ServerLog {
  /** The server writes to it directly, even after this process has ended. */
  readonly descriptor: number;
  /** What was written since this offset, at most the last 4,000 characters. */
  tail(offset: number): string;
  size(): number;
  close(): void;
}

/** Opens the log for appending and rotates it by size: at most two files. */
export function openServerLog(path: string, clock: Clock): ServerLog {
  const descriptor = openSync(path, 'a+', 0o600);
  let cancel = () => {};
  const check = () => {
    rotate(path, descriptor);
    cancel = clock.after(LOG_CHECK_INTERVAL, check);
  };
  check();
  return {
    descriptor,
    size: () => fstatSync(descriptor).size,
    tail: (offset) => readFileSync(path).subarray(offset).toString('utf8').slice(-4000),
    close() {
      cancel();
      closeSync(descriptor);
    },
  };
}

/** Copied and emptied instead of renamed: the server has the file open. */
function rotate(path: string, descriptor: number): void {
  if (fstatSync(descriptor).size < MAX_LOG_SIZE) return;
  copyFileSync(path, `${path}.1`);
  ftruncateSync(descriptor, 0);
}
