// Header of every page: the mark, which leads home, the same links everywhere, and the scale bar of a map.

import { type Fragment, Html, html } from './html.ts';
import { icon } from './icons.ts';
import { brand } from './mark.ts';
import { site } from './site.ts';
import { age } from './time.ts';

export type Section = 'home' | 'explore' | 'market' | 'docs' | 'plans' | 'account';

export interface SearchBox {
  /** Where it leads, below the root of the service; default: the explorer. */
  readonly path?: string;
  /** The chosen place, shown as a token. */
  readonly place: string | null;
  readonly query: string;
  /** Where the token leads that leaves the place; absent: it leads nowhere. */
  readonly leave?: string | null;
  /** Parameters of the view that a search keeps. */
  readonly keep?: readonly (readonly [name: string, value: string])[];
}

export interface HeaderOptions {
  /** Prefix of links from the page to the root of the service. */
  readonly root: string;
  /** The part of the service that the page belongs to; null: none. */
  readonly current: Section | null;
  /** The search box. Absent: no box. */
  readonly search?: SearchBox | null;
  /** When a source last confirmed what the page shows, RFC 3339, and the time of the response in milliseconds. Absent: nothing said. */
  readonly freshness?: { readonly confirmedAt: string | null; readonly now: number } | null;
  /** Who is signed in; absent: the link to sign in. */
  readonly account?: { readonly label: string; readonly tier: string } | null;
  /** Whether the header fills the window, as the map below it does. */
  readonly fill?: boolean;
  /** What comes under the scale bar. */
  readonly below?: Fragment;
}

/** Sections that the navigation leads to, with their links below the root. */
function sections(): readonly (readonly [section: Section, path: string, title: string])[] {
  const { hasExplorer, hasMarket } = site();
  return [
    ...(hasExplorer ? ([['explore', 'explore', 'Explore']] as const) : []),
    ...(hasMarket ? ([['market', 'explore/market', 'Market']] as const) : []),
    ['docs', 'docs', 'Docs'],
    ['plans', 'billing', 'Plans'],
  ];
}

export function siteHeader(options: HeaderOptions): Html {
  const {
    root,
    current,
    search = null,
    freshness = null,
    account = null,
    fill = false,
    below = null,
  } = options;
  const links = sections().map(
    ([name, path, title]) => html`<li><a href="${root}${path}"${here(name === current)}>${title}</a></li>`,
  );
  // On telephones it stands in the menu: the header has no room, and a map that fills the window its own box.
  const box = search === null || !site().hasExplorer ? null : searchBox(root, search);
  const accountLink = html`<a class="sign-in" href="${root}${site().hasExplorer && current !== 'account' ? 'explore/sign-in' : 'account'}"${here(current === 'account')}>${account === null ? 'Sign in' : html`${account.label} <span class="quiet">· ${account.tier}</span>`}</a>`;
  // The account has what signing in here does not need: the use of a key, apps, watchers and payments.
  const toAccount =
    site().hasExplorer && current !== 'account'
      ? html`<a class="to-account" href="${root}account">Account</a>`
      : null;
  return html`<header class="site-header"><div class="top${fill ? ' fill' : null}"><a class="home" href="${root === '' ? './' : root}" aria-label="${site().name}, home"${here(
    current === 'home',
  )}>${brand(root)}</a>
<nav aria-label="Main"><ul>${links}</ul></nav>${box}<div class="end">${
    freshness === null ? null : freshnessOf(freshness)
  }${toAccount}<span data-account>${accountLink}</span><details class="menu"><summary>${icon('menu')}Menu</summary>
<nav aria-label="Menu">${fill ? null : box}<ul>${links}<li><a href="${root}account"${here(current === 'account')}>Account</a></li></ul></nav></details></div></div><div class="scale" aria-hidden="true"></div>${below}</header>`;
}

function here(isCurrent: boolean): Html | null {
  return isCurrent ? new Html(' aria-current="true"') : null;
}

function searchBox(root: string, box: SearchBox): Html {
  const { path = 'explore', place, query, leave = null, keep = [] } = box;
  return html`<form class="find" action="${root}${path}" role="search">${icon('search')}${
    place === null
      ? null
      : leave === null
        ? html`<span class="token">${place}</span>`
        : html`<a class="token" href="${leave}" aria-label="${`Leave ${place}`}">${place}${icon('close')}</a>`
  }${keep.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<input type="search" name="find" value="${query}" aria-label="Place, address or listing number" placeholder="${place === null ? 'Place, address or listing number' : 'Add a place'}" autocomplete="off"></form>`;
}

/** Beyond this age data is not called live. */
const LIVE_FOR = 15 * 60_000;

/** When a source last confirmed what a page shows: `Live · confirmed 14 s ago`. */
export function freshnessOf({
  confirmedAt,
  now,
}: {
  readonly confirmedAt: string | null;
  readonly now: number;
}): Html {
  if (confirmedAt === null)
    return html`<span class="fresh"><span class="dot warning"></span>No listings yet</span>`;
  const at = Date.parse(confirmedAt);
  const isLive = now - at < LIVE_FOR;
  return html`<span class="fresh${isLive ? ' live' : null}"><span class="dot${isLive ? null : ' warning'}"></span><span>${isLive ? 'Live · confirmed' : 'Confirmed'} <time datetime="${confirmedAt}">${age(at, now)}</time></span></span>`;
}

/** Prefix of links from a page at this path, with or without a query, to the root of the service: relative, so that it also works below a path. */
export function rootFrom(path: string): string {
  return '../'.repeat((path.split('?')[0] ?? '').split('/').length - 2);
}
