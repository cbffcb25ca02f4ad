// Request ids: random, so that they reveal nothing and never collide between processes.

import { randomBytes } from 'node:crypto';

/** Twelve bytes are sixteen characters of base64, with nothing left over. */
const BYTES = 12;
const CHARACTERS = 16;
const AT_ONCE = 256;
let drawn = '';
let used = 0;

/** `req_` and 16 random characters. They are drawn and written out for many at once, which is what makes them cheap. */
export function newRequestId(): string {
  if (used === drawn.length) {
    drawn = randomBytes(BYTES * AT_ONCE).toString('base64url');
    used = 0;
  }
  used += CHARACTERS;
  return `req_${drawn.slice(used - CHARACTERS, used)}`;
}
