// Links of this page that a script follows by itself, and those that stay the browser's.

import { ROOT } from './sign-in.ts';

const HOMES = `${ROOT.pathname}explore/listing/`;

/** Where a plain click on a link leads; null: to nothing, or the browser follows it, such as into a new tab. */
export function followedLink(event: MouseEvent): URL | null {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  // Links of drawings have an href that is no text: the attribute is one in both.
  const href = link?.getAttribute('href') ?? null;
  if (link === null || href === null || !isPlain || event.defaultPrevented) return null;
  return (link.getAttribute('target') ?? '') === '' ? URL.parse(href, document.baseURI) : null;
}

/** The id of the home whose page has this address; null: it is another page. */
export function homeAt({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>): string | null {
  const id = pathname.startsWith(HOMES) ? pathname.slice(HOMES.length) : '';
  return origin === ROOT.origin && id !== '' && !id.includes('/') ? decodeURIComponent(id) : null;
}

/** The address of the page of a home. */
export const homeAddress = (id: string): string =>
  new URL(`explore/listing/${encodeURIComponent(id)}`, ROOT).href;
