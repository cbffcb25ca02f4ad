// Home page: the market as a map with a search box, its numbers, new homes, one request with its answer, and what people can do here.

import type { Principal, Tiers } from '../access/tiers/tiers.ts';
import type { Route } from '../http/frame/route.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { type ServiceState, siteFooter } from '../page/footer.ts';
import { siteHeader } from '../page/header.ts';
import { type Html, html } from '../page/html.ts';
import { contentPolicy, renderLayout } from '../page/layout.ts';
import { site } from '../page/site.ts';
import { usedRules } from '../page/used-rules.ts';
import { type FrontMarket, frontHero } from './front/hero.ts';
import { type FrontHome, homeCards, pictureOrigins } from './front/home-cards.ts';
import { type FrontTrends, type MarketSize, numbersSection } from './front/numbers.ts';
import { type FrontAnswer, requestSection } from './front/request.ts';
import { FRONT_STYLE } from './front/style.ts';
import { waysSection } from './front/ways.ts';
import { COPY_SCRIPT, code, type FirstLoad, loadingNotice, type PageRequest, pageReply } from './layout.ts';

export interface HomeOptions {
  readonly publicUrl: string;
  readonly tiers: Tiers;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly routes: () => readonly Route<Principal>[];
  readonly findMarketSize: () => Promise<MarketSize>;
  /** Homes that anybody may be shown; empty where there are none. */
  readonly findHomes: () => Promise<readonly FrontHome[]>;
  /** The market as a map, and views of it; null: there is none to show. */
  readonly findMarket?: () => Promise<FrontMarket | null>;
  readonly findTrends?: () => Promise<FrontTrends>;
  /** A request with its answer; null: none finds something. */
  readonly findAnswer?: () => Promise<FrontAnswer | null>;
  readonly findLoading: () => Promise<FirstLoad | null>;
  /** The module that suggests what the search box may mean, relative to the root of the service; absent: none. */
  readonly searchScript?: () => string;
}

/** Seconds until a page that cannot show the market yet is loaded again, without a script. */
const RELOADED_AFTER = '3';

const NO_TRENDS: FrontTrends = { sale: null, rental: null };

interface HomeState {
  /** Null: the database does not answer. */
  readonly size: MarketSize | null;
  readonly loading: FirstLoad | null;
  readonly homes: readonly FrontHome[];
  readonly market: FrontMarket | null;
  readonly trends: FrontTrends;
  readonly answer: FrontAnswer | null;
}

/**
 * The page shows the current state, and says so if the database is unavailable. Homes are shown only when the store is whole:
 * not during a first load, and not while it cannot be read.
 */
export function homeHandler(options: HomeOptions) {
  return async ({ headers, usage }: PageRequest): Promise<Reply> => {
    const state = await readState(options);
    const { size, homes, loading } = state;
    for (const { source } of homes) usage.shows(source);
    const { text, style } = homePage(options, state);
    const policy = contentPolicy({
      style,
      script: COPY_SCRIPT,
      hasModules: scriptsOf(options, state).length > 0,
      pictures: ['data:', "'self'", ...pictureOrigins(homes)],
    });
    const reply = pageReply(text, policy);
    if (size === null || loading !== null)
      return { text, headers: { ...reply.headers, 'cache-control': 'no-store', refresh: RELOADED_AFTER } };
    return conditional(headers, strongEtag(text), reply);
  };
}

async function readState(options: HomeOptions): Promise<HomeState> {
  const size = await nullIfUnavailable(options.findMarketSize());
  const loading = await nullIfUnavailable(options.findLoading());
  if (size === null || loading !== null)
    return { size, loading, homes: [], market: null, trends: NO_TRENDS, answer: null };
  const [homes, market, trends, answer] = await Promise.all([
    nullIfUnavailable(options.findHomes()),
    nullIfUnavailable(options.findMarket?.() ?? Promise.resolve(null)),
    nullIfUnavailable(options.findTrends?.() ?? Promise.resolve(null)),
    nullIfUnavailable(options.findAnswer?.() ?? Promise.resolve(null)),
  ]);
  return { size, loading, homes: homes ?? [], market, trends: trends ?? NO_TRENDS, answer };
}

