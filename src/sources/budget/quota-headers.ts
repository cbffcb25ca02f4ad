// What a source says of its own limits in the headers of its answers.

/** Names of the headers about one window; null: there is no such header. */
export interface QuotaHeaders {
  readonly seconds: number;
  readonly limit: string | null;
  readonly remaining: string | null;
}

/** What the source said of one window. */
export interface Quota {
  readonly seconds: number;
  /** Requests that it may have; null: not stated. */
  readonly limit: number | null;
  /** Requests that are left of it; null: not stated. */
  readonly remaining: number | null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The windows of which the answer says anything. Numbers may be written as decimals. `headers`: by their names in lower case. */
export function readQuotas(rows: readonly QuotaHeaders[], headers: Headers): readonly Quota[] {
  return rows.flatMap(({ seconds, limit, remaining }) => {
    const quota = {
      seconds,
      limit: numberIn(headers, limit, 1),
      remaining: numberIn(headers, remaining, 0),
    };
    return quota.limit === null && quota.remaining === null ? [] : [quota];
  });
}

function numberIn(headers: Headers, name: string | null, least: number): number | null {
  const text = name === null ? undefined : headers[name.toLowerCase()];
  if (typeof text !== 'string' || !/^\s*\d{1,12}(?:\.\d*)?\s*$/.test(text)) return null;
  const value = Math.floor(Number(text));
  return value >= least ? value : null;
}
