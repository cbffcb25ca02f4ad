// Terms of the full-text index: the letters of the fields that words stand in, and the marks for areas and types.

/**
 * The letter before a word that stands in a field. A word of the other three is also kept without a letter; with that of the
 * description only where it stands in the address or in names of places as well.
 */
export const FIELD_LETTERS = { id: 'A', address: 'B', area: 'C', description: 'D' } as const;

/** What stands for an area among the words of the listings in it. */
export const areaWord = (areaNo: number): string => `#${areaNo}`;

/** What stands among the words of every active listing of this type that may be shown. */
export const activeWord = (listingType: string): string => `=${listingType}`;
