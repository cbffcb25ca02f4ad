// Order of texts by code points, which is that of their bytes in UTF-8, and of PostgreSQL where the collation is "C".

/**
 * Compares two texts, as a sort needs it. `<` compares units of UTF-16, by which characters beyond U+FFFF come before those from
 * U+E000 on.
 */
export function byCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** Surrogates, which make up characters beyond U+FFFF, come after all other units. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x1_0000 : unit);
