// Renewal of a lease while long work is done.

import type { Clock } from '../../lib/clock.ts';
import type { WorkLease } from './work-lease.ts';

/** Milliseconds between two renewals. */
const RENEWAL = 5_000;

/** Renews a lease until it is stopped, or somebody else has it. */
export function keepLease(
  lease: Pick<WorkLease, 'acquire'>,
  clock: Clock,
  onLost: () => void,
): { stop(): void } {
  let isStopped = false;
  let cancel = (): void => {};
  const renew = async (): Promise<void> => {
    // While the database is away nobody else can take it either.
    const isHeld = await lease.acquire().catch(() => true);
    if (isStopped) return;
    if (isHeld) schedule();
    else onLost();
  };
  const schedule = (): void => {
    cancel = clock.after(RENEWAL, () => void renew());
  };
  schedule();
  return {
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
