// Deprecation of a route: the headers of RFC 9745 and RFC 8594 that announce its end.

import type { Headers } from '../output/reply.ts';

/** A route that will go. Days are dates in UTC, such as 2027-03-01. */
export interface Deprecation {
  /** Day from which on the route is deprecated. */
  readonly since: string;
  /** First day on which it may be gone, never before `since`. */
  readonly sunset: string;
  /** What to use instead: the URL of a page, or its path below the public URL. */
  readonly link: string;
}

/** Headers of every response of a deprecated route. Throws if the dates or the link make no sense. */
export function deprecationHeaders(deprecation: Deprecation, publicUrl: string): Headers {
  const [since, sunset] = [readDay(deprecation.since), readDay(deprecation.sunset)];
  if (sunset < since)
    throw new Error(`A route goes on ${deprecation.sunset}, before it is deprecated on ${deprecation.since}`);
  const page = linkOf(deprecation, publicUrl);
  return {
    deprecation: `@${since.getTime() / 1_000}`,
    sunset: sunset.toUTCString(),
    link: `<${page}>; rel="deprecation"; type="text/html", <${page}>; rel="sunset"; type="text/html"`,
  };
}

/** The absolute URL of the page. */
export function linkOf({ link }: Deprecation, publicUrl: string): string {
  const url = link.startsWith('/') ? `${publicUrl}${link}` : link;
  if (!URL.canParse(url)) throw new Error(`The link of a deprecation is neither a path nor a URL: ${link}`);
  return url;
}

/** Midnight in UTC. */
function readDay(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  // A date that the calendar lacks, such as 2027-02-30, would become another.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text)
    throw new Error(`The day of a deprecation is not a date such as 2027-03-01: ${text}`);
  return day;
}
