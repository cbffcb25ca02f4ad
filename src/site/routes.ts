// Routes of the pages.
import type { Principal } from '../access/tiers/principal.ts';
import type { Tiers } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { errorsPage } from './errors-page.ts';
import { fileRoutes } from './file-routes.ts';
import { homeHandler, type MarketSize } from './home-page.ts';
import { pageHandler } from './layout.ts';
import { limitsPage } from './limits-page.ts';
import { type FirstLoad, withLoadingNotice } from './loading-notice.ts';
import { metricsPage, type PrintedMetric } from './metrics-page.ts';
import { oauthPage } from './oauth-page.ts';
import type { ReferenceOptions } from './reference-document.ts';
import { referencePage, referencePolicy } from './reference-page.ts';
import { startPage } from './start-page.ts';

export interface SiteOptions {
  /** Where the service is reached from outside, without a slash at the end: stands in examples. */
  readonly publicUrl: string;
  /** The numbers in force. */
  readonly tiers: Tiers;
  /** What the figures of the market mean, and below how many observations they are withheld. */
  readonly metrics: readonly PrintedMetric[];
  readonly minimumSample: number;
  /** All routes that are to be told of; asked when a page is first shown. */
  readonly routes: () => readonly Route<Principal>[];
  /** How large the market is; asked at each visit of the home page. */
  readonly findMarketSize: () => Promise<MarketSize>;
  /** What the reference is drawn from. */
  readonly reference: ReferenceOptions;
  /** How far the first load of a source is; null: none is under way. */
  readonly findLoading: () => Promise<FirstLoad | null>;
}

const page = {
  method: 'GET',
  page: true,
  tag: 'Service',
  access: { credentials: 'none', counts: 'nothing' },
  accepts: ['text/html'],
  alsoAnswers: { 304: 'The page is the one that If-None-Match names.' },
} as const;

/** The routes at / and below /docs. */
export function siteRoutes(options: SiteOptions): readonly Route<Principal>[] {
  const { publicUrl, tiers, routes, metrics, minimumSample } = options;
  const define = route<Principal>();
  const withNotice = (handler: ReturnType<typeof pageHandler>) =>
    withLoadingNotice(handler, options.findLoading);
  return [
    ...fileRoutes(options),
    define({
      ...page,
      path: '/',
      operation: 'showHome',
      summary: 'What this is, how it is, and a first request',
      answer: { description: 'The home page.', contentType: 'text/html' },
      handle: homeHandler(options),
    }),
    define({
      ...page,
      path: '/docs',
      operation: 'showReference',
      summary: 'The API reference, for people',
      answer: { description: 'The reference; it needs JavaScript.', contentType: 'text/html' },
      handle: withNotice(pageHandler(referencePage, referencePolicy)),
    }),
    define({
      ...page,
      path: '/docs/start',
      operation: 'showFirstSteps',
      summary: 'Quickstart',
      answer: { description: 'From a key to the first stream.', contentType: 'text/html' },
      handle: withNotice(pageHandler(() => startPage(publicUrl))),
    }),
    define({
      ...page,
      path: '/docs/oauth',
      operation: 'showOAuth',
      summary: 'OAuth for apps',
      answer: { description: 'The flow, lifetimes, and what to do about errors.', contentType: 'text/html' },
      handle: withNotice(pageHandler(() => oauthPage(publicUrl))),
    }),
    define({
      ...page,
      path: '/docs/metrics',
      operation: 'showMetrics',
      summary: 'What the figures of the market mean',
      answer: { description: 'Every metric, and the rules for all of them.', contentType: 'text/html' },
      handle: withNotice(pageHandler(() => metricsPage(metrics, minimumSample))),
    }),
    define({
      ...page,
      path: '/docs/limits',
      operation: 'showLimits',
      summary: 'Tiers and limits, with the numbers in force',
      answer: { description: 'What each tier may do, and how often.', contentType: 'text/html' },
      handle: withNotice(pageHandler(() => limitsPage(tiers, routes()))),
    }),
    define({
      ...page,
      path: '/docs/errors',
      operation: 'showErrors',
      summary: 'What each error code means',
      description: 'The `type` of a problem document is the address of its entry on this page.',
      answer: { description: 'One entry for each code.', contentType: 'text/html' },
      handle: withNotice(pageHandler(() => errorsPage(publicUrl))),
    }),
  ];
}
