// Links between the pages of a RESO server: whose they are, and how many records they skip.

import { feedFault } from '../../source.ts';

/**
 * The address of a link at the server with this root. Some servers behind a proxy name another scheme or port: the link is
 * followed at our own, since our token goes along. Null where it names another host.
 */
export function resolveLink(root: string, link: string): string | null {
  const own = new URL(`${root}/`);
  const target = URL.parse(link, own);
  if (target === null || target.username !== '' || target.password !== '') return null;
  if (target.origin === own.origin) return /^https?:/i.test(link) ? link : target.href;
  return target.hostname === own.hostname ? `${own.origin}${target.pathname}${target.search}` : null;
}

/** The address of a link in an answer; null without one. Throws the LiveError of one that leads elsewhere. */
export function linkIn(root: string, stated: unknown): string | null {
  if (typeof stated !== 'string' || stated === '') return null;
  const link = resolveLink(root, stated);
  if (link !== null) return link;
  const host = URL.parse(stated, `${root}/`)?.host ?? 'no address';
  throw feedFault('foreign_link', `The source links to a page on another server (${host}).`);
}

const SKIP = /([?&](?:\$|%24)skip=)(\d{1,9})(?=&|$)/i;

/** How many records a link skips; null where it does not count them. */
export function skipOf(link: string): number | null {
  const count = SKIP.exec(link)?.[2];
  return count === undefined ? null : Number(count);
}

/** The link with another number of records to skip. */
export const withSkip = (link: string, count: number): string =>
  link.replace(SKIP, (_, name: string) => `${name}${count}`);

const NEXT = /<([^<>]*)>\s*;[^,<]*\brel\s*=\s*"?next"?/i;

/** The address of the next page in a header Link; null without one. */
export function nextInHeader(header: string | readonly string[] | undefined): string | null {
  const text = typeof header === 'string' ? header : (header ?? []).join(', ');
  return NEXT.exec(text)?.[1] ?? null;
}
