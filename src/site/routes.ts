// Routes of the site: the pages, and the files that pages, browsers and programs load.

import { Type } from 'typebox';
import type { Principal, Tiers } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { FAVICON_FILE } from '../page/mark.ts';
import { documentValues, type Lifetimes } from './document-values.ts';
import {
  DOCUMENT_NAMES,
  DOCUMENTS,
  type DocumentName,
  EXAMPLES,
  readDocument,
  readExample,
} from './documents.ts';
import { errorsPage } from './errors-page.ts';
import type { FrontHome } from './front/home-cards.ts';
import type { MarketSize } from './front/numbers.ts';
import { type HomeOptions, homeHandler } from './home-page.ts';
import {
  type FirstLoad,
  type PageHandler,
  type PageRequest,
  pageHandler,
  renderPage,
  withLoadingNotice,
} from './layout.ts';
import { llmsText } from './llms-text.ts';
import { renderMarkdown } from './markdown.ts';
import { metricsPage, type PrintedMetric } from './metrics-page.ts';
import {
  interactivePage,
  type ReferenceOptions,
  referenceHandler,
  referencePolicy,
  scalarReply,
} from './reference.ts';
import { referencePageHandler } from './reference-page.ts';
import type { LogoFile } from './site-settings.ts';

export interface SiteOptions {
  /** Base of the URLs in examples, without a slash at its end. */
  readonly publicUrl: string;
  readonly tiers: Tiers;
  readonly lifetimes: Lifetimes;
  readonly metrics: readonly PrintedMetric[];
  /** Observations below which a metric is suppressed. */
  readonly minimumSample: number;
  /** All routes of the service; called when a document is first rendered. */
  readonly routes: () => readonly Route<Principal>[];
  readonly findMarketSize: () => Promise<MarketSize>;
  /** Homes that anybody may be shown; empty where there are none. */
  readonly findHomes: () => Promise<readonly FrontHome[]>;
  readonly findMarket?: NonNullable<HomeOptions['findMarket']>;
  readonly findTrends?: NonNullable<HomeOptions['findTrends']>;
  readonly findAnswer?: NonNullable<HomeOptions['findAnswer']>;
  readonly searchScript?: NonNullable<HomeOptions['searchScript']>;
  /** The operator's logo; absent or null: ours. */
  readonly logo?: LogoFile | null;
  readonly reference: ReferenceOptions;
  /** Progress of a source's first load; null if none is under way. */
  readonly findLoading: () => Promise<FirstLoad | null>;
}

const common = {
  method: 'GET',
  page: true,
  tag: 'Service',
  access: { credentials: 'none', counts: 'nothing' },
  alsoAnswers: { 304: 'The content still matches If-None-Match.' },
} as const;

/** The routes at / and below /docs, and the files that pages, browsers and programs look for. */
export function siteRoutes(options: SiteOptions): readonly Route<Principal>[] {
  const { publicUrl, metrics, minimumSample, reference, findLoading } = options;
  const docs = (path: string, operation: string, summary: string, handler: PageHandler) =>
    pageRoute(path, operation, summary, withLoadingNotice(handler, findLoading));
  const textOf = documentTexts(options);
  return [
    pageRoute(
      '/',
      'showHome',
      'What this is, how it is, and a first request',
      homeHandler({ ...options, now: () => reference.clock.now() }),
    ),
    docs(
      '/docs',
      'showReference',
      'Every endpoint, and a home as the API answers with it',
      referencePageHandler({
        publicUrl,
        now: () => reference.clock.now(),
        document: reference.document,
        findHomes: options.findHomes,
        isLoading: async () => (await findLoading()) !== null,
      }),
    ),
    docs(
      '/docs/reference',
      'showInteractiveReference',
      'The interactive API reference, for people',
      pageHandler(interactivePage, referencePolicy),
    ),
    docs(
      '/docs/metrics',
      'showMetrics',
      'What the figures of the market mean',
      pageHandler(() => metricsPage(metrics, minimumSample)),
    ),
    docs(
      '/docs/errors',
      'showErrors',
      'What each error code means',
      pageHandler(() => errorsPage(publicUrl)),
    ),
    ...DOCUMENT_NAMES.flatMap((name) => [
      docs(
        `/docs/${name}`,
        `show /docs/${name}`,
        DOCUMENTS[name][0],
        pageHandler(() => documentPage(name, textOf(name), publicUrl)),
      ),
      textRoute(`/docs/${name}.md`, `${DOCUMENTS[name][0]}, as Markdown`, 'text/markdown', () =>
        textOf(name),
      ),
    ]),
    ...EXAMPLES.map((file) =>
      textRoute(`/docs/examples/${file}`, `The example ${file}`, 'text/plain', () => readExample(file)),
    ),
    ...(options.logo ? [logoRoute(options.logo)] : []),
    scriptRoute(),
    route<Principal>()({
      ...common,
      path: '/docs/reference.json',
      operation: 'getReferenceDocument',
      summary: 'Get the OpenAPI document with examples from the running store',
      answer: { description: 'The document that the API reference shows.' },
      handle: referenceHandler(reference),
    }),
    textRoute('/favicon.svg', 'Get the logo', 'image/svg+xml', () => FAVICON_FILE),
    textRoute('/llms.txt', 'Get the summary for language models', 'text/plain', () => llmsText(publicUrl)),
    redirectRoute('/favicon.ico', 'Redirect to the logo', 'favicon.svg'),
    redirectRoute('/docs/', 'The reference', '../docs'),
  ];
}

