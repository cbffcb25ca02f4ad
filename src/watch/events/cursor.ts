// Cursor of the event log: a position between two events, opaque to clients.

import { Problem } from '../../lib/problem.ts';
import type { EventPosition } from './event.ts';

/** The position before all events. */
const OLDEST: EventPosition = { sequence: 0, watcherId: '', type: '', ordinal: 0 };

/** The position after all events of a sequence and before those of the next. */
export const after = (sequence: number): EventPosition => ({ ...OLDEST, sequence: sequence + 1 });

export function formatCursor({ sequence, watcherId, type, ordinal }: EventPosition): string {
  const text = watcherId === '' ? `${sequence}` : `${sequence} ${watcherId} ${type} ${ordinal}`;
  return Buffer.from(text, 'latin1').toString('base64url');
}

const FORM = /^(\d{1,15})(?: ([\w-]{1,60}) ([a-z_.]{1,60}) (\d{1,9}))?$/;

/**
 * The position that a reader names: a cursor, or the oldest event; null for `now`. Throws INVALID_CURSOR for anything that
 * `formatCursor` did not make.
 * @param name of the parameter or header, for the error
 */
export function parseAfter(text: string | undefined, name = 'after'): EventPosition | null {
  if (text === undefined) return OLDEST;
  return text === 'now' ? null : parseCursor(text, name);
}

export function parseCursor(text: string, name: string): EventPosition {
  const parts = FORM.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (parts === null || !/^[\w-]+$/.test(text)) throw invalid(name);
  const [, sequence = '', watcherId = '', type = '', ordinal = '0'] = parts;
  return { sequence: Number(sequence), watcherId, type, ordinal: Number(ordinal) };
}

const invalid = (parameter: string): Problem =>
  invalidCursor(
    parameter,
    'is not a cursor of this service: send the cursor of an event, page.nextCursor, or now',
  );

export function invalidCursor(parameter: string, detail: string): Problem {
  return new Problem('INVALID_CURSOR', `${parameter} ${detail}.`, { errors: [{ parameter, detail }] });
}

/** How far the log reaches: up to `position` it is complete, up to `droppedThrough` events may be gone. */
export interface LogRange {
  readonly position: number;
  readonly droppedThrough: number;
  /** Whether the cursor is of events that a restored backup does not have. */
  readonly isLost: boolean;
}

/** Throws CURSOR_EXPIRED if events after this cursor may have been dropped, INVALID_CURSOR if the log has not come so far. */
export function requireKept(
  cursor: EventPosition | null,
  { position, droppedThrough, isLost }: LogRange,
  name = 'after',
): void {
  if (cursor === null) return;
  if (isLost)
    throw new Problem(
      'CURSOR_EXPIRED',
      'The service was restored from a backup that is older than this cursor: events after it may be lost. Start again ' +
        'without a cursor, at the oldest event, or with after=now; read what you watch again, since you may have missed changes.',
    );
  if (cursor.sequence > position + 1)
    throw invalidCursor(
      name,
      'is ahead of the newest event: it is from another service, or from before a backup was restored; start again without it',
    );
  if (cursor.sequence === 0 || cursor.sequence > droppedThrough) return;
  throw new Problem(
    'CURSOR_EXPIRED',
    'Events are kept for 30 days, and some of those after this cursor are gone. Start again without a cursor, at the ' +
      'oldest event, or with after=now; read what you watch again, since you may have missed changes.',
  );
}
