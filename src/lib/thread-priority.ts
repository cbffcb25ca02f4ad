// Priority of threads and processes: work that nobody waits for gives way to what somebody waits for.

import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/**
 * Lets the other threads go before the one that calls this, which still gets a tenth of a processor that is busy.
 * Only Linux knows priorities of single threads; elsewhere, and where /proc is hidden, nothing changes.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, Math.max(getPriority(thread), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // The work is done all the same.
  }
}

/** The same of a process on this machine, if this user may change it. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.max(getPriority(pid), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // The work is done all the same.
  }
}
