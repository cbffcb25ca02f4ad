// Wall time: what the clocks of a time zone show at a moment, quickly for many moments. Pure.

/** Milliseconds that clocks show, counted as if they showed UTC, by milliseconds since the epoch; infinite stays infinite. */
export type WallTime = (at: number) => number;

const UTC: WallTime = (at) => at;
/** Changes of clocks before and after are looked up no more. */
const [FIRST_YEAR, LAST_YEAR] = [1850, 2100];
/** Milliseconds: about twelve days. */
const SPAN = 2 ** 30;
const KNOWN = new Map<string, WallTime>([['UTC', UTC]]);

/** The wall time of a time zone. Remembered: there are some hundreds of them. */
export function wallTimeOf(timeZone: string): WallTime {
  const known = KNOWN.get(timeZone) ?? createWallTime(timeZone);
  KNOWN.set(timeZone, known);
  return known;
}

function createWallTime(timeZone: string): WallTime {
  const { starts, offsets } = offsetsOf(timeZone);
  const first = starts[0] ?? 0;
  const spans = Math.floor(((starts.at(-1) ?? 0) - first) / SPAN) + 1;
  // The last change of clocks before each span begins: those within it are few.
  const before = Uint16Array.from({ length: spans }, (_, span) =>
    starts.findLastIndex((start) => start <= first + span * SPAN),
  );
  return (at) => {
    const span = Math.floor((at - first) / SPAN);
    let place = span < 0 ? 0 : span < spans ? (before[span] as number) : starts.length - 1;
    while (place + 1 < starts.length && (starts[place + 1] as number) <= at) place++;
    return at + (offsets[place] as number);
  };
}

/** The moments from which the clocks are ahead of UTC by so many milliseconds, ascending. */
function offsetsOf(timeZone: string) {
  const [starts, offsets]: [number[], number[]] = [[], []];
  let next: Temporal.ZonedDateTime | null = Temporal.ZonedDateTime.from({
    ...{ year: FIRST_YEAR, month: 1, day: 1, timeZone },
  });
  while (next !== null && next.year < LAST_YEAR) {
    starts.push(next.epochMilliseconds);
    offsets.push(next.offsetNanoseconds / 1_000_000);
    next = next.getTimeZoneTransition('next');
  }
  return { starts, offsets };
}
