// Stops of a processor: when it ran no program at all, as a virtual one does while its host does something else. The kernel
// counts such a stop as time of the program that it fell upon. Work of the kernel that nothing may interrupt looks the same.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Microseconds on the monotonic clock of the system. */
export interface Stop {
  readonly begun: number;
  readonly ended: number;
}

export interface WatchedProcessor {
  /** Those of two milliseconds and more, as they come. */
  readonly stops: readonly Stop[];
  end(): void;
}

/** Before ordinary programs, of which none has a priority of this kind. */
const PRIORITY = 50;

/** Null where this user may not put one program before all others. */
export function watchProcessor(processor: number): Promise<WatchedProcessor | null> {
  const stops: Stop[] = [];
  const child = spawn(
    'chrt',
    [
      '--fifo',
      `${PRIORITY}`,
      'taskset',
      '-c',
      `${processor}`,
      process.execPath,
      join(import.meta.dirname, 'heartbeat.ts'),
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', () => resolve(null));
    createInterface(child.stdout).on('line', (line) => {
      if (line === 'ready') return resolve({ stops, end });
      const [begun = 0, ended = 0] = line.split(' ').map(Number);
      stops.push({ begun, ended });
    });
  });
}

/** How many microseconds of this time a processor stood. */
export const stoppedIn = ({ begun, ended }: Stop, stops: readonly Stop[]): number =>
  stops.reduce(
    (sum, stop) => sum + Math.max(0, Math.min(ended, stop.ended) - Math.max(begun, stop.begun)),
    0,
  );