/** The page, with the rules that it has a use for. */
function homePage(options: HomeOptions, state: HomeState): { readonly text: string; readonly style: string } {
  const { publicUrl } = options;
  const { size, loading, homes, market, answer } = state;
  const now = options.now();
  const { name, hasExplorer } = site();
  const service: ServiceState = size === null ? 'away' : loading === null ? 'ready' : 'loading';
  const operations = options
    .routes()
    .filter(({ path, page }) => page !== true && path.startsWith('/v1/')).length;
  const confirmedAt = size?.confirmedAt ?? null;
  const header = siteHeader({
    root: '',
    current: 'home',
    freshness: service === 'ready' ? { confirmedAt, now } : null,
  });
  const content = html`${loading === null ? null : loadingNotice(loading)}${
    market === null || size === null || !hasExplorer ? plainHead() : frontHero(market, size)
  }${size === null ? away() : numbers(state, size, now)}${newHomes(homes, market, now)}${
    answer === null
      ? firstRequest(options)
      : requestSection({ publicUrl, answer, cost: costOf(options), hasExplorer })
  }${waysSection({ publicUrl, hasExplorer, operations })}`;
  const footer = siteFooter({ root: '', state: service, ...(size === null ? {} : { confirmedAt }) });
  const page = {
    title: 'Homes for sale and to rent',
    head: frontHead(
      `Homes for sale and to rent at ${name}, on a map and by API, with areas and market figures.`,
    ),
    kind: 'front',
    header,
    content,
    footer,
    script: COPY_SCRIPT,
    scripts: scriptsOf(options, state),
  };
  const style = usedRules(FRONT_STYLE, renderLayout({ ...page, style: '' }) + MADE_BY_SCRIPT);
  return { text: renderLayout({ ...page, style }), style };
}

/** Only where the page has a search box. */
function scriptsOf({ searchScript }: HomeOptions, { size, market }: HomeState): readonly string[] {
  const hasSearch = market !== null && size !== null && site().hasExplorer;
  return searchScript === undefined || !hasSearch ? [] : [searchScript()];
}

/** Classes of what the scripts of the page add. */
const MADE_BY_SCRIPT = '<button class="btn bare small copy"><span class="visually-hidden">';

/** The icon is a file here: the page is to be small. */
function frontHead(summary: string): Html {
  return html`<meta name="description" content="${summary}"><link rel="icon" type="image/svg+xml" href="favicon.svg">`;
}

function plainHead(): Html {
  return html`<section class="plain"><h1>Homes for sale and to rent, areas and market figures</h1>
<p>Search them over HTTP, read one live from its source, and be notified of what changes.</p></section>`;
}

function away(): Html {
  return html`<p class="note" role="status"><strong>Not ready:</strong> the database does not answer at
the moment. This page goes on by itself as soon as it does. See <a href="readyz?verbose">readyz</a> for details.</p>`;
}

function numbers({ trends, market }: HomeState, size: MarketSize, now: number): Html {
  const sources = site().sources.map(({ name }) => name);
  return numbersSection({ size, trends, market, sources, now });
}

function newHomes(homes: readonly FrontHome[], market: FrontMarket | null, now: number): Html | null {
  if (homes.length === 0) return null;
  const { hasExplorer } = site();
  const added = market?.added.sale ?? 0;
  const all =
    hasExplorer && added > 0
      ? html`<a href="explore?listedSince=P1D">All ${added.toLocaleString('en-US')} for sale since yesterday</a>`
      : null;
  return html`<section><div class="heading"><h2>New on the market</h2>${all}</div>${homeCards(homes, { root: '', now, hasExplorer })}</section>`;
}

function costOf({ tiers }: HomeOptions): string {
  const { minute } = tiers.anonymous;
  return minute === null
    ? 'Requests without a key are not limited.'
    : `Costs 1 of ${minute.toLocaleString('en-US')} requests a minute without a key.`;
}

function firstRequest(options: HomeOptions): Html {
  return html`<section><h2>A first request</h2><p>${costOf(options)}</p>
${code(`curl '${options.publicUrl}/v1/search/sales?maxPrice=600000&minBedrooms=2&limit=3'`)}</section>`;
}
