// Service in a process of its own, which its parent asks by messages and may stop, kill or let go on.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { atEnd, type Closing } from '../database/database.ts';

export interface ForkedService {
  readonly port: number;
  /** Sends a message, and gives the answer to it. */
  send(message: object): Promise<unknown>;
  /** Such as SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void;
  /** Kills it at once. */
  kill(): Promise<void>;
}

/** Starts a program with options as JSON in its first argument, which calls `followParent`; it ends with the test. */
export async function startForkedService(
  t: Closing,
  program: string,
  options: object,
): Promise<ForkedService> {
  const child = fork(program, [JSON.stringify(options)]);
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  atEnd(t, kill);
  const answer = async (): Promise<unknown> => (await once(child, 'message'))[0];
  const { port } = (await answer()) as { readonly port?: number };
  if (port === undefined) throw new Error('The process did not say where it listens');
  return {
    port,
    send(message) {
      child.send(message);
      return answer();
    },
    signal: (signal) => void child.kill(signal),
    kill,
  };
}

/** In the process: says where it listens, and answers messages. It ends with the parent. */
export function followParent(port: number, answer: (message: object) => object): void {
  process.on('message', (message: object) => process.send?.(answer(message)));
  process.on('disconnect', () => process.exit(0));
  process.send?.({ port });
}
