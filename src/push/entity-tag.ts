// Entity tags of pushed listings: the version of the listing, and which message it was that last counted. Pure.

import { hash } from 'node:crypto';
import type { StoredMessage } from './push-store.ts';

/**
 * A strong tag: it changes with whatever `GET` of the listing shows. The version alone does not say that, since a message that
 * changes nothing of the listing still moves its place in the sender's order.
 */
export function etagOf(
  version: number,
  message: Pick<StoredMessage, 'digest' | 'order' | 'receivedAt'>,
): string {
  const { digest, order, receivedAt } = message;
  const parts = [
    digest?.toString('base64url'),
    order?.kind,
    order?.kind === 'modifiedAt' ? Date.parse(order.value) : order?.value,
    receivedAt === null ? '' : Date.parse(receivedAt),
  ];
  return `"${version}.${hash('sha256', parts.join(' '), 'base64url').slice(0, 16)}"`;
}
