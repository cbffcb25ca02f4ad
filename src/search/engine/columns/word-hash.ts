// Hashes of words, by which the engine tells them apart: 53 bits, so that among ten million words two share one hash with a
// chance of one in two hundred, and a search is concerned only if it asks for one of those two. It then finds the listings with
// either: too many, never too few. A comparison with PostgreSQL that meets such a search takes the engine out of use.

/** The hash of bytes of UTF-8 from `from` up to and without `end`: a whole number below 2^53. */
export function hashBytes(bytes: Uint8Array, from: number, end: number): number {
  let high = 0x811c_9dc5;
  let low = 0x9e37_79b9;
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    high = Math.imul(high ^ byte, 0x0100_0193);
    low = Math.imul(low ^ byte, 0x85eb_ca6b) ^ (low >>> 15);
  }
  return (scatter(high ^ low) >>> 11) * 2 ** 32 + (scatter(low + Math.imul(high, 31)) >>> 0);
}

/** Lets each bit depend on all others. */
function scatter(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

/** The hash of a word. */
export function hashWord(word: string): number {
  const bytes = Buffer.from(word);
  return hashBytes(bytes, 0, bytes.length);
}
