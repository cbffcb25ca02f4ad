// What the pages of this service share: its version, its parts, whose listings they show.

import type { Config } from '../config.ts';
import { DEFAULT_SITE, type Site, type SourceLine } from '../page/site.ts';
import { VERSION } from './version.ts';

/** Of the sample market, which anybody may take for a real one. */
const SAMPLE: SourceLine = {
  name: 'Calder Sound Listing Service',
  line: 'Invented data. No listing, person or place in it is real.',
};

export function siteOf(config: Pick<Config, 'source'>, routes: readonly { readonly path: string }[]): Site {
  const has = (path: string) => routes.some((route) => route.path === path);
  return {
    ...DEFAULT_SITE,
    version: VERSION,
    sources: config.source.kind === 'sample' ? [SAMPLE] : [],
    hasExplorer: has('/explore'),
    hasMarket: has('/explore/market'),
  };
}
