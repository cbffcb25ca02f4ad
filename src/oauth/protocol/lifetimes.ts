// Owns how long what is issued here lives, and when a family of tokens ends for good.

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Milliseconds. */
export const ACCESS_LIFETIME = 60 * MINUTE;
export const REFRESH_LIFETIME = 30 * DAY;

/** A refresh writes to its grant only when the grant's dates are that old. */
export const RENEWAL_STEP = DAY;

/** The operator's settings. */
export interface GrantRules {
  /** Milliseconds in which a rotated refresh token still leads to the pair that replaced it. */
  readonly grace: number;
  /** Milliseconds after consent at which every token of a grant ends; null: as long as it is refreshed. */
  readonly longest: number | null;
}

/** The rules as the configuration gives them, in seconds and days. */
export function grantRules(settings: {
  readonly refreshGrace: number;
  readonly grantMaxDays: number | null;
}): GrantRules {
  const { refreshGrace, grantMaxDays } = settings;
  return { grace: refreshGrace * 1_000, longest: grantMaxDays === null ? null : grantMaxDays * DAY };
}

/** Wall-clock milliseconds. */
export interface Expiries {
  readonly access: number;
  readonly refresh: number;
  /** No token issued within the next day outlives it. */
  readonly grant: number;
}

/** When the tokens of a grant end that are issued now; all at its end, where that comes first. */
export function expiriesOf(now: number, createdAt: number, { longest }: GrantRules): Expiries {
  const end = longest === null ? Number.POSITIVE_INFINITY : createdAt + longest;
  const until = (lifetime: number) => Math.min(now + lifetime, end);
  return {
    access: until(ACCESS_LIFETIME),
    refresh: until(REFRESH_LIFETIME),
    grant: until(REFRESH_LIFETIME + RENEWAL_STEP),
  };
}
