// Order of messages about one listing, as their sender states it: late and repeated ones never win over newer ones. Pure.

import { invalidMember, Problem } from '../lib/problem.ts';

/** By a number of the sender, or by its time of the change (RFC 3339). */
export type Order =
  | { readonly kind: 'sequence'; readonly value: number }
  | { readonly kind: 'modifiedAt'; readonly value: string };

/** The last message about a listing that counted. */
export interface LastMessage {
  /** Null: it had none. */
  readonly order: Order | null;
  /** Null: none came yet. */
  readonly digest: Buffer | null;
}

/** `late`: a newer one counted already. `repeated`: this very message did. */
export type Standing = 'newer' | 'late' | 'repeated';

/**
 * How a message stands to the last one that counted. Throws INVALID_BODY if it states no order and that one did, and CONFLICT
 * if the two cannot be compared, or have one place in the order and differ.
 */
export function standingOf(last: LastMessage, order: Order | null, digest: Buffer): Standing {
  if (last.order === null || last.digest === null) return 'newer';
  if (order === null)
    throw invalidMember(`/${last.order.kind}`, 'is missing: an earlier message about this listing had one');
  if (order.kind !== last.order.kind)
    throw new Problem(
      'CONFLICT',
      `Earlier messages about this listing are ordered by ${last.order.kind}: send that, not ${order.kind}.`,
    );
  const [before, now] = [rankOf(last.order), rankOf(order)];
  if (now !== before) return now > before ? 'newer' : 'late';
  if (digest.equals(last.digest)) return 'repeated';
  throw new Problem(
    'CONFLICT',
    `Another message about this listing has the same ${order.kind}, and says something else. Send a greater one.`,
  );
}

const rankOf = (order: Order): number => (order.kind === 'sequence' ? order.value : Date.parse(order.value));

/** Whether a message of this order is newer than a list of that order: then the list says nothing of its listing. */
export function isNewerThan(last: Order | null, list: Order | null): boolean {
  if (last === null || list === null) return false;
  return last.kind !== list.kind || rankOf(last) > rankOf(list);
}
