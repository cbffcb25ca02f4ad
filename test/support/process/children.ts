// Processes that tests start: line by line output, and an end that is awaited.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atEnd, type Closing } from '../database/database.ts';

export interface Child {
  readonly pid: number;
  /** The next line of its output; undefined once it has ended. */
  line(): Promise<string | undefined>;
  /** Every line from now to its end. */
  rest(): Promise<string[]>;
  /** Sends it a line of input. */
  tell(line: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Tells it, through its input, to come to an end. */
  finish(): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

/** Starts a program, by its path below test/support, with this Node; killed at the latest when the test ends. */
export function startProgram(
  t: Closing,
  program: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Child {
  const path = join(import.meta.dirname, '..', program);
  const child = spawn(process.execPath, [path, ...args], { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  // A child that has died is told things in vain.
  child.stdin?.on('error', () => {});
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  atEnd(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines = linesOf(child);
  return {
    pid: child.pid ?? 0,
    line: async () => (await lines.next()).value,
    rest: async () => Array.fromAsync({ [Symbol.asyncIterator]: () => lines }),
    kill: (signal) => child.kill(signal),
    tell: (line) => child.stdin?.write(`${line}\n`),
    async finish() {
      child.stdin?.end();
      return ended;
    },
    ended,
  };
}

function linesOf(child: ChildProcess): AsyncIterator<string, undefined> {
  if (child.stdout === null) throw new Error('The child has no output');
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}
