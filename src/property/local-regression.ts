// Weighted linear regression around one point: coefficients start from prior values, and outliers lose their weight. Pure.

/** One observed value, with its differences from the point in question. */
export interface Observation {
  readonly differences: readonly number[];
  readonly value: number;
  readonly weight: number;
}

/** The expected value of a coefficient, and its strength in units of weight. */
export interface CoefficientPrior {
  readonly prior: number;
  readonly strength: number;
}

export interface LocalFit {
  /** The value at the point itself, where all differences are 0. */
  readonly value: number;
  /** The weighted root mean square of the residuals, outliers with their lowered weight. */
  readonly residual: number;
}

/** A residual of this size halves an observation's weight in the second pass. */
const OUTLIER = 0.2;

/** Fits twice: outliers of the first fit count little in the second. Needs at least one observation of weight above 0. */
export function fitLocally(
  observations: readonly Observation[],
  priors: readonly CoefficientPrior[],
): LocalFit {
  const first = ridge(observations, priors);
  const trusted = observations.map((observation) => ({
    ...observation,
    weight: observation.weight / (1 + (residualOf(observation, first) / OUTLIER) ** 2),
  }));
  const second = ridge(trusted, priors);
  const squares = trusted.reduce((sum, each) => sum + each.weight * residualOf(each, second) ** 2, 0);
  const weights = trusted.reduce((sum, { weight }) => sum + weight, 0);
  return { value: second[0] ?? Number.NaN, residual: Math.sqrt(squares / weights) };
}

/** The intercept, which has no prior, and a coefficient for each difference. */
function ridge(observations: readonly Observation[], priors: readonly CoefficientPrior[]): number[] {
  const size = priors.length + 1;
  const matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  const right = new Array<number>(size).fill(0);
  const add = (row: readonly number[], value: number, weight: number) =>
    row.forEach((left, i) => {
      right[i] = (right[i] ?? 0) + weight * left * value;
      const sums = matrix[i] ?? [];
      row.forEach((other, j) => {
        sums[j] = (sums[j] ?? 0) + weight * left * other;
      });
    });
  for (const { differences, value, weight } of observations) add([1, ...differences], value, weight);
  priors.forEach(({ prior, strength }, at) => {
    add([0, ...priors.map((_, other) => (other === at ? 1 : 0))], prior, strength);
  });
  return solve(matrix, right);
}

function residualOf(
  { differences, value }: Observation,
  [intercept = 0, ...slopes]: readonly number[],
): number {
  return value - differences.reduce((sum, difference, at) => sum + difference * (slopes[at] ?? 0), intercept);
}

/** Solves a symmetric positive definite system by elimination, which needs no pivoting for such a system. */
function solve(matrix: readonly number[][], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  rows.forEach((pivotRow, at) => {
    const pivot = pivotRow[at] ?? 1;
    for (const row of rows.slice(at + 1)) {
      const factor = (row[at] ?? 0) / pivot;
      for (let column = at; column < row.length; column++) {
        row[column] = (row[column] ?? 0) - factor * (pivotRow[column] ?? 0);
      }
    }
  });
  const solution = new Array<number>(rows.length).fill(0);
  for (const [at, row] of [...rows.entries()].toReversed()) {
    const solved = solution.reduce(
      (sum, value, column) => sum + (column > at ? value * (row[column] ?? 0) : 0),
      0,
    );
    solution[at] = ((row.at(-1) ?? 0) - solved) / (row[at] ?? 1);
  }
  return solution;
}
