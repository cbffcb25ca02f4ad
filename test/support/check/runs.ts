// Number of runs of a property: a few fixed cases in every run, or as many random ones as CHAOS_RUNS asks for.

const randomRuns = Number(process.env.CHAOS_RUNS ?? 0);

/** Options for fast-check; a random run tells its seed when it fails. */
export function runs(usual: number, seed: number): { numRuns: number; seed?: number; verbose?: number } {
  return randomRuns > 0 ? { numRuns: randomRuns, verbose: 1 } : { numRuns: usual, seed };
}
