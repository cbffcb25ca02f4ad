// Lifetimes of what is issued: access tokens, refresh tokens, and the grant that they belong to.

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Milliseconds. */
export const ACCESS_LIFETIME = 60 * MINUTE;
export const REFRESH_LIFETIME = 30 * DAY;

/** A refresh writes to its grant only when the grant's dates are that old. */
export const RENEWAL_INTERVAL = DAY;

/** The operator's settings. */
export interface GrantLimits {
  /** Milliseconds in which a replaced refresh token still leads to the pair that replaced it. */
  readonly grace: number;
  /** Milliseconds after consent at which every token of a grant ends; null: as long as it is refreshed. */
  readonly maxAge: number | null;
}

/** The limits as the configuration gives them, in seconds and days. */
export function createGrantLimits(settings: {
  readonly refreshGrace: number;
  readonly grantMaxDays: number | null;
}): GrantLimits {
  const { refreshGrace, grantMaxDays } = settings;
  return { grace: refreshGrace * 1_000, maxAge: grantMaxDays === null ? null : grantMaxDays * DAY };
}

export interface Expiries {
  readonly access: Date;
  readonly refresh: Date;
  /** No token issued within the next day outlives it. */
  readonly grant: Date;
}

/** When the tokens of a grant end that are issued now; all at its end, where that comes first. Wall-clock milliseconds. */
export function computeExpiries(now: number, createdAt: number, { maxAge }: GrantLimits): Expiries {
  const end = maxAge === null ? Number.POSITIVE_INFINITY : createdAt + maxAge;
  const until = (lifetime: number) => new Date(Math.min(now + lifetime, end));
  return {
    access: until(ACCESS_LIFETIME),
    refresh: until(REFRESH_LIFETIME),
    grant: until(REFRESH_LIFETIME + RENEWAL_INTERVAL),
  };
}
