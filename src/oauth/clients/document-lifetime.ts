// Lifetime of a fetched document in the cache: from its headers, within bounds of our own.

/** Milliseconds: also a document that must not be kept is not fetched for every page of one consent. */
const MIN = 60_000;
/** Milliseconds: who withdraws a redirect address has it withdrawn here after a day. */
const MAX = 86_400_000;
/** Milliseconds, where nothing is said: as long as one consent may take. */
const DEFAULT = 600_000;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Milliseconds from `now` (Unix milliseconds) for which this service, which is a shared cache, may use the answer:
 * s-maxage, else max-age, else Expires, less the Age it came with.
 */
export function documentLifetime(headers: Headers, now: number): number {
  const said = freshness(headers, now);
  return said === null ? DEFAULT : Math.min(MAX, Math.max(MIN, said - ageOf(headers)));
}

/** Milliseconds; null where the headers say nothing about it. */
function freshness(headers: Headers, now: number): number | null {
  const control = textOf(headers['cache-control']).toLowerCase();
  if (/(?:^|[\s,])(?:no-store|no-cache|private)(?:$|[\s,=])/.test(control)) return 0;
  const seconds = directive(control, 's-maxage') ?? directive(control, 'max-age');
  if (seconds !== null) return seconds * 1000;
  if (headers.expires === undefined) return null;
  const expires = Date.parse(textOf(headers.expires));
  // What is no date has expired, as the standard wants it.
  return Number.isNaN(expires) ? 0 : expires - now;
}

function directive(control: string, name: string): number | null {
  const [, value] = new RegExp(`(?:^|[\\s,])${name}="?(\\d+)`).exec(control) ?? [];
  return value === undefined ? null : Number(value);
}

function ageOf(headers: Headers): number {
  const age = Number(textOf(headers.age));
  return Number.isFinite(age) && age > 0 ? age * 1000 : 0;
}

function textOf(header: string | string[] | undefined): string {
  return Array.isArray(header) ? header.join(',') : (header ?? '');
}
