// Log file of the embedded server, rotated by size: at most two files.
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import type { Clock } from '../../lib/clock.ts';

const LIMIT = 8 * 1024 * 1024;
const CHECK_EVERY = 60_000;

export interface ServerLog {
  /** The server writes here itself, so that its words outlive us. */
  readonly descriptor: number;
  /** What was written since this offset, at most the last few thousand characters. */
  tail(offset: number): string;
  size(): number;
  close(): void;
}

/** Opens the log for appending and keeps it within its limit for as long as it is open. */
export function openServerLog(path: string, clock: Clock): ServerLog {
  const descriptor = openSync(path, 'a+', 0o600);
  let cancel = () => {};
  const check = () => {
    keepWithinLimit(path, descriptor);
    cancel = clock.after(CHECK_EVERY, check);
  };
  check();
  return {
    descriptor,
    size: () => fstatSync(descriptor).size,
    tail: (offset) => readFileSync(path).subarray(offset).toString('utf8').slice(-4000),
    close() {
      cancel();
      closeSync(descriptor);
    },
  };
}

/** Copied and emptied instead of renamed: the server keeps its own descriptor on the file. */
function keepWithinLimit(path: string, descriptor: number): void {
  if (fstatSync(descriptor).size < LIMIT) return;
  copyFileSync(path, `${path}.1`);
  ftruncateSync(descriptor, 0);
}
