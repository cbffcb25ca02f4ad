// Disks that fail: a small one that runs full, and one whose flushes are refused by the system.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pause, systemClock } from '../../../src/lib/clock.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import { familyOf, postmasterOf } from './service.ts';

const run = promisify(execFile);
const MEBIBYTE = 1024 * 1024;

export interface SmallDisk {
  readonly folder: string;
  /** Takes every byte that is left. */
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
}

/** Mounts a disk of so many mebibytes in memory; a string says why that is not possible here. */
export async function mountSmallDisk(t: Closing, size: number): Promise<SmallDisk | string> {
  if (process.platform !== 'linux') return 'only Linux can mount a disk in memory';
  const folder = join(await temporaryFolder(t, 'disk'), 'disk');
  await mkdir(folder);
  const options = `size=${size}m,mode=0711`;
  const fault = await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).then(
    () => undefined,
    (error: Error) => `a disk cannot be mounted: ${error.message.trim()}`,
  );
  if (fault !== undefined) return fault;
  atEnd(t, async () => {
    await run('umount', ['-l', folder]);
  });
  const filler = join(folder, 'filler');
  return { folder, fill: () => fill(filler), makeRoom: () => rm(filler) };
}

async function fill(path: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (let size = MEBIBYTE; size >= 512; size /= 2) await writeUntilFull(file, Buffer.alloc(size));
  } finally {
    await file.close();
  }
}

async function writeUntilFull(file: Awaited<ReturnType<typeof open>>, block: Buffer): Promise<void> {
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Why system calls cannot be made to fail here; undefined: they can. */
export async function tracingFault(): Promise<string | undefined> {
  return run('strace', ['-e', 'inject=fsync:error=EIO', 'true']).then(
    () => undefined,
    (error: Error) => `strace cannot make system calls fail: ${error.message.split('\n')[0]}`,
  );
}

/**
 * From now on these calls fail in the embedded server of a data directory and in every one that is started after it;
 * returns what ends that.
 */
export function failCalls(
  t: Closing,
  dataDirectory: string,
  calls: string,
  error: 'EIO' | 'ENOSPC',
): () => Promise<void> {
  const stopping = new AbortController();
  const failing = failEveryServer(dataDirectory, calls, error, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await failing;
  };
  atEnd(t, stop);
  return stop;
}

async function failEveryServer(
  dataDirectory: string,
  calls: string,
  error: string,
  signal: AbortSignal,
): Promise<void> {
  const tracers = new Map<number, Promise<unknown>>();
  const options = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`];
  while (!signal.aborted) {
    const pid = (await postmasterOf(dataDirectory))?.pid;
    if (pid !== undefined && !tracers.has(pid)) {
      const pids = (await familyOf(pid)).flatMap((member) => ['-p', String(member.pid)]);
      const inject = ['-e', `inject=${calls}:error=${error}`];
      const tracer = spawn('strace', [...options, ...inject, ...pids], { stdio: 'ignore' });
      signal.addEventListener('abort', () => tracer.kill('SIGTERM'), { once: true });
      tracers.set(pid, once(tracer, 'exit'));
    }
    await pause(systemClock, 10, signal);
  }
  await Promise.all(tracers.values());
}
