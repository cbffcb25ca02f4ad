// Window of the changes that a round reads: as far back as servers publish late, but no mass update twice too often. Pure.

import type { Position } from '../../source.ts';

/** What a position says of the rounds before. */
export interface ChangeWindow {
  /** The greatest watermark that was read. */
  readonly since: string;
  /** Everything up to this watermark has been read for good; null: nothing is sure. */
  readonly floor: string | null;
  /** The greatest watermark of a large round that is to be read once more; null: there is none. */
  readonly pending: string | null;
  /** When that round ended, in milliseconds since the epoch. */
  readonly pendingAt: number | null;
}

/** What a round reads. */
export interface Round {
  readonly from: string;
  /** Whether it reads again what may have been published late. */
  readonly isWide: boolean;
}

/** Pages from which on a round is large: what it read is not read again with each round. */
export const LARGE_ROUND = 5;

const textOr = (value: Position[string] | undefined): string | null =>
  typeof value === 'string' ? value : null;

/** `now` since the epoch: what ended later ended while our clock was ahead, and counts as ended now. */
export function windowOf(position: Position, since: string, now: number): ChangeWindow {
  const { pendingAt } = position;
  return {
    since,
    floor: textOr(position.floor),
    pending: textOr(position.pending),
    pendingAt: typeof pendingAt === 'number' ? Math.min(pendingAt, now) : null,
  };
}

/** `overlap` in milliseconds, `now` since the epoch. */
export function roundOf(
  { since, floor, pending, pendingAt }: ChangeWindow,
  overlap: number,
  now: number,
): Round {
  if (pending !== null && now < (pendingAt ?? 0) + overlap) return { from: after(since), isWide: false };
  const start = Math.max(0, Math.min(Date.parse(since), Date.parse(pending ?? since)) - overlap);
  const settled = floor === null ? Number.NEGATIVE_INFINITY : Date.parse(floor) + 1;
  return { from: new Date(Math.max(start, settled)).toISOString(), isWide: true };
}

/** The window after a round that has read `pages` pages, and all watermarks up to `since`. */
export function afterRound(
  before: ChangeWindow,
  { isWide, pages, since, now }: { isWide: boolean; pages: number; since: string; now: number },
): ChangeWindow {
  const isLarge = pages > LARGE_ROUND;
  if (!isWide) return { ...before, since };
  // A large window that was read a second time, after everything late had come, is not read again.
  const floor = before.pending ?? before.floor;
  return isLarge
    ? { since, floor, pending: since, pendingAt: now }
    : { since, floor, pending: null, pendingAt: null };
}

const after = (moment: string): string => new Date(Date.parse(moment) + 1).toISOString();
