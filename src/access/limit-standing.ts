// Owns how limits are told to clients: the RateLimit fields of draft-ietf-httpapi-ratelimit-headers-11 and their X- elders.

export type Headers = Readonly<Record<string, string>>;

/** What one policy has left for one caller. */
export interface Standing {
  readonly name: 'minute' | 'month' | 'failures';
  readonly quota: number;
  /** Seconds that the policy spans. */
  readonly span: number;
  readonly remaining: number;
  /** Seconds until more is free. */
  readonly reset: number;
}

/** A caller's two policies: null where unlimited, not counted, or not known yet. */
export interface Standings {
  readonly minute: Standing | null;
  readonly month: Standing | null;
}

/** The headers for these policies; none where there is no policy. */
export function standingsHeaders({ minute, month }: Standings): Headers {
  if (minute === null) return month === null ? NONE : standingHeaders(month);
  if (month === null) return standingHeaders(minute);
  return {
    'ratelimit-policy': `${policy(minute)}, ${policy(month)}`,
    ratelimit: `${rest(minute)}, ${rest(month)}`,
    // The one that binds has fewest left; where both have as many, the month is longer in coming back.
    ...binding(month.remaining <= minute.remaining ? month : minute),
  };
}

export function standingHeaders(standing: Standing): Headers {
  return { 'ratelimit-policy': policy(standing), ratelimit: rest(standing), ...binding(standing) };
}

/** Whole seconds, rounded up: whoever waits that long has waited long enough. */
export function wholeSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

const NONE: Headers = Object.freeze({});

function policy(standing: Standing): string {
  return `"${standing.name}";q=${standing.quota};w=${standing.span}`;
}

function rest(standing: Standing): string {
  return `"${standing.name}";r=${standing.remaining};t=${standing.reset}`;
}

function binding(standing: Standing) {
  return {
    'x-ratelimit-limit': String(standing.quota),
    'x-ratelimit-remaining': String(standing.remaining),
    'x-ratelimit-reset': String(standing.reset),
  };
}
