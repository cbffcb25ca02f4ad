// What callers were admitted in a simulated world, judged by the bounds that the service promises.

const WINDOW = 60_000;
/** Milliseconds after a loss for which some may not know of it: the longest silence that is borne, and a report. */
const UNKNOWN = 12_000;

export interface Judged {
  /** One line for each window that holds more than it may. */
  readonly faults: readonly string[];
  /** The most that one account was admitted in 60 seconds, as a share of its quota, where nothing was lost. */
  readonly most: number;
  /** The least that one account was admitted in a minute without losses, as a share of its quota, of those that wanted more. */
  readonly least: number;
}

/** Smaller quotas are often free while nobody happens to ask. */
const JUDGED_FROM = 60;

export interface Account {
  readonly name: string;
  readonly quota: number;
}

export class Admissions {
  readonly #times = new Map<string, number[]>();
  /** Times at which something was lost, and at which processes began again to let the server decide. */
  readonly #losses: number[] = [];
  #undivided: { readonly from: number; to: number }[] = [];

  add(account: string, now: number): void {
    const times = this.#times.get(account) ?? [];
    this.#times.set(account, times);
    times.push(now);
  }

  /** Something is lost: a server, its counts, a call that was not answered. */
  loss(now: number): void {
    this.#losses.push(now);
  }

  /** All processes leave the decision to the server, or not. */
  note(isShared: boolean, now: number): void {
    const last = this.#undivided.at(-1);
    if (isShared && (last === undefined || last.to !== Number.POSITIVE_INFINITY))
      this.#undivided.push({ from: now, to: Number.POSITIVE_INFINITY });
    if (!isShared && last !== undefined && last.to === Number.POSITIVE_INFINITY) last.to = now;
  }

  /**
   * Every window of 60 seconds that ends with an admission. One that begins before all know of a loss: twice the quota. Any other: the
   * quota, or the number of processes where that is more and some divide.
   */
  judge(accounts: readonly Account[], nodes: number, end: number): Judged {
    const faults: string[] = [];
    let [most, least] = [0, Number.POSITIVE_INFINITY];
    for (const { name, quota } of accounts) {
      const times = this.#times.get(name) ?? [];
      for (let last = 0, first = 0; last < times.length; last++) {
        const to = times[last] ?? 0;
        while ((times[first] ?? 0) <= to - WINDOW) first++;
        const count = last - first + 1;
        const isAround = this.#losses.some((at) => at > to - WINDOW - UNKNOWN && at <= to);
        const bound = isAround
          ? Math.max(2 * quota, quota + nodes)
          : Math.max(quota, this.#isDivided(to) ? nodes : 0);
        if (count > bound)
          faults.push(
            `${name}: ${count} of ${quota} in the minute before ${to.toFixed(0)}, at most ${bound}`,
          );
        if (!isAround) most = Math.max(most, count / quota);
      }
      if (quota < JUDGED_FROM) continue;
      for (const { from, to } of this.#undivided)
        for (let at = from + 2 * WINDOW; at + WINDOW <= Math.min(to, end); at += WINDOW)
          least = Math.min(least, times.filter((time) => time > at && time <= at + WINDOW).length / quota);
    }
    return { faults, most, least };
  }

  #isDivided(now: number): boolean {
    return !this.#undivided.some(({ from, to }) => from <= now - WINDOW && now <= to);
  }
}
