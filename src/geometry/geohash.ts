// Geohashes: cells of a grid on the Earth, finer with each letter. Pure.

const LETTERS = '0123456789bcdefghjkmnpqrstuvwxyz';

/** How many letters a cell has that is about a quarter of a map's tile at this zoom (0 to 20). */
export function lettersAt(zoom: number): number {
  return Math.min(12, Math.max(1, Math.round((zoom + 2) * 0.4)));
}

/** Bits of a cell's column and row. Letters hold five bits, columns and rows in turn, columns first. */
export function bitsOf(letters: number): { readonly lng: number; readonly lat: number } {
  return { lng: Math.ceil((letters * 5) / 2), lat: Math.floor((letters * 5) / 2) };
}

/** The geohash of the cell in this column from the west and row from the south. */
export function geohashOf(column: number, row: number, letters: number): string {
  const bits = bitsOf(letters);
  let [left, below] = [bits.lng, bits.lat];
  let text = '';
  let letter = 0;
  for (let bit = 0; bit < letters * 5; bit += 1) {
    const even = bit % 2 === 0;
    const place = even ? --left : --below;
    // Columns reach past 31 bits at twelve letters, where shifting would go wrong.
    const value = Math.floor((even ? column : row) / 2 ** place) % 2;
    letter = letter * 2 + value;
    if (bit % 5 === 4) {
      text += LETTERS[letter];
      letter = 0;
    }
  }
  return text;
}
