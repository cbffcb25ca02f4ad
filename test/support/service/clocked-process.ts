// Process whose manual clock its parent moves by messages: what both sides of it share.

import type { Closing } from '../database/database.ts';
import {
  followParent as answerParent,
  type ForkedService,
  startForkedService,
} from '../process/forked-service.ts';
import type { ManualClock } from './clock.ts';

/** From the parent: milliseconds by which time goes on. */
interface Advance {
  readonly advance: number;
}

export interface ClockedProcess extends Pick<ForkedService, 'port' | 'kill'> {
  /** Moves the process's clock by milliseconds. */
  advance(milliseconds: number): Promise<void>;
}

/** Starts a program with options as JSON in its first argument; it ends with the test. */
export async function startClockedProcess(
  t: Closing,
  program: string,
  options: object,
): Promise<ClockedProcess> {
  const { port, kill, send } = await startForkedService(t, program, options);
  return {
    port,
    kill,
    async advance(milliseconds) {
      await send({ advance: milliseconds } satisfies Advance);
    },
  };
}

/** In the process: tells where it listens, and moves the clock as the parent says. It ends with the parent. */
export function followParent(clock: ManualClock, port: number): void {
  answerParent(port, (message) => {
    const { advance } = message as Advance;
    clock.advance(advance);
    return { advanced: advance };
  });
}
