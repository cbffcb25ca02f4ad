// Process whose manual clock its parent moves by messages: what both sides of it share.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { atEnd, type Closing } from '../database/database.ts';
import type { ManualClock } from './clock.ts';

/** From the parent: milliseconds by which time goes on. Answered by `advanced`. */
interface Advance {
  readonly advance: number;
}

/** To the parent: first where the service listens, then each move of the clock. */
type ClockedMessage = { readonly port: number } | { readonly advanced: number };

export interface ClockedProcess {
  readonly port: number;
  /** Moves the process's clock by milliseconds. */
  advance(milliseconds: number): Promise<void>;
  /** Kills it at once. */
  kill(): Promise<void>;
}

/** Starts a program with options as JSON in its first argument; it ends with the test. */
export async function startClockedProcess(
  t: Closing,
  program: string,
  options: object,
): Promise<ClockedProcess> {
  const child = fork(program, [JSON.stringify(options)]);
  const ended = once(child, 'exit');
  atEnd(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const started = await message(child);
  if (!('port' in started)) throw new Error('The process did not say where it listens');
  return {
    port: started.port,
    async advance(milliseconds) {
      child.send({ advance: milliseconds } satisfies Advance);
      await message(child);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The next message; rejects when the process ends without one, as it does when its port was taken meanwhile. */
async function message(child: ChildProcess): Promise<ClockedMessage> {
  const abort = new AbortController();
  const { signal } = abort;
  try {
    const [received] = (await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code, reason]) => {
        throw new Error(`The process ended (${code ?? reason}) without an answer`);
      }),
    ])) as [ClockedMessage];
    return received;
  } finally {
    abort.abort();
  }
}

/** In the process: tells where it listens, and moves the clock as the parent says. It ends with the parent. */
export function followParent(clock: ManualClock, port: number): void {
  const tell = (told: ClockedMessage) => process.send?.(told);
  process.on('message', ({ advance }: Advance) => {
    clock.advance(advance);
    tell({ advanced: advance });
  });
  process.on('disconnect', () => process.exit(0));
  tell({ port });
}
