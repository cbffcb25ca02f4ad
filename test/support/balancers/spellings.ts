// Spellings of one key that the service takes for the same: schemes and keys in any case, spaces in any number.

/** Nine values of the Authorization header for one key. */
export function spellingsOf(key: string): readonly string[] {
  const mixed = [...key.toLowerCase()].map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter));
  return [
    `Bearer ${key}`,
    `bearer ${key}`,
    `BEARER ${key}`,
    `bEaReR ${key}`,
    `Bearer   ${key}`,
    `  Bearer ${key}  `,
    `Bearer ${key.toLowerCase()}`,
    `bearer  ${mixed.join('')}`,
    `\tBearer ${key}\t`,
  ];
}
