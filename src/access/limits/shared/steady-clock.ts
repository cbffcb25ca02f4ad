// The clock of the counting server, watched: one that was set makes slots end early, or late.

import { CountsLost } from './counting-server.ts';

/** Milliseconds by which it may differ from what its earlier answers promise: clocks do not run alike. */
const TOLERANCE = 250;

/** The server's time less ours is between these, in milliseconds. */
interface Offset {
  readonly min: number;
  readonly max: number;
}

export class SteadyClock {
  /** For each part: a cluster has several clocks. */
  #offsets: (Offset | undefined)[] = [];

  /** Forgets what was known, for another server. */
  forget(): void {
    this.#offsets = [];
  }

  /**
   * Takes in one answer. Throws CountsLost where the clock was set.
   * @param time the server's, in milliseconds  @param sentAt,receivedAt ours, monotonic: it was read between them
   */
  observe(part: number, time: number, sentAt: number, receivedAt: number): void {
    const seen = { min: time - receivedAt, max: time - sentAt };
    const known = this.#offsets[part] ?? seen;
    if (seen.min > known.max + TOLERANCE || seen.max < known.min - TOLERANCE)
      throw new CountsLost('The clock of the counting server was set');
    const both = { min: Math.max(known.min, seen.min), max: Math.min(known.max, seen.max) };
    this.#offsets[part] = both.min <= both.max ? both : seen;
  }
}
