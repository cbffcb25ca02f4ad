// Words of listings that the engine holds: all but those that say what columns say.

/** Areas begin with `#`; words with `=` are left of releases that marked listings that are active. */
const NUMBER_SIGN = 0x23;
const EQUALS_SIGN = 0x3d;

/** Whether words of listing_text with this first character are held; of an empty word it is NaN. */
export const isHeldWord = (first: number | undefined): boolean =>
  first !== NUMBER_SIGN && first !== EQUALS_SIGN;
