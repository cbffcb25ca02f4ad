// Resizer of pictures: at most two processes, each with one picture, and a queue with an end.

import { Bulkhead } from '../../lib/bulkhead.ts';
import type { Clock } from '../../lib/clock.ts';
import { ResizerProcess, ResizerUnavailable } from './resizer-process.ts';
import type { ResizeResult, ResizeTask } from './resizer-protocol.ts';

export interface ResizerOptions {
  readonly clock: Clock;
  /** Called once where the package that decodes does not run here. */
  readonly onUnavailable: (error: Error) => void;
  /** The program of the processes; default: ours. */
  readonly program?: URL;
  /** Pictures that may wait; default 200. */
  readonly maxQueue?: number;
}

const AT_ONCE = 2;
const MAX_QUEUE = 200;

export class Resizer {
  readonly #free: ResizerProcess[];
  readonly #all: readonly ResizerProcess[];
  readonly #bulkhead: Bulkhead;
  readonly #onUnavailable: (error: Error) => void;
  #unavailable: Error | null = null;

  constructor({ clock, onUnavailable, program, maxQueue = MAX_QUEUE }: ResizerOptions) {
    const options = { clock, program: program ?? new URL('./resizer-program.ts', import.meta.url) };
    this.#all = Array.from({ length: AT_ONCE }, () => new ResizerProcess(options));
    this.#free = [...this.#all];
    this.#bulkhead = new Bulkhead({ maxConcurrent: AT_ONCE, maxQueue });
    this.#onUnavailable = onUnavailable;
  }

  /** False once it is known that nothing can be decoded here. */
  get isAvailable(): boolean {
    return this.#unavailable === null;
  }

  /** Ids of the processes that there are. */
  get pids(): readonly number[] {
    return this.#all.flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Decodes a picture, which is loaded when its turn comes: those that wait take no memory. The signal ends waiting only. Null where
   * `load` gives none. Throws BulkheadFull, ResizerEnded and ResizerUnavailable.
   */
  run(load: () => Promise<ResizeTask | null>, signal: AbortSignal): Promise<ResizeResult | null> {
    const waiting = new AbortController();
    const leave = (): void => waiting.abort(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    return this.#bulkhead
      .run(waiting.signal, async () => {
        signal.removeEventListener('abort', leave);
        const task = await load();
        return task === null ? null : this.#runNow(task);
      })
      .finally(() => signal.removeEventListener('abort', leave));
  }

  close(): void {
    for (const each of this.#all) each.end();
  }

  async #runNow(task: ResizeTask): Promise<ResizeResult> {
    if (this.#unavailable !== null) throw this.#unavailable;
    const resizer = this.#free.pop();
    if (resizer === undefined) throw new Error('More pictures are decoded than there are processes');
    try {
      return await resizer.run(task);
    } catch (error) {
      if (error instanceof ResizerUnavailable) this.#note(error);
      throw error;
    } finally {
      this.#free.push(resizer);
    }
  }

  #note(error: ResizerUnavailable): void {
    if (this.#unavailable === null) this.#onUnavailable(error);
    this.#unavailable = error;
  }
}
