// Plain model of pushed listings: of all messages about a listing the one with the greatest number counts.

/** A message about a listing. What it says follows from its number, so that one number never says two things. */
export interface PlannedMessage {
  readonly key: string;
  readonly sequence: number;
}

const ENDS_EVERY = 5;

export const isEnd = ({ sequence }: PlannedMessage): boolean => sequence % ENDS_EVERY === 0;
/** Neighbouring numbers may say the same. */
export const priceOf = ({ sequence }: PlannedMessage): number => 100_000 + Math.floor(sequence / 2) * 1_000;

export class KeptOrder {
  readonly #newest = new Map<string, PlannedMessage>();
  /** Keys of which a record counted that was newer than all before it. */
  readonly #stored = new Set<string>();

  /** A message was answered. */
  add(message: PlannedMessage): void {
    const known = this.#newest.get(message.key);
    if (known !== undefined && known.sequence >= message.sequence) return;
    this.#newest.set(message.key, message);
    if (!isEnd(message)) this.#stored.add(message.key);
  }

  /** What each listing should be: its price, or that it has ended. */
  expected(): Map<string, number | 'ended'> {
    const stored = [...this.#newest].filter(([key]) => this.#stored.has(key));
    return new Map(stored.map(([key, message]) => [key, isEnd(message) ? 'ended' : priceOf(message)]));
  }
}
