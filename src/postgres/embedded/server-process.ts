// Process of the PostgreSQL server: one run of it, which ends in good order when this process ends.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, poll } from '../../lib/clock.ts';
import type { SupervisedProcess } from '../../lib/supervisor.ts';
import { type Binaries, binariesEnvironment } from './binaries.ts';
import type { ServerUser } from './cluster-home.ts';
import { readPostmaster } from './postmaster.ts';
import { KEPT_MEMORY } from './server-settings.ts';

/**
 * A watcher reads a pipe whose other end only this Node process holds. When Node ends, even by SIGKILL, the system
 * closes the pipe, the read returns, and the server is asked for a fast shutdown. The shell ignores the signals that
 * a terminal or a service manager sends to a whole group: the server must outlive the requests that still use it.
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

const START_LIMIT = 120_000;
const STOP_LIMIT = 60_000;

export interface ServerCommand {
  readonly binaries: Binaries;
  readonly cluster: string;
  readonly user: ServerUser | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: ServerLog;
  readonly clock: Clock;
}

/** `stop` is a fast shutdown: open transactions are rolled back, everything committed is on disk. */
export type ServerProcess = SupervisedProcess;

/** Raised when another process started a server on the same cluster a moment earlier. */
export class ClusterTaken extends Error {}

/** Starts the server and resolves when it accepts connections. */
export async function launchServer(command: ServerCommand): Promise<ServerProcess> {
  const offset = command.log.size();
  const child = spawnServer(command);
  const pid = firstLine(child).then(Number);
  const ended = endOf(child);
  let over: string | undefined;
  void ended.then((how) => {
    over = how;
  });
  const look = async () => {
    if (over !== undefined) return 'ended' as const;
    const postmaster = await readPostmaster(command.cluster);
    const ready = postmaster?.status === 'ready' && postmaster.pid === (await pid);
    return ready ? ('ready' as const) : undefined;
  };
  const outcome = await poll(look, { clock: command.clock, limit: START_LIMIT, every: 10 });
  if (outcome !== 'ready') {
    await stopServer(child, pid, ended, command.clock);
    throw startFailure(command.log.tail(offset), over ?? 'it was not ready in time');
  }
  release(child);
  return { ended, stop: () => stopServer(child, pid, ended, command.clock) };
}

function spawnServer(command: ServerCommand): ChildProcess {
  const settings = Object.entries(command.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const postgres = join(command.binaries.native, 'bin', 'postgres');
  return spawn('/bin/sh', ['-c', WRAPPER, 'sh', postgres, '-D', command.cluster, ...settings], {
    ...command.user,
    // A session of its own: Ctrl-C in a terminal reaches only the service, which then stops the server in turn.
    detached: true,
    cwd: '/',
    env: { ...binariesEnvironment(command.binaries), ...KEPT_MEMORY },
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
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const finished = async () => over || undefined;
  if (await poll(finished, { clock, limit: STOP_LIMIT, every: 5 })) return;
  // Immediate shutdown loses nothing committed: the next start replays it from the log.
  signal(await pid, 'SIGQUIT');
  if (await poll(finished, { clock, limit: STOP_LIMIT, every: 5 })) return;
  throw new Error(`PostgreSQL (process ${await pid}) does not stop.`);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The server's life hangs on ours, not ours on the server's: a command that is done may simply end. */
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
    child.stdin?.on('error', () => {}); // 'exit' tells of the end; a broken pipe would only say it again.
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
    return new ClusterTaken('Another PostgreSQL server holds the cluster');
  }
  const reasons = log.split('\n').filter((line) => /FATAL|PANIC|HINT|error while loading/.test(line));
  return new Error(
    `PostgreSQL did not start (${how}): ${reasons.join(' ').trim() || log.trim() || 'no reason given'}`,
  );
}

const LIMIT = 8 * 1024 * 1024;

const CHECK_EVERY = 60_000;

export interface ServerLog {
  /** The server writes here itself, so that its words outlive us. */
  readonly descriptor: number;
  /** What was written since this offset, at most the last few thousand characters. */
  tail(offset: number): string;
  size(): number;
  close(): void;
}

/** Opens the log for appending and keeps it within its limit for as long as it is open. */
export function openServerLog(path: string, clock: Clock): ServerLog {
  const descriptor = openSync(path, 'a+', 0o600);
  let cancel = () => {};
  const check = () => {
    keepWithinLimit(path, descriptor);
    cancel = clock.after(CHECK_EVERY, check);
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

/** Copied and emptied instead of renamed: the server keeps its own descriptor on the file. */
function keepWithinLimit(path: string, descriptor: number): void {
  if (fstatSync(descriptor).size < LIMIT) return;
  copyFileSync(path, `${path}.1`);
  ftruncateSync(descriptor, 0);
}
