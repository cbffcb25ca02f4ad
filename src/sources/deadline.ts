// Owns deadlines on a source: a missed one is a LiveError `timeout`.

import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { LiveError } from './source.ts';

/** Runs the work with a signal that aborts after the milliseconds, or with the signal above it. */
export function withinDeadline<T>(
  clock: Clock,
  milliseconds: number,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = () => new LiveError('timeout', 'The source did not answer in time.');
  return withDeadline({ clock, milliseconds, parent, late }, work);
}
