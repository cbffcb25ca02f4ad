// What all pages of this process share: whose service it is, and which parts it has.

import type { Palette } from './palette.ts';

/** A source of listings as the footer names it. */
export interface SourceLine {
  readonly name: string;
  /** What its readers have to know, such as a disclaimer; null: nothing. */
  readonly line: string | null;
}

export interface Site {
  readonly name: string;
  /** The operator's logo below the root of the service; null: ours. */
  readonly logo: string | null;
  /** Colours that take the place of ours. */
  readonly colours: { readonly light: Partial<Palette>; readonly dark: Partial<Palette> };
  /** Links of the operator at the end of every page, such as the imprint. */
  readonly legal: readonly { readonly name: string; readonly href: string }[];
  /** The operator's sentence at the end of every page; null: none. */
  readonly notice: string | null;
  readonly sources: readonly SourceLine[];
  readonly version: string | null;
  /** Where the source of the program is to be had; null: not known. */
  readonly sourceUrl: string | null;
  /** Paths of the service's pages: links lead only to those that there are. */
  readonly hasExplorer: boolean;
  readonly hasMarket: boolean;
}

export const DEFAULT_SITE: Site = {
  name: 'Freehold',
  logo: null,
  colours: { light: {}, dark: {} },
  legal: [],
  notice: null,
  sources: [],
  version: null,
  sourceUrl: null,
  hasExplorer: false,
  hasMarket: false,
};

let current = DEFAULT_SITE;

/**
 * Sets what all pages share, before the first is rendered, until the signal aborts. One value of the process: pages are rendered
 * in twenty rooms, and none of them should have to hand a name and a colour down.
 */
export function shareSite(site: Site, signal: AbortSignal): void {
  current = site;
  signal.addEventListener('abort', () => {
    if (current === site) current = DEFAULT_SITE;
  });
}

export function site(): Site {
  return current;
}
