// Waiters for a sequence: who wants to read no earlier state of the listings than one that it knows of.

interface Waiter {
  readonly sequence: number;
  readonly resolve: () => void;
}

export class SequenceWaiters {
  #passed = Number.NEGATIVE_INFINITY;
  readonly #waiters = new Set<Waiter>();

  /** Resolves once the sequence is passed; rejects with the signal's reason. */
  wait(sequence: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (sequence <= this.#passed) return resolve();
      if (signal.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiters.delete(waiter);
        reject(signal.reason);
      };
      const waiter = {
        sequence,
        resolve: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Tells how far the state has come; a log that was put back may lead backwards. */
  pass(sequence: number): void {
    this.#passed = sequence;
    for (const waiter of this.#waiters) {
      if (waiter.sequence > sequence) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }
}
