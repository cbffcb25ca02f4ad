// Owns the moment at which answers are written: those that one turn of the event loop made leave together at its end.

/** Most answers that wait for each other: bounds how long the first of them can wait. */
const MOST = 16;

/**
 * A write wakes up whoever reads the socket, and a reader that is woken for each answer alone costs this process more
 * than most answers do. Written one after the other, many share what the first has woken.
 */
export class Outbox {
  #waiting: (() => void)[] = [];

  /** Writes before the event loop looks for further requests. */
  add(write: () => void): void {
    this.#waiting.push(write);
    if (this.#waiting.length === 1) setImmediate(this.flush);
    else if (this.#waiting.length === MOST) this.flush();
  }

  /** Writes at once what waits. */
  readonly flush = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const write of waiting) write();
  };
}
