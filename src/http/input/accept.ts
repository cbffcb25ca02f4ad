// Content negotiation: the media type that a client prefers among those that a route can respond with.

const MAX_RANGES = 32;

/** The best of `offered` under an Accept header, the first of equals; null if none is acceptable. */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | null {
  const first = offered[0] ?? null;
  if (accept === undefined || accept.trim() === '' || accept === '*/*' || accept === first) return first;
  const ranges = accept.split(',', MAX_RANGES).map(parseRange);
  let best: string | null = null;
  let highest = 0;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > highest) [best, highest] = [type, quality];
  }
  return best;
}

/** Whether an Accept header accepts one of the types by name, not by a wildcard. */
export function isNamed(accept: string | undefined, types: readonly string[]): boolean {
  const ranges = accept?.split(',', MAX_RANGES).map(parseRange) ?? [];
  return ranges.some(({ type, quality }) => quality > 0 && types.includes(type));
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return { type, quality: 1 };
  const digits = weight.slice(weight.indexOf('=') + 1).trim();
  // An invalid weight (RFC 9110, 12.4.2) disables the range.
  return { type, quality: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(digits) ? Number(digits) : 0 };
}

/** The most specific matching range decides, so that `text/csv;q=0` beside a wildcard excludes CSV. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const wanted of [type, family, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === wanted);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
