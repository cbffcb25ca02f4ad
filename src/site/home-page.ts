// Home page: what the service is, its status, and a first request.

import type { Tiers } from '../access/tiers/tiers.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { type Html, html } from '../page/html.ts';
import {
  code,
  type FirstLoad,
  link,
  loadingNotice,
  type PageRequest,
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
  readonly findLoading: () => Promise<FirstLoad | null>;
}

/** The page shows the current status, and says so if the database is unavailable. */
export function homeHandler(options: HomeOptions) {
  const { findMarketSize, findLoading } = options;
  return async ({ headers }: PageRequest): Promise<Reply> => {
    const size = await nullIfUnavailable(findMarketSize());
    const loading = await nullIfUnavailable(findLoading());
    const text = homePage(options, size, loading);
    const reply = pageReply(text);
    if (loading !== null) return { text, headers: { ...reply.headers, 'cache-control': 'no-store' } };
    return conditional(headers, strongEtag(text), reply);
  };
}

function homePage(options: HomeOptions, size: MarketSize | null, loading: FirstLoad | null): string {
  return renderPage({
    name: null,
    title: 'A property-listing API',
    summary:
      'This Freehold service searches homes for sale and for rent, serves areas and market statistics, and reads single homes with their history, live from their source.',
    content: html`${loading === null ? null : loadingNotice(loading)}${status(size)}${firstRequest(options)}${nextSteps()}`,
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
      : `Last confirmed by a source on ${minute(size.confirmedAt)}.`;
  return html`<section><h2>Status</h2>
<dl class="market">${figures.map(([name, count]) => html`<div><dt>${name}</dt><dd>${count.toLocaleString('en-US')}</dd></div>`)}</dl>
<p>The service is up. ${confirmed}</p></section>`;
}

/** 22 November 2026, 17:55 UTC */
function minute(time: string): string {
  const style = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Date(time).toLocaleString('en-GB', style)} UTC`;
}

function firstRequest({ publicUrl, tiers }: HomeOptions): Html {
  const { minute: limit } = tiers.anonymous;
  return html`<section><h2>A first request</h2>
<p>Searches need no key${limit === null ? '' : `, up to ${limit.toLocaleString('en-US')} a minute`}.</p>
${code(`curl '${publicUrl}/v1/search/sales?maxPrice=600000&minBedrooms=2&limit=3'`)}</section>`;
}

function nextSteps(): Html {
  return html`<section><h2>Documentation</h2><ul>
<li><a href="${link(null, 'start')}">Quickstart</a>: from a key to the first stream in five minutes.</li>
<li><a href="${link(null, '')}">Reference</a>: every endpoint, with requests to copy.</li>
<li><a href="${link(null, 'oauth')}">OAuth</a>: how apps get access without seeing a key.</li>
<li><a href="${link(null, 'mcp')}">Agents</a>: connect Claude, ChatGPT, an editor or an agent of your own.</li>
<li><a href="billing">Plans</a>: what each gets, and how to get a key.</li>
<li><a href="account">Your account</a>: your plan, and what you have used this month.</li>
<li><a href="account/watchers">Your watchers</a>: what they told you, and where it was sent.</li>
<li><a href="${link(null, 'limits')}">Limits</a>: who may call what, and how often.</li>
<li><a href="${link(null, 'errors')}">Errors</a>: what each code means and what to do next.</li></ul></section>`;
}
