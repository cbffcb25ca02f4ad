// Rate limit status and its headers: the fields of draft-ietf-httpapi-ratelimit-headers-11 and the older X- ones.

export type Headers = Readonly<Record<string, string>>;

/** A limit of requests, with its text for headers. */
export class RateLimitPolicy {
  readonly name: 'minute' | 'month' | 'failures';
  readonly quota: number;
  readonly quotaText: string;
  /** Value of the header RateLimit-Policy. */
  readonly text: string;

  /** @param seconds length of the window */
  constructor(name: RateLimitPolicy['name'], quota: number, seconds: number) {
    this.name = name;
    this.quota = quota;
    this.quotaText = String(quota);
    this.text = `"${name}";q=${quota};w=${seconds}`;
  }
}

/** What one caller has left of one policy. */
export interface RateLimitStatus {
  readonly policy: RateLimitPolicy;
  readonly remaining: number;
  /** Seconds until more is free. */
  readonly reset: number;
}

/** Status of a caller's two policies: null where unlimited, not counted, or not known yet. */
export interface RateLimitStatuses {
  readonly minute: RateLimitStatus | null;
  readonly month: RateLimitStatus | null;
}

/** The headers for these policies; none where there is no policy. */
export function rateLimitHeaders({ minute, month }: RateLimitStatuses): Headers {
  if (minute === null) return month === null ? NONE : singleLimitHeaders(month);
  if (month === null) return singleLimitHeaders(minute);
  const status = `"minute";r=${minute.remaining};t=${minute.reset}, "month";r=${month.remaining};t=${month.reset}`;
  // The X- headers show the policy with fewest requests left; of equal ones the month, which resets later.
  const binding = month.remaining <= minute.remaining ? month : minute;
  return formatHeaders(`${minute.policy.text}, ${month.policy.text}`, status, binding);
}

export function singleLimitHeaders(status: RateLimitStatus): Headers {
  const { policy, remaining, reset } = status;
  return formatHeaders(policy.text, `"${policy.name}";r=${remaining};t=${reset}`, status);
}

/** Whole seconds, rounded up, so that a caller who waits that long succeeds. */
export function wholeSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

const NONE: Headers = Object.freeze({});

function formatHeaders(policies: string, statuses: string, binding: RateLimitStatus): Headers {
  return {
    'ratelimit-policy': policies,
    ratelimit: statuses,
    'x-ratelimit-limit': binding.policy.quotaText,
    'x-ratelimit-remaining': String(binding.remaining),
    'x-ratelimit-reset': String(binding.reset),
  };
}
