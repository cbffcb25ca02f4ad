// The clock of the counting server, watched: one that was set makes slots end early, or late.

import { CountsLost } from './counting-server.ts';

/** Milliseconds by which it may differ from what its earlier answers promise. */
const TOLERANCE = 250;

export class SteadyClock {
  /** The server's time less ours, in milliseconds, for each part: a cluster has several clocks. */
  #offsets: (number | undefined)[] = [];

  /** Forgets what was known, for another server. */
  forget(): void {
    this.#offsets = [];
  }

  /**
   * Takes in one answer. Throws CountsLost where the clock was set.
   * @param time the server's, in milliseconds  @param sentAt,receivedAt ours, monotonic: it was read between them
   */
  observe(part: number, time: number, sentAt: number, receivedAt: number): void {
    const [lowest, highest] = [time - receivedAt, time - sentAt];
    const known = this.#offsets[part] ?? highest;
    if (known < lowest - TOLERANCE || known > highest + TOLERANCE)
      throw new CountsLost('The clock of the counting server was set');
    this.#offsets[part] = Math.min(highest, Math.max(lowest, known));
  }
}
