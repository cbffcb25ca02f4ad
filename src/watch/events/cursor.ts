// Cursor of the event log: a place between two events, opaque to clients.

import { Problem } from '../../lib/problem.ts';
import type { EventPosition } from './event.ts';

/** The place before all events. */
export const OLDEST: EventPosition = { sequence: 0, watcherId: '', type: '', ordinal: 0 };

/** The place after all events of a sequence and before those of the next. */
export const after = (sequence: number): EventPosition => ({ ...OLDEST, sequence: sequence + 1 });

export function formatCursor({ sequence, watcherId, type, ordinal }: EventPosition): string {
  const text = watcherId === '' ? `${sequence}` : `${sequence} ${watcherId} ${type} ${ordinal}`;
  return Buffer.from(text, 'latin1').toString('base64url');
}

const FORM = /^(\d{1,15})(?: ([\w-]{1,60}) ([a-z_.]{1,60}) (\d{1,9}))?$/;

/** The place of a cursor. Throws INVALID_CURSOR for anything that `formatCursor` did not make. */
export function parseCursor(text: string): EventPosition {
  const parts = FORM.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (parts === null || !/^[\w-]+$/.test(text)) throw invalid();
  const [, sequence = '', watcherId = '', type = '', ordinal = '0'] = parts;
  return { sequence: Number(sequence), watcherId, type, ordinal: Number(ordinal) };
}

function invalid(): Problem {
  const detail = 'is not a cursor of this service: send the cursor of an event, page.nextCursor, or now';
  return new Problem('INVALID_CURSOR', `The parameter after ${detail}.`, {
    errors: [{ parameter: 'after', detail }],
  });
}

/** The 410 for a place before what is kept. */
export function cursorExpired(): Problem {
  return new Problem(
    'CURSOR_EXPIRED',
    'Events are kept for 30 days, and some of those after this cursor are gone. Start again without a cursor, at the ' +
      'oldest event, or with after=now; read what you watch again, since you may have missed changes.',
  );
}
