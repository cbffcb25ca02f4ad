// Command `freehold` as an operator runs it: its own process, in a folder of its own, with a given environment.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { atEnd, type Closing } from '../database/database.ts';

export const LAUNCHER = join(import.meta.dirname, '../../../bin/freehold.js');
/** All that a command gets of the environment of the tests. */
export const INHERITED = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

export interface CliOptions {
  /** Where it runs; the configuration's `.env` would be read from here. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The Node that runs the launcher; this one when absent. */
  readonly node?: string;
}

export interface CliRun {
  readonly pid: number;
  /** What it has written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<CliEnd>;
}

export interface CliEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a command line; killed at the latest when the test ends. */
export function startCli(t: Closing, args: readonly string[], options: CliOptions): CliRun {
  const child = spawn(options.node ?? process.execPath, [LAUNCHER, ...args], {
    cwd: options.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...INHERITED, SOURCE: 'none', LOG_LEVEL: 'warn', ...options.environment },
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.stderr += chunk.toString();
  });
  const ended = new Promise<CliEnd>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...texts }));
  });
  atEnd(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    kill: (signal) => child.kill(signal),
    ended,
  };
}

/** The address in the record by which a service says that it is ready; undefined until then. */
export function readyUrl(stdout: string): string | undefined {
  return /"event":"ready","url":"([^"]+)"/.exec(stdout)?.[1];
}

/** Runs a command line to its end. */
export function runCli(t: Closing, args: readonly string[], options: CliOptions): Promise<CliEnd> {
  return startCli(t, args, options).ended;
}
