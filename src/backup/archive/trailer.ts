// Trailer of the compressed data: a frame that readers of zstd skip, with the SHA-256 of everything before it.
//
// The checksums of zstd and tar leave out parts of their own headers and padding. This one leaves out nothing.

import { createHash } from 'node:crypto';
import { ArchiveDamaged, ArchiveTruncated } from './archive-error.ts';

/** A skippable frame (RFC 8878, section 3.1.2): its magic number, the bytes that follow, and ours. */
const PREFIX = Buffer.concat([
  Buffer.from([0x50, 0x2a, 0x4d, 0x18]),
  Buffer.from([40, 0, 0, 0]),
  Buffer.from('freehold'),
]);
const TRAILER_BYTES = PREFIX.length + 32;

/** The same bytes with the trailer. */
export async function* withTrailer(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.concat([PREFIX, hash.digest()]);
}

/** The bytes before the trailer. Throws at the end ArchiveTruncated if there is none, ArchiveDamaged if it is of other bytes. */
export async function* checkTrailer(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let end = Buffer.alloc(0);
  for await (const chunk of source) {
    const bytes = Buffer.concat([end, chunk]);
    const before = bytes.subarray(0, Math.max(0, bytes.length - TRAILER_BYTES));
    end = bytes.subarray(before.length);
    if (before.length === 0) continue;
    hash.update(before);
    yield before;
  }
  if (end.length < TRAILER_BYTES || !end.subarray(0, PREFIX.length).equals(PREFIX))
    throw new ArchiveTruncated();
  if (!hash.digest().equals(end.subarray(PREFIX.length)))
    throw new ArchiveDamaged('its checksum is that of other bytes');
}
