// Progress of a load: its rate and the time left.

export interface Progress {
  readonly records: number;
  /** Null where the source does not tell. */
  readonly total: number | null;
  readonly perSecond: number;
  /** Null where it cannot be told. */
  readonly secondsLeft: number | null;
}

/** `records` of the whole load, `here` of them read by this process in that many milliseconds. */
export function progress(records: number, here: number, elapsed: number, total: number | null): Progress {
  const perSecond = elapsed > 0 ? (here * 1000) / elapsed : 0;
  const left = total === null || perSecond === 0 ? null : Math.max(0, total - records) / perSecond;
  return {
    records,
    total,
    perSecond: Math.round(perSecond),
    secondsLeft: left === null ? null : Math.ceil(left),
  };
}
