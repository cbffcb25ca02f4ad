// Recognition of a server: whose it is, by its host, fields of its records, headers and errors. Pure.

import type { Profile } from './profile-schema.ts';

/** What was seen of a server. */
export interface Seen {
  readonly host: string;
  /** Fields of its records; null: it has no readable $metadata. */
  readonly fields: ReadonlySet<string> | null;
  /** Names of the headers of its answers, in lower case. */
  readonly headers: ReadonlySet<string>;
  /** Whether codes of its errors are numbers; null: there was no error. */
  readonly hasNumericErrors: boolean | null;
}

/** A profile that may fit, and what speaks for it. */
export interface Match {
  readonly profile: string;
  /** As people read them: `host api.example.com`. */
  readonly signs: readonly string[];
}

/** The profiles that something speaks for, those with most signs first; none: nothing particular was seen. */
export function recognize(
  profiles: readonly Pick<Profile, 'name' | 'recognize'>[],
  seen: Seen,
): readonly Match[] {
  return profiles
    .map(({ name, recognize: marks }) => ({ profile: name, signs: signsOf(marks, seen) }))
    .filter(({ signs }) => signs.length > 0)
    .toSorted((a, b) => b.signs.length - a.signs.length);
}

function signsOf(
  { hosts, fields, headers, numericErrors }: Profile['recognize'],
  seen: Seen,
): readonly string[] {
  const { host } = seen;
  return [
    ...hosts.filter((each) => host === each || host.endsWith(`.${each}`)).map((each) => `host ${each}`),
    ...fields.filter((field) => seen.fields?.has(field)).map((field) => `field ${field}`),
    ...headers.filter((name) => seen.headers.has(name.toLowerCase())).map((name) => `header ${name}`),
    ...(numericErrors && seen.hasNumericErrors === true ? ['errors with numbers'] : []),
  ];
}
