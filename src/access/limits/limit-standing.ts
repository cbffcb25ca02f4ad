// Owns how limits are told to clients: the RateLimit fields of draft-ietf-httpapi-ratelimit-headers-11 and their X- elders.

export type Headers = Readonly<Record<string, string>>;

/** A limit as clients are told of it. What is the same for all whom it binds is written once, not for each request. */
export class Policy {
  readonly name: 'minute' | 'month' | 'failures';
  readonly quota: number;
  readonly quotaText: string;
  /** The policy as a whole. */
  readonly text: string;

  /** @param seconds that it spans */
  constructor(name: Policy['name'], quota: number, seconds: number) {
    this.name = name;
    this.quota = quota;
    this.quotaText = String(quota);
    this.text = `"${name}";q=${quota};w=${seconds}`;
  }
}

/** What one policy has left for one caller. */
export interface Standing {
  readonly policy: Policy;
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
  const shown = `"minute";r=${minute.remaining};t=${minute.reset}, "month";r=${month.remaining};t=${month.reset}`;
  // The one that binds has fewest left; where both have as many, the month is longer in coming back.
  const binding = month.remaining <= minute.remaining ? month : minute;
  return headersOf(`${minute.policy.text}, ${month.policy.text}`, shown, binding);
}

export function standingHeaders(standing: Standing): Headers {
  const { policy, remaining, reset } = standing;
  return headersOf(policy.text, `"${policy.name}";r=${remaining};t=${reset}`, standing);
}

/** Whole seconds, rounded up: whoever waits that long has waited long enough. */
export function wholeSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

const NONE: Headers = Object.freeze({});

function headersOf(policies: string, standings: string, binding: Standing): Headers {
  return {
    'ratelimit-policy': policies,
    ratelimit: standings,
    'x-ratelimit-limit': binding.policy.quotaText,
    'x-ratelimit-remaining': String(binding.remaining),
    'x-ratelimit-reset': String(binding.reset),
  };
}
