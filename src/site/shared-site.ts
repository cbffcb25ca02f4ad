// What all pages of a service share: its version, its parts, whose listings they show.

import { DEFAULT_SITE, type Site, type SourceLine } from '../page/site.ts';

/** Of the sample market, which anybody may take for a real one. */
const SAMPLE: SourceLine = {
  name: 'Calder Sound Listing Service',
  line: 'Invented data. No listing, person or place in it is real.',
};

export interface SharedSiteOptions {
  readonly version: string;
  /** Whether the listings are those of the sample market. */
  readonly isSample: boolean;
  readonly routes: readonly { readonly path: string }[];
}

export function sharedSite({ version, isSample, routes }: SharedSiteOptions): Site {
  const has = (path: string) => routes.some((route) => route.path === path);
  return {
    ...DEFAULT_SITE,
    version,
    sources: isSample ? [SAMPLE] : [],
    hasExplorer: has('/explore'),
    hasMarket: has('/explore/market'),
  };
}
