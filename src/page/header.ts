// Header of every page: the mark, which leads home, the same links everywhere, and the scale bar of a map.

import { type Fragment, Html, html } from './html.ts';
import { MARK } from './mark.ts';

/** Part of the service -> its link below the root, and its name. */
const SECTIONS = {
  docs: ['docs', 'Docs'],
  plans: ['billing', 'Plans'],
  account: ['account', 'Account'],
} as const;

export type Section = 'home' | keyof typeof SECTIONS;

/**
 * The header. `root` is the prefix of links from the page to the root of the service; `current` the part that the page belongs
 * to, null for none; `below` comes under the scale bar.
 */
export function siteHeader(root: string, current: Section | null, below: Fragment = null): Html {
  const links = Object.entries(SECTIONS).map(
    ([name, [path, title]]) =>
      html`<li><a href="${root}${path}"${name === current ? HERE : null}>${title}</a></li>`,
  );
  return html`<header><div class="top"><a class="home" href="${root === '' ? './' : root}" aria-label="Freehold, home"${
    current === 'home' ? HERE : null
  }>${MARK}Freehold</a>
<nav aria-label="Main"><ul>${links}</ul></nav></div><div class="scale" aria-hidden="true"></div>${below}</header>`;
}

const HERE = new Html(' aria-current="true"');

/** Prefix of links from a page at this path, with or without a query, to the root of the service: relative, so that it also works below a path. */
export function rootFrom(path: string): string {
  return '../'.repeat((path.split('?')[0] ?? '').split('/').length - 2);
}
