// Smooth noise: the irregularity of coasts, borders and desirability.
import { mix } from '../../random.ts';

const DIRECTIONS = 256;
const COSINES = Float64Array.from({ length: DIRECTIONS }, (_, i) => Math.cos((i / DIRECTIONS) * 2 * Math.PI));
const SINES = Float64Array.from({ length: DIRECTIONS }, (_, i) => Math.sin((i / DIRECTIONS) * 2 * Math.PI));

function slope(ix: number, iy: number, seed: number, dx: number, dy: number): number {
  const direction = mix(Math.imul(ix, 0x27d4eb2d) ^ Math.imul(iy, 0x165667b1) ^ seed) % DIRECTIONS;
  return (COSINES[direction] ?? 0) * dx + (SINES[direction] ?? 0) * dy;
}

const fade = (t: number): number => t * t * t * (t * (t * 6 - 15) + 10);

/** Gradient noise, about -0.7 to 0.7, with features one unit apart. */
export function noise(x: number, y: number, seed: number): number {
  const ix = Math.floor(x);
  const iy = Math.floor(y);
  const dx = x - ix;
  const dy = y - iy;
  const u = fade(dx);
  const v = fade(dy);
  const south = slope(ix, iy, seed, dx, dy) * (1 - u) + slope(ix + 1, iy, seed, dx - 1, dy) * u;
  const north =
    slope(ix, iy + 1, seed, dx, dy - 1) * (1 - u) + slope(ix + 1, iy + 1, seed, dx - 1, dy - 1) * u;
  return south * (1 - v) + north * v;
}

/** Octaves of noise, each twice as fine, half as strong and turned, so that the lattice does not show. */
export function fractalNoise(x: number, y: number, seed: number, octaves: number): number {
  let sum = 0;
  let strength = 1;
  let u = 0.8 * x - 0.6 * y;
  let v = 0.6 * x + 0.8 * y;
  for (let octave = 0; octave < octaves; octave += 1) {
    sum += strength * noise(u, v, seed + octave * 101);
    strength /= 2;
    [u, v] = [1.6 * u - 1.2 * v, 1.2 * u + 1.6 * v];
  }
  return sum;
}
