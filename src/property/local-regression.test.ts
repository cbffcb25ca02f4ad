// Proves the regression on lines that are known, and against an independent search for the least sum of squares.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CoefficientPrior, fitLocally, type Observation } from './local-regression.ts';

const FREE: CoefficientPrior = { prior: 0, strength: 1e-9 };
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

test('a plane is found again from points on it, whatever their weights', () => {
  const point = fc.record({ x: number(-3, 3), y: number(-3, 3), weight: number(0.1, 5) });
  const spread = [
    { x: 0, y: 0, weight: 1 },
    { x: 1, y: 0, weight: 1 },
    { x: 0, y: 1, weight: 1 },
  ];
  fc.assert(
    fc.property(
      fc.array(point, { maxLength: 20 }),
      number(-5, 5),
      number(-2, 2),
      number(-2, 2),
      (points, c, a, b) => {
        const observations = [...points, ...spread].map(({ x, y, weight }) => ({
          differences: [x, y],
          value: c + a * x + b * y,
          weight,
        }));
        const { value, residual } = fitLocally(observations, [FREE, FREE]);
        assert.ok(Math.abs(value - c) < 1e-5, `${value} is not ${c}`);
        assert.ok(residual < 1e-5);
      },
    ),
  );
});

test('no other intercept and slope leave a smaller penalised sum of squares', () => {
  const observation = fc.record({ x: number(-2, 2), value: number(-0.01, 0.01), weight: number(0.1, 3) });
  fc.assert(
    fc.property(
      fc.array(observation, { minLength: 1, maxLength: 12 }),
      fc.record({ prior: number(-0.01, 0.01), strength: number(0.1, 4) }),
      (points, prior) => {
        // Residuals this small leave the weights as they are, so that one penalised sum is what both passes minimise.
        const observations = points.map(({ x, ...rest }) => ({ ...rest, differences: [x] }));
        const { value } = fitLocally(observations, [prior]);
        const best = (intercept: number) => penalisedMinimum(observations, prior, intercept);
        assert.ok(best(value) <= best(value + 0.001) + 1e-9 && best(value) <= best(value - 0.001) + 1e-9);
      },
    ),
  );
});

/** The least penalised sum of squares with this intercept, over a search of slopes. */
function penalisedMinimum(
  observations: readonly Observation[],
  prior: CoefficientPrior,
  intercept: number,
): number {
  const sum = (slope: number) =>
    observations.reduce(
      (total, { differences: [x = 0], value, weight }) =>
        total + weight * (value - intercept - slope * x) ** 2,
      prior.strength * (slope - prior.prior) ** 2,
    );
  let [low, high] = [-1, 1];
  for (let step = 0; step < 100; step++) {
    const third = (high - low) / 3;
    if (sum(low + third) < sum(high - third)) high -= third;
    else low += third;
  }
  return sum((low + high) / 2);
}

test('one value far off moves the fit less than its share, and unseen differences rest on their priors', () => {
  const alike = Array.from({ length: 9 }, () => ({ differences: [0], value: 10, weight: 1 }));
  const { value } = fitLocally([...alike, { differences: [0], value: 12, weight: 1 }], [FREE]);
  assert.ok(value > 10 && value < 10.02, `${value} follows the outlier`);
  const shifted = fitLocally([{ differences: [2], value: 11, weight: 1 }], [{ prior: 0.5, strength: 1 }]);
  assert.ok(Math.abs(shifted.value - 10) < 1e-9);
});
