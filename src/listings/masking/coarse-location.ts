// Coarse location of a home whose address is withheld.

/** Degrees kept of a withheld address: two decimals, about a kilometre. */
export const coarseDegrees = (degrees: number): number => Math.round(degrees * 100) / 100;
