// Owns the names of requests: random, so that they tell nothing and never collide between processes.

import { randomFillSync } from 'node:crypto';

const BYTES = 12;
const pool = Buffer.alloc(BYTES * 256);
let used = pool.length;

/** `req_` and 16 random characters. Randomness is drawn for many at once, which is what makes it cheap. */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return `req_${pool.toString('base64url', used - BYTES, used)}`;
}
