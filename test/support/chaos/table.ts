// Printed table of a chaos run: a row for each promise with its figure, and an exit code that tells of any break.

export interface Row {
  /** The promise's number. */
  readonly promise: string;
  readonly tried: string;
  readonly figure: string;
  readonly passed: boolean;
}

/** What tests give to whoever has something to end; here it is ended at the end of the whole run. */
export interface Endings {
  readonly closing: { after(callback: () => Promise<void>): void };
  end(): Promise<void>;
}

export function endings(): Endings {
  const callbacks: (() => Promise<void>)[] = [];
  return {
    closing: { after: (callback) => void callbacks.push(callback) },
    async end() {
      for (const callback of callbacks.toReversed()) await callback();
    },
  };
}

/** Runs each trial, prints its row at once, and sets the exit code to 1 when a promise is broken. */
export async function runTrials(
  trials: readonly ((closing: Endings['closing']) => Promise<Row | readonly Row[]>)[],
): Promise<void> {
  for (const trial of trials) {
    const { closing, end } = endings();
    try {
      for (const row of [await trial(closing)].flat()) print(row);
    } catch (error) {
      print({
        promise: '?',
        tried: 'failed before it could be judged',
        figure: String(error),
        passed: false,
      });
    } finally {
      await end();
    }
  }
}

function print({ promise, tried, figure, passed }: Row): void {
  console.log(`| ${promise} | ${tried} | ${figure} | ${passed ? 'kept' : 'BROKEN'} |`);
  if (!passed) process.exitCode = 1;
}
