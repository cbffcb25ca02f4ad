// Wall time: what the clocks of a time zone show at a moment, quickly for many moments. Pure.

/** Milliseconds that clocks show, counted as if they showed UTC, by milliseconds since the epoch; infinite stays infinite. */
export type WallTime = (at: number) => number;

const UTC: WallTime = (at) => at;
/** Changes of clocks before and after are looked up no more. */
const [FIRST, END] = [Date.UTC(1850), Date.UTC(2100)];
/** Milliseconds of a span: about thirteen months, so that it holds few changes of clocks. */
const SPAN = 2 ** 35;
const SPANS = Math.ceil((END - FIRST) / SPAN);
const KNOWN = new Map<string, WallTime>([['UTC', UTC]]);

/** Moments of one span, ascending, and by how many milliseconds clocks are ahead of UTC from each on. */
interface Offsets {
  readonly starts: readonly number[];
  readonly offsets: readonly number[];
}

/** The wall time of a time zone. Remembered: there are some hundreds of them. */
export function wallTimeOf(timeZone: string): WallTime {
  const known = KNOWN.get(timeZone) ?? createWallTime(timeZone);
  KNOWN.set(timeZone, known);
  return known;
}

/** Looks up a span when it is first asked for: all of them at once would hold the event loop for 40 ms. */
function createWallTime(timeZone: string): WallTime {
  const known: (Offsets | undefined)[] = new Array(SPANS).fill(undefined);
  return (at) => {
    const span = Math.min(Math.max(Math.floor((at - FIRST) / SPAN), 0), SPANS - 1);
    const { starts, offsets } = known[span] ?? offsetsOf(timeZone, FIRST + span * SPAN);
    known[span] ??= { starts, offsets };
    let place = 0;
    while (place + 1 < starts.length && (starts[place + 1] as number) <= at) place++;
    return at + (offsets[place] as number);
  };
}

function offsetsOf(timeZone: string, from: number): Offsets {
  const [starts, offsets]: [number[], number[]] = [[], []];
  let next: Temporal.ZonedDateTime | null =
    Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone);
  while (next !== null && next.epochMilliseconds < from + SPAN) {
    starts.push(next.epochMilliseconds);
    offsets.push(next.offsetNanoseconds / 1_000_000);
    next = next.getTimeZoneTransition('next');
  }
  return { starts, offsets };
}
