// Owns the HTTP face of the pages: which address shows what.
import { Type } from 'typebox';
import type { Principal } from '../access/principal.ts';
import type { Tiers } from '../access/tiers.ts';
import { type Route, route } from '../http/route.ts';
import { errorsPage } from './errors-page.ts';
import { pageHandler } from './layout.ts';
import { limitsPage } from './limits-page.ts';
import { type FirstLoad, withLoadingNotice } from './loading-notice.ts';
import { metricsPage, type PrintedMetric } from './metrics-page.ts';
import { oauthPage } from './oauth-page.ts';
import { type ReferenceOptions, referenceHandler } from './reference-document.ts';
import { referencePage, referencePolicy } from './reference-page.ts';
import { scalarReply } from './scalar.ts';
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
    rootRoute(),
    scriptRoute(),
    define({
      ...page,
      path: '/docs/reference.json',
      operation: 'getReferenceDocument',
      summary: 'The OpenAPI document with examples from the running store',
      accepts: ['application/json'],
      answer: { description: 'The document that the reference is drawn from.' },
      handle: referenceHandler(options.reference),
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
      summary: 'The first five minutes',
      answer: { description: 'From a key to the first stream.', contentType: 'text/html' },
      handle: withNotice(pageHandler(() => startPage(publicUrl))),
    }),
    define({
      ...page,
      path: '/docs/oauth',
      operation: 'showOAuth',
      summary: 'Access for apps, by OAuth',
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

function rootRoute(): Route<Principal> {
  return route<Principal>()({
    ...page,
    path: '/',
    operation: 'showRoot',
    summary: 'Leads to the documentation',
    answer: { status: 302, description: 'The documentation is at /docs.', contentType: 'text/html' },
    alsoAnswers: {},
    handle: () => ({ status: 302, headers: { location: 'docs', 'cache-control': 'no-cache' } }),
  });
}

function scriptRoute(): Route<Principal> {
  return route<Principal>()({
    ...page,
    path: '/docs/reference.js',
    operation: 'getReferenceScript',
    summary: 'The script of the API reference',
    query: Type.Object({
      v: Type.Optional(
        Type.String({
          maxLength: 40,
          description: 'The version wanted; under the one served, it may be kept.',
        }),
      ),
    }),
    accepts: ['text/javascript'],
    answer: { description: 'The script.', contentType: 'text/javascript' },
    alsoAnswers: { 304: 'The script is the one that If-None-Match names.' },
    handle: ({ headers, query }) => scalarReply({ headers }, query.v),
  });
}
