// Calendar months in UTC, which monthly quotas are counted in.

export interface Month {
  /** Its first day, YYYY-MM-DD. */
  readonly name: string;
  /** Wall-clock milliseconds: start included, end excluded. */
  readonly start: number;
  readonly end: number;
  /** How long it is: 28 to 31 days. */
  readonly seconds: number;
}

/** The month that holds a wall-clock time. */
export function monthOf(now: number): Month {
  const date = new Date(now);
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return { name: new Date(start).toISOString().slice(0, 10), start, end, seconds: (end - start) / 1000 };
}

/** The name of the month before. */
export function monthBefore(month: Month): string {
  return monthOf(month.start - 1).name;
}

/** Caches the current month, in which nearly every request falls. */
export function createMonthCache(): (now: number) => Month {
  let current = monthOf(0);
  return (now) => {
    if (now < current.start || now >= current.end) current = monthOf(now);
    return current;
  };
}

/** Largest number of requests leased at once: what the tier may spend in one second. */
export function leaseSize(minute: number | null): number {
  return minute === null ? 1_000 : Math.max(1, Math.floor(minute / 60));
}
