// Index manager: the newest generation, kept up to date, on a base that is built again in the background.

import { eventLoop } from '../../../lib/scheduler.ts';
import type { Generation } from '../columns/segment.ts';
import type { Base } from '../segments/build-base.ts';
import { GenerationWriter, type RowChange } from './generation-writer.ts';

/** Tails are read row by row, so they have to stay short: rows, and share of all rows, whichever is more. */
export const MAX_TAIL = { rows: 20_000, share: 0.02 };

export interface IndexManagerOptions {
  readonly merge: (generation: Generation) => Promise<Base['segments']>;
  readonly signal: AbortSignal;
  readonly onGeneration: (generation: Generation) => void;
  /** Called where a base could not be built; the tail goes on growing until the next try. */
  readonly onFailure: (error: unknown) => void;
  /** Called with the monotonic milliseconds that a new base took. */
  readonly onRebuilt: (milliseconds: number) => void;
  readonly monotonic: () => number;
  readonly maxTail: typeof MAX_TAIL;
}

export class IndexManager {
  readonly #options: IndexManagerOptions;
  #writer: GenerationWriter;
  /** Changes since the generation of which a new base is being made; null: none is. */
  #kept: RowChange[] | null = null;
  #rebuilding = Promise.resolve();
  #working = Promise.resolve();
  /** Rows that the tail must have had added before a failed rebuild is tried again. */
  #extraRows = 0;

  constructor(base: Base, options: IndexManagerOptions) {
    this.#options = options;
    this.#writer = new GenerationWriter(base);
  }

  get generation(): Generation {
    return this.#writer.generation;
  }

  get tailRows(): number {
    return this.#writer.tailRows;
  }

  /** Applies the changes of a batch of the log that was read up to `sequence`; one batch at a time. */
  async apply(changes: readonly RowChange[], sequence: number): Promise<void> {
    await this.#exclusively(async () => {
      await this.#write(this.#writer, changes);
      this.#kept?.push(...changes);
      this.#options.onGeneration(this.#writer.publish(sequence));
    });
    const { signal } = this.#options;
    if (this.#kept === null && !signal.aborted && this.tailRows > this.#maxTail())
      this.#rebuilding = this.#rebuild();
  }

  /** Resolves when no base is being built. */
  idle(): Promise<void> {
    return this.#rebuilding;
  }

  /** Generations are changed by one at a time. */
  #exclusively(work: () => Promise<void>): Promise<void> {
    const done = this.#working.then(work);
    this.#working = done.catch(() => {});
    return done;
  }

  #maxTail(): number {
    const { rental, sale } = this.generation.tables;
    const { rows, share } = this.#options.maxTail;
    return Math.max(rows, share * (rental.live + sale.live)) + this.#extraRows;
  }

  #write(writer: GenerationWriter, changes: readonly RowChange[]): Promise<void> {
    return eventLoop.forEach(changes, (change) => writer.write([change]));
  }

  async #rebuild(): Promise<void> {
    const { merge, signal, onGeneration, onFailure, onRebuilt, monotonic } = this.#options;
    const kept: RowChange[] = [];
    this.#kept = kept;
    const { generation } = this;
    const start = monotonic();
    try {
      const segments = await merge(generation);
      const writer = new GenerationWriter({ ...generation, segments });
      // Most of them while others come, and the last ones while none do.
      const count = kept.length;
      await this.#write(writer, kept.slice(0, count));
      await this.#exclusively(async () => {
        await this.#write(writer, kept.slice(count));
        if (signal.aborted) return;
        const { sequence } = this.generation;
        this.#writer = writer;
        this.#extraRows = 0;
        onGeneration(writer.publish(sequence));
      });
      onRebuilt(monotonic() - start);
    } catch (error) {
      this.#extraRows = this.tailRows;
      if (!signal.aborted) onFailure(error);
    } finally {
      this.#kept = null;
    }
  }
}
