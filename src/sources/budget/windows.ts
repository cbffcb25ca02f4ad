// Windows of time and what they may have: pure rules, over counts by slot. A slot is a sixtieth of its window.

/** What a window of time may have: requests, bytes of answers, or both. */
export interface Window {
  readonly seconds: number;
  readonly requests?: number;
  readonly bytes?: number;
}

/** What was used in one slot; `slot` is its number since the epoch. */
export interface SlotUse {
  readonly slot: number;
  readonly requests: number;
  readonly bytes: number;
}

/** Milliseconds. */
const MIN_SLOT = 100;
/**
 * Slots that are counted besides those of the window: the present one, which has only started, and one more, since a request
 * arrives later than it was counted, so that requests may come closer together.
 */
const MARGIN = 2;
/** The part of a window that is left alone where exceeding it ends the access altogether. */
const SUSPENSION_MARGIN = 0.1;
/** Seconds. Shorter windows only space requests, and are used in full. */
export const MIN_WITH_MARGIN = 60;
/** The part of a window that only people who wait for a listing may use. */
const LIVE_SHARE = 0.1;

/** Milliseconds of a slot of a window. */
export const slotWidth = (seconds: number): number => Math.max(MIN_SLOT, Math.ceil((seconds * 1_000) / 60));

/** Slots of a window that count. */
export const slotsOf = (seconds: number): number =>
  Math.ceil((seconds * 1_000) / slotWidth(seconds)) + MARGIN;

/** The slot of a moment, in milliseconds since the epoch. */
export const slotAt = (seconds: number, now: number): number => Math.floor(now / slotWidth(seconds));

export interface Claim {
  /** Whether a person waits for the answer. */
  readonly isLive: boolean;
  /** Whether a part is reserved for people who wait. */
  readonly reservesLive: boolean;
  /** Whether who exceeds the windows loses access. */
  readonly suspends: boolean;
}

/** What a claim may use of a window's limit: at least 1. */
export function usable(limit: number, seconds: number, { isLive, reservesLive, suspends }: Claim): number {
  const whole = suspends && seconds >= MIN_WITH_MARGIN ? Math.floor(limit * (1 - SUSPENSION_MARGIN)) : limit;
  const reserved = reservesLive && !isLive ? Math.floor(whole * LIVE_SHARE) : 0;
  return Math.max(1, whole - reserved);
}

/** What a window has had by now. `uses`: its slots, in any order. */
export function usedIn(seconds: number, uses: readonly SlotUse[], now: number): Omit<SlotUse, 'slot'> {
  const counted = countedSlots(seconds, uses, now);
  return {
    requests: counted.reduce((sum, { requests }) => sum + requests, 0),
    bytes: counted.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Milliseconds until the window has room for one more request: 0, where it has. */
export function waitFor(window: Window, uses: readonly SlotUse[], now: number, claim: Claim): number {
  const { seconds } = window;
  const most = (limit: number | undefined): number =>
    limit === undefined ? Number.POSITIVE_INFINITY : usable(limit, seconds, claim) - 1;
  const [mostRequests, mostBytes] = [most(window.requests), most(window.bytes)];
  let { requests, bytes } = usedIn(seconds, uses, now);
  let wait = 0;
  for (const use of countedSlots(seconds, uses, now)) {
    if (requests <= mostRequests && bytes <= mostBytes) break;
    requests -= use.requests;
    bytes -= use.bytes;
    wait = (use.slot + slotsOf(seconds)) * slotWidth(seconds) - now;
  }
  return Math.max(0, wait);
}

/** Slots that still count, the oldest first. Those of a clock that was ahead count until time has passed them. */
function countedSlots(seconds: number, uses: readonly SlotUse[], now: number): readonly SlotUse[] {
  const first = slotAt(seconds, now) - slotsOf(seconds) + 1;
  return uses.filter(({ slot }) => slot >= first).toSorted((a, b) => a.slot - b.slot);
}
