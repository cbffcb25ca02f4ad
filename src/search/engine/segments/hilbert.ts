// Hilbert curve over the Earth: a number for each place, such that places with close numbers lie close together.

/** Bits of each axis: cells of about two metres. */
const BITS = 24;
const SIDE = 2 ** BITS;

/** Above the key of every place. */
export const BEYOND_CURVE = SIDE * SIDE;

/** The distance along the curve to a place in degrees, an integer from 0 to below BEYOND_CURVE. */
export function hilbertKey(lng: number, lat: number): number {
  let x = cell((lng + 180) / 360);
  let y = cell((lat + 90) / 180);
  let [high, low] = [0, 0];
  for (let bit = BITS - 1; bit >= 0; bit--) {
    const right = (x >>> bit) & 1;
    const upper = (y >>> bit) & 1;
    const quadrant = (3 * right) ^ upper;
    if (bit >= BITS / 2) high = (high << 2) | quadrant;
    else low = (low << 2) | quadrant;
    if (upper === 1) continue;
    // Each quarter holds the curve turned or mirrored. Bits above this one were used and do not matter any more.
    const turned = right === 1 ? ~x : x;
    x = right === 1 ? ~y : y;
    y = turned;
  }
  return high * SIDE + low;
}

const cell = (share: number): number => Math.min(SIDE - 1, Math.max(0, Math.floor(share * SIDE)));
