// Feeder of the log of changes, in a process of its own.

import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Testbed } from '../testbed.ts';

export type FeederOrder = { readonly kind: 'start'; readonly rate: number } | { readonly kind: 'stop' };
export type FeederAnswer =
  | { readonly kind: 'started' }
  /** How many changes were matched. */
  | { readonly kind: 'stopped'; readonly changesPerSecond: number };

export interface Feeder {
  /** Starts to append so many changes a second, or as many as are matched if those are fewer. */
  start(rate: number): Promise<void>;
  /** Stops, and waits until all are matched. Returns how many changes a second were matched. */
  stop(): Promise<number>;
  close(): void;
}

export function startFeeder({ databaseUrl }: Testbed): Feeder {
  const child = fork(join(import.meta.dirname, 'feeder-child.ts'), {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  const order = (message: FeederOrder): Promise<FeederAnswer> => {
    const { promise, resolve, reject } = Promise.withResolvers<FeederAnswer>();
    child.once('message', resolve).once('exit', reject);
    child.send(message);
    return promise.finally(() => child.off('message', resolve).off('exit', reject));
  };
  return {
    async start(rate) {
      await order({ kind: 'start', rate });
    },
    async stop() {
      const answer = await order({ kind: 'stop' });
      return answer.kind === 'stopped' ? answer.changesPerSecond : Number.NaN;
    },
    close: () => child.disconnect(),
  };
}
