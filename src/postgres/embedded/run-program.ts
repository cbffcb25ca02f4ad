// Run of one of PostgreSQL's programs to its end, as the user of the cluster.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Binaries, binariesEnvironment } from './binaries.ts';
import type { ServerUser } from './server-user.ts';

export interface ProgramRun {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  /** Without its folder. */
  readonly program: string;
  readonly args: readonly string[];
  /** What it reads from standard input. */
  readonly input: string;
}

/** Resolves with what it wrote to standard error; throws that where its exit code is not 0. */
export async function runProgram({ binaries, user, program, args, input }: ProgramRun): Promise<string> {
  const path = join(binaries.native, 'bin', program);
  const env = binariesEnvironment(binaries);
  const child = spawn(path, args, { ...user, env, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.on('error', () => {}); // The exit code tells more than a broken pipe.
  child.stdin.end(input);
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${path} failed (${code}): ${complaint.trim().slice(-2000)}`);
  return complaint;
}
