// Routes of the site: the pages, and the files that pages, browsers and programs load.

import { Type } from 'typebox';
import type { Principal, Tiers } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { FAVICON_FILE } from '../page/mark.ts';
import { errorsPage } from './errors-page.ts';
import type { FrontHome } from './home-cards.ts';
import { homeHandler, type MarketSize } from './home-page.ts';
import {
  type FirstLoad,
  type PageHandler,
  type PageRequest,
  pageHandler,
  withLoadingNotice,
} from './layout.ts';
import { limitsPage } from './limits-page.ts';
import { type AgentFeatures, mcpPage } from './mcp-page.ts';
import { metricsPage, type PrintedMetric } from './metrics-page.ts';
import { type Lifetimes, oauthPage } from './oauth-page.ts';
import {
  interactivePage,
  type ReferenceOptions,
  referenceHandler,
  referencePolicy,
  scalarReply,
} from './reference.ts';
import { referencePageHandler } from './reference-page.ts';
import { startPage } from './start-page.ts';

export interface SiteOptions {
  /** Base of the URLs in examples, without a slash at its end. */
  readonly publicUrl: string;
  readonly tiers: Tiers;
  readonly lifetimes: Lifetimes;
  /** What the MCP endpoint offers. */
  readonly agents: AgentFeatures;
  readonly metrics: readonly PrintedMetric[];
  /** Observations below which a metric is suppressed. */
  readonly minimumSample: number;
  /** All routes of the service; called when the page of limits is first rendered. */
  readonly routes: () => readonly Route<Principal>[];
  readonly findMarketSize: () => Promise<MarketSize>;
  /** Homes that anybody may be shown; empty where there are none. */
  readonly findHomes: () => Promise<readonly FrontHome[]>;
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
  const { publicUrl, tiers, routes, metrics, minimumSample, reference, findLoading } = options;
  const docs = (path: string, operation: string, summary: string, handler: PageHandler) =>
    pageRoute(path, operation, summary, withLoadingNotice(handler, findLoading));
  return [
    pageRoute('/', 'showHome', 'What this is, how it is, and a first request', homeHandler(options)),
    docs(
      '/docs',
      'showReference',
      'Every endpoint, and a home as the API answers with it',
      referencePageHandler({
        publicUrl,
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
      '/docs/start',
      'showFirstSteps',
      'Quickstart',
      pageHandler(() => startPage(publicUrl)),
    ),
    docs(
      '/docs/oauth',
      'showOAuth',
      'OAuth for apps',
      pageHandler(() => oauthPage(publicUrl, options.lifetimes)),
    ),
    docs(
      '/docs/mcp',
      'showAgents',
      'How to connect assistants and agents',
      pageHandler(() => mcpPage(publicUrl, options.agents)),
    ),
    docs(
      '/docs/metrics',
      'showMetrics',
      'What the figures of the market mean',
      pageHandler(() => metricsPage(metrics, minimumSample)),
    ),
    docs(
      '/docs/limits',
      'showLimits',
      'Tiers and limits, with the numbers in force',
      pageHandler(() => limitsPage(tiers, routes())),
    ),
    docs(
      '/docs/errors',
      'showErrors',
      'What each error code means',
      pageHandler(() => errorsPage(publicUrl)),
    ),
    scriptRoute(),
    route<Principal>()({
      ...common,
      path: '/docs/reference.json',
      operation: 'getReferenceDocument',
      summary: 'Get the OpenAPI document with examples from the running store',
      answer: { description: 'The document that the API reference shows.' },
      handle: referenceHandler(reference),
    }),
    textRoute('/favicon.svg', 'Get the logo', 'image/svg+xml', FAVICON_FILE),
    textRoute('/llms.txt', 'Get the summary for language models', 'text/plain', llmsText(publicUrl)),
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

function textRoute(path: string, summary: string, type: string, text: string): Route<Principal> {
  const etag = strongEtag(text);
  const headers = { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' };
  return route<Principal>()({
    ...common,
    path,
    operation: `get ${path}`,
    summary,
    accepts: [type],
    anyAccept: true,
    answer: { description: summary, contentType: type },
    handle: (call) => conditional(call.headers, etag, { text, headers }),
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
    handle: ({ headers, query }) => scalarReply({ headers }, query.v),
  });
}

/** Summary for language models, in the form of llmstxt.org. */
function llmsText(publicUrl: string): string {
  const link = (name: string, path: string, about: string): string =>
    `- [${name}](${publicUrl}${path}): ${about}`;
  return `# Freehold

> A property-listing API: search of homes for sale and for rent, areas, market statistics, properties with their history, and a
> live stream of one listing.

- Base URL: ${publicUrl}. Responses are JSON; errors are problem documents (RFC 9457) with a stable \`code\` and a remedy in \`detail\`.
- Credentials: \`Authorization: Bearer\` with an API key (SERVICE- and a UUID) or an OAuth access token. Searches, areas and market statistics
  also work without, within tight limits. Never put a key into a URL or into code that others can read.
- Agents connect to ${publicUrl}/mcp, an endpoint of the Model Context Protocol, with a key or OAuth.
- To page, send \`page.nextCursor\` as \`cursor\` with the same parameters. Unknown parameters are errors.
- A 429 says in \`Retry-After\` how long to wait.

## API description

${link('OpenAPI as JSON', '/openapi.json', 'every operation, with an example of each parameter')}
${link('OpenAPI as YAML', '/openapi.yaml', 'the same')}

## Documentation

${link('Quickstart', '/docs/start', 'from a key to the first stream')}
${link('OAuth', '/docs/oauth', 'access for apps and MCP clients: discovery, PKCE, refresh, revocation')}
${link('Agents', '/docs/mcp', 'the MCP endpoint: how to connect a client, tools, scopes, errors')}
${link('Metrics', '/docs/metrics', 'what each market metric means')}
${link('Limits', '/docs/limits', 'who may call what, and how often')}
${link('Errors', '/docs/errors', 'each code, and what to do next')}

## Optional

${link('Readiness', '/readyz?verbose', 'whether the service is ready')}
`;
}
