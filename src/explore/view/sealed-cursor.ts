// Sealed cursors of views: how many rows of the list came before, and the cursor of the search, with a seal of both.

import { createHmac } from 'node:crypto';
import { invalidCursor } from '../../http/input/cursor.ts';
import { equalSecrets } from '../../lib/secrets.ts';

export interface ListPosition {
  /** Rows of the list before this page. */
  readonly rowsBefore: number;
  /** As searches take it; it belongs to one query. */
  readonly searchCursor: string;
}

/** The cursor of a view. `key`: of all processes. */
export function sealCursor(key: Buffer, { rowsBefore, searchCursor }: ListPosition): string {
  const text = `${rowsBefore}.${searchCursor}`;
  return `${text}.${sealOf(key, text)}`;
}

/** Throws INVALID_CURSOR for anything that was not sealed with this key. Whether it belongs to the view shows when it is searched. */
export function openCursor(key: Buffer, cursor: string): ListPosition {
  const [, text = '', rowsBefore, searchCursor, seal] = /^((\d+)\.([\w-]+))\.([\w-]+)$/.exec(cursor) ?? [];
  if (searchCursor === undefined || seal === undefined || !equalSecrets(seal, sealOf(key, text)))
    throw invalidCursor('this service did not issue it');
  return { rowsBefore: Number(rowsBefore), searchCursor };
}

const sealOf = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);
