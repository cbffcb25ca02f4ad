// Growth of what was measured again and again: the line with the least squares, and the standard error of its slope.

export interface Growth {
  readonly slope: number;
  readonly error: number;
}

export function growth(points: readonly (readonly [time: number, value: number])[]): Growth {
  const count = points.length;
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / count;
  const [time, value] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - time) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - time) * (y - value), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - value - slope * (x - time)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (count - 2) / spread) };
}
