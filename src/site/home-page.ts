// Home page: what the service is, its status, homes on the market, and what people can do here.

import type { Tiers } from '../access/tiers/tiers.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { type Html, html } from '../page/html.ts';
import { dateAndTime } from '../page/time.ts';
import { frontHero } from './front-hero.ts';
import { type FrontHome, homeCards, pictureOrigins } from './home-cards.ts';
import {
  code,
  type FirstLoad,
  link,
  loadingNotice,
  type PageRequest,
  pagePolicy,
  pageReply,
  renderPage,
} from './layout.ts';

export interface MarketSize {
  /** Listings on the market. */
  readonly sales: number;
  readonly rentals: number;
  readonly areas: number;
  /** When a source last confirmed any listing, RFC 3339; null if there is none. */
  readonly confirmedAt: string | null;
}

export interface HomeOptions {
  readonly publicUrl: string;
  readonly tiers: Tiers;
  readonly findMarketSize: () => Promise<MarketSize>;
  /** Homes that anybody may be shown; empty where there are none. */
  readonly findHomes: () => Promise<readonly FrontHome[]>;
  /** The market as a map; null: there is none to show. */
  readonly findMap?: () => Promise<Html | null>;
  readonly findLoading: () => Promise<FirstLoad | null>;
}

/**
 * The page shows the current status, and says so if the database is unavailable. Homes are shown only when the store is whole:
 * not during a first load, and not while it cannot be read.
 */
export function homeHandler(options: HomeOptions) {
  const { findMarketSize, findHomes, findLoading, findMap = async () => null } = options;
  return async ({ headers }: PageRequest): Promise<Reply> => {
    const size = await nullIfUnavailable(findMarketSize());
    const loading = await nullIfUnavailable(findLoading());
    const homes = size === null || loading !== null ? [] : ((await nullIfUnavailable(findHomes())) ?? []);
    const map = size === null || loading !== null ? null : await nullIfUnavailable(findMap());
    const text = homePage(options, { size, loading, homes, map });
    const reply = pageReply(text, pagePolicy(["'self'", ...pictureOrigins(homes)], map !== null));
    if (loading !== null) return { text, headers: { ...reply.headers, 'cache-control': 'no-store' } };
    return conditional(headers, strongEtag(text), reply);
  };
}

interface HomeState {
  readonly size: MarketSize | null;
  readonly loading: FirstLoad | null;
  readonly homes: readonly FrontHome[];
  readonly map: Html | null;
}

function homePage(options: HomeOptions, { size, loading, homes, map }: HomeState): string {
  return renderPage({
    name: null,
    title: 'A property-listing API',
    summary:
      'This Freehold service searches homes for sale and for rent, serves areas and market statistics, and reads single homes with their history, live from their source.',
    hero: map === null || size === null ? null : frontHero(map, size),
    content: html`${loading === null ? null : loadingNotice(loading)}${status(size)}${onTheMarket(homes)}${ways()}${firstRequest(options)}`,
  });
}

function status(size: MarketSize | null): Html {
  if (size === null)
    return html`<section><h2>Status</h2><p class="note" role="status"><strong>Not ready:</strong> the database does not answer at
the moment. See <a href="readyz?verbose">readyz</a> for details.</p></section>`;
  const figures = [
    ['homes for sale', size.sales],
    ['homes for rent', size.rentals],
    ['areas', size.areas],
  ] as const;
  const confirmed =
    size.confirmedAt === null
      ? 'There are no listings yet.'
      : html`Last confirmed by a source on ${dateAndTime(Date.parse(size.confirmedAt))}.`;
  return html`<section><h2>Status</h2>
<dl class="market">${figures.map(([name, count]) => html`<div><dt>${name}</dt><dd>${count.toLocaleString('en-US')}</dd></div>`)}</dl>
<p>The service is up. ${confirmed}</p></section>`;
}

function onTheMarket(homes: readonly FrontHome[]): Html | null {
  if (homes.length === 0) return null;
  return html`<section><h2>New on the market</h2>${homeCards(homes, '')}</section>`;
}

interface Way {
  readonly title: string;
  readonly text: string;
  readonly links: readonly (readonly [href: string, name: string])[];
}

const WAYS: readonly Way[] = [
  {
    title: 'Search and build',
    text: 'Homes, areas and figures of the market over HTTP, one home live from its source. Start without a key.',
    links: [
      [link(null, 'start'), 'Quickstart'],
      [link(null, ''), 'Reference'],
      [link(null, 'metrics'), 'Metrics'],
    ],
  },
  {
    title: 'Connect an agent',
    text: 'Search, compare and watch from Claude, ChatGPT, an editor or an agent of your own.',
    links: [[link(null, 'mcp'), 'How to connect']],
  },
  {
    title: 'Let apps in',
    text: 'A person gives an app access without showing it a key, and ends it at any time.',
    links: [
      [link(null, 'oauth'), 'OAuth'],
      ['oauth/grants', 'Connected apps'],
    ],
  },
  {
    title: 'Watch the market',
    text: 'Get events when a home, the matches of a search or a figure changes.',
    links: [['account/watchers', 'Your watchers']],
  },
  {
    title: 'Get a key',
    text: 'What each plan gets, what it costs, and what your key has used this month.',
    links: [
      ['billing', 'Plans'],
      ['account', 'Your account'],
      [link(null, 'limits'), 'Limits'],
    ],
  },
  {
    title: 'Solve a problem',
    text: 'What each error means and what to do next, and whether this service is ready.',
    links: [
      [link(null, 'errors'), 'Errors'],
      ['readyz?verbose', 'Readiness'],
    ],
  },
];

function ways(): Html {
  const items = WAYS.map(
    ({ title, text, links }) => html`<li><h3>${title}</h3><p>${text}</p>
<span>${links.map(([href, name]) => html`<a href="${href}">${name}</a>`)}</span></li>`,
  );
  return html`<section><h2>What you can do here</h2><ul class="ways">${items}</ul></section>`;
}

function firstRequest({ publicUrl, tiers }: HomeOptions): Html {
  const { minute: limit } = tiers.anonymous;
  return html`<section><h2>A first request</h2>
<p>Searches need no key${limit === null ? '' : `, up to ${limit.toLocaleString('en-US')} a minute`}.</p>
${code(`curl '${publicUrl}/v1/search/sales?maxPrice=600000&minBedrooms=2&limit=3'`)}</section>`;
}
