// Command `freehold` as an operator runs it, in a folder of its own, with a given environment: as a process, or in this one.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { main } from '../../../src/cli/main.ts';
import { atEnd, type Closing } from '../database/database.ts';

export const LAUNCHER = join(import.meta.dirname, '../../../bin/freehold.js');
/** All that a process gets of the environment of the tests. No load balancer is in front of it. */
export const INHERITED = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  DRAIN_SECONDS: '0',
};

export interface CommandOptions {
  /** Where it runs; the configuration's `.env` would be read from here. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface CliOptions extends CommandOptions {
  /** The Node that runs the launcher; this one when absent. */
  readonly node?: string;
  /** That of another checkout; this one's when absent. */
  readonly launcher?: string;
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
  const child = spawn(options.node ?? process.execPath, [options.launcher ?? LAUNCHER, ...args], {
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

let running: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line to its end in this process, which saves the start of another one: for tests of what a command does,
 * not of its process. One at a time, since its environment, folder and output are the process's.
 */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<CliEnd> {
  const before = running;
  const { promise, resolve } = Promise.withResolvers<void>();
  running = promise;
  await before;
  try {
    return await runHere(args, options);
  } finally {
    resolve();
  }
}

async function runHere(args: readonly string[], { folder, environment }: CommandOptions): Promise<CliEnd> {
  const { env, exitCode } = process;
  const before = process.cwd();
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  const forget = rememberListeners();
  process.env = { PATH: env.PATH, SOURCE: 'none', LOG_LEVEL: 'warn', ...environment };
  process.chdir(folder);
  process.exitCode = undefined;
  try {
    await main(args);
    return {
      code: Number(process.exitCode ?? 0),
      signal: null,
      stdout: stdout.text(),
      stderr: stderr.text(),
    };
  } finally {
    process.env = env;
    process.chdir(before);
    process.exitCode = exitCode;
    stdout.end();
    stderr.end();
    forget();
  }
}

/** The function that it gives removes whoever has begun to listen meanwhile: a command does until its process would end. */
function rememberListeners(): () => void {
  const listened = [
    ...['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => ({ emitter: process as NodeJS.EventEmitter, name })),
    { emitter: process.stdout as NodeJS.EventEmitter, name: 'error' },
  ].map((each) => ({ ...each, before: each.emitter.rawListeners(each.name) }));
  return () => {
    for (const { emitter, name, before } of listened)
      for (const listener of emitter.rawListeners(name))
        if (!before.includes(listener)) emitter.off(name, listener as () => void);
  };
}

/** Keeps the text that is written to a stream; the test runner writes bytes, which pass. */
function capture(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  const write = stream.write;
  const pieces: string[] = [];
  stream.write = ((piece: string | Uint8Array, ...rest: never[]) => {
    if (typeof piece !== 'string') return write.call(stream, piece, ...rest);
    pieces.push(piece);
    return true;
  }) as typeof write;
  return {
    text: () => pieces.join(''),
    end() {
      stream.write = write;
    },
  };
}