function pageRoute(
  path: string,
  operation: string,
  summary: string,
  handle: (call: PageRequest) => Reply | Promise<Reply>,
): Route<Principal> {
  return route<Principal>()({
    ...common,
    path,
    operation,
    summary,
    accepts: ['text/html'],
    handle,
    answer: { description: summary, contentType: 'text/html' },
  });
}

/** Creates the function that reads a document, filled with what holds for this service. */
function documentTexts({ publicUrl, tiers, lifetimes, routes }: SiteOptions) {
  let values: Readonly<Record<string, string>> | undefined;
  return (name: DocumentName): string => {
    values ??= documentValues({ tiers, lifetimes, endpoints: routes() });
    return readDocument(name, publicUrl, values);
  };
}

async function documentPage(name: DocumentName, text: string, publicUrl: string): Promise<string> {
  return renderPage({ name, ...(await renderMarkdown(text, publicUrl)) });
}

/** Creates a route to a text that is made at the first request. */
function textRoute(path: string, summary: string, type: string, make: () => string): Route<Principal> {
  let text: string | undefined;
  const headers = { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' };
  return route<Principal>()({
    ...common,
    path,
    operation: `get ${path}`,
    summary,
    accepts: [type],
    anyAccept: true,
    answer: { description: summary, contentType: type },
    handle: (call) => {
      text ??= make();
      return conditional(call.headers, strongEtag(text), { text, headers });
    },
  });
}

/** The operator's logo. Opened by itself it is a document that may do nothing. */
function logoRoute({ path, type, bytes }: LogoFile): Route<Principal> {
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
  };
  return route<Principal>()({
    ...common,
    path: `/${path}`,
    operation: `get /${path}`,
    summary: 'Get the logo of the operator',
    alsoAnswers: {},
    anyAccept: true,
    answer: { description: 'The logo.', contentType: type },
    handle: () => ({ bytes, headers }),
  });
}

/** `location` is relative, so that it also works below a path. */
function redirectRoute(path: string, summary: string, location: string): Route<Principal> {
  return route<Principal>()({
    ...common,
    path,
    operation: `get ${path}`,
    summary,
    anyAccept: true,
    alsoAnswers: {},
    answer: { status: 308, description: `Redirects to ${location}.`, contentType: 'text/plain' },
    handle: () => ({ status: 308, headers: { location, 'cache-control': 'no-cache' } }),
  });
}

function scriptRoute(): Route<Principal> {
  return route<Principal>()({
    ...common,
    path: '/docs/reference.js',
    operation: 'getReferenceScript',
    summary: 'Get the script of the API reference',
    query: Type.Object({
      v: Type.Optional(
        Type.String({
          maxLength: 40,
          description: 'Version of the script; responses for the current version may be cached.',
        }),
      ),
    }),
    accepts: ['text/javascript'],
    answer: { description: 'The script.', contentType: 'text/javascript' },
    handle: (call) => scalarReply(call, call.query.v),
  });
}
