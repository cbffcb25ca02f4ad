// What all pages of a service share: its version, its parts, whose listings they show.

import { DEFAULT_SITE, type Site, type SourceLine } from '../page/site.ts';
import type { SiteSettings } from './site-settings.ts';

/** Of the sample market, which anybody may take for a real one. */
const SAMPLE: SourceLine = {
  name: 'Calder Sound Listing Service',
  line: 'Invented data. No listing, person or place in it is real.',
};

export interface SharedSiteOptions {
  readonly version: string;
  /** Whether the listings are those of the sample market. */
  readonly isSample: boolean;
  readonly config: { readonly site: SiteSettings };
  readonly routes: readonly { readonly path: string }[];
}

export function sharedSite({ version, isSample, routes, config }: SharedSiteOptions): Site {
  const { name, logo, accent, legal, notice } = config.site;
  const has = (path: string) => routes.some((route) => route.path === path);
  return {
    ...DEFAULT_SITE,
    name: name ?? DEFAULT_SITE.name,
    logo: logo?.path ?? null,
    colours: accent === null ? DEFAULT_SITE.colours : coloursOf(accent),
    legal,
    notice,
    version,
    sources: isSample ? [SAMPLE] : [],
    hasExplorer: has('/explore'),
    hasMarket: has('/explore/market'),
  };
}

const coloursOf = ({ light, dark }: NonNullable<SiteSettings['accent']>): Site['colours'] => ({
  light: { accent: light },
  dark: { accent: dark },
});
