// Ends of a process that does work for all, and how it comes back: what tests of takeovers do to it.

import type { FaultProxy } from '../network/fault-proxy.ts';
import type { Child } from './children.ts';

export const FAULTS = ['kill -9', 'kill -STOP', 'black hole'] as const;
export type ProcessFault = (typeof FAULTS)[number];

/** Ends a process whose database is behind this proxy; the function that it gives lets it go on, unless it is dead. */
export async function endByFault(fault: ProcessFault, child: Child, proxy: FaultProxy): Promise<() => void> {
  if (fault === 'black hole') {
    proxy.set('blackhole');
    return () => proxy.set('pass');
  }
  child.kill(fault === 'kill -9' ? 'SIGKILL' : 'SIGSTOP');
  if (fault === 'kill -9') await child.ended;
  return () => void child.kill('SIGCONT');
}
