// Footer of every page: where else to go, the state of the data, whose it is, and the operator's links.

import { type Fragment, type Html, html } from './html.ts';
import { brand } from './mark.ts';
import { type SourceLine, site } from './site.ts';
import { dateAndTime } from './time.ts';

/** Of the service as a page found it: `away` while its database does not answer. */
export type ServiceState = 'ready' | 'loading' | 'away';

export interface FooterOptions {
  /** Prefix of links from the page to the root of the service. */
  readonly root: string;
  /** Sources of what the page shows; default: those of the service. */
  readonly sources?: readonly SourceLine[];
  /** When a source last confirmed what the page shows, RFC 3339; null: none has; absent: nothing said. */
  readonly confirmedAt?: string | null;
  /** How the service is; absent: nothing said. */
  readonly state?: ServiceState;
  /** Version of the service; default: that of the process. */
  readonly version?: string;
}

export function siteFooter({
  root,
  sources = site().sources,
  confirmedAt,
  state,
  version = site().version ?? undefined,
}: FooterOptions): Html {
  const { name, legal, notice, sourceUrl } = site();
  return html`<footer class="site-footer"><div class="foot"><div><a class="home" href="${root === '' ? './' : root}">${brand(root)}</a>
<p>Homes for sale and for rent, areas and figures of the market, from ${name === 'Freehold' ? 'one place that you run yourself' : 'one place'}.</p></div>
${columns(root)}<div><h2>State</h2><ul>${state === undefined ? null : html`<li>${stateLine(root, state)}</li>`}${
    confirmedAt === undefined
      ? null
      : html`<li>${confirmedAt === null ? 'No listings yet' : html`Last confirmed ${dateAndTime(Date.parse(confirmedAt))}`}</li>`
  }${state === undefined ? html`<li><a href="${root}readyz?verbose">Is everything well?</a></li>` : null}
<li>${version === undefined ? null : `Version ${version} · `}${licence(sourceUrl)}</li></ul></div>
${legalLines(sources, notice, legal)}</div></footer>`;
}

/** The licence of the program; with a link to its source where that has an address. */
function licence(sourceUrl: string | null): Fragment {
  return sourceUrl === null ? 'Apache-2.0' : html`Apache-2.0 · <a href="${sourceUrl}">Source</a>`;
}

const STATES: Readonly<Record<ServiceState, readonly [dot: string, words: string]>> = {
  ready: ['', 'All well'],
  loading: [' warning', 'A source is being loaded'],
  away: [' error', 'The database does not answer'],
};

function stateLine(root: string, state: ServiceState): Html {
  const [kind, words] = STATES[state];
  return html`<a href="${root}readyz?verbose"><span class="dot${kind}"></span>${words}</a>`;
}

function columns(root: string): readonly Html[] {
  const { hasExplorer, hasMarket } = site();
  const lists: readonly (readonly [string, readonly (readonly [path: string, title: string] | null)[]])[] = [
    [
      'Look',
      [
        hasExplorer ? ['explore', 'Explore the map'] : null,
        hasMarket ? ['explore/market', 'Market figures'] : null,
        ['docs/metrics', 'What figures mean'],
      ],
    ],
    [
      'Build',
      [
        ['docs/start', 'First steps'],
        ['docs', 'Reference'],
        ['docs/mcp', 'Agents'],
        ['docs/errors', 'Errors'],
      ],
    ],
    [
      'Service',
      [
        ['billing', 'Plans'],
        ['docs/limits', 'Limits'],
        ['account', 'Your account'],
        ['account/watchers', 'Your watchers'],
        ['oauth/grants', 'Connected apps'],
      ],
    ],
  ];
  return lists.map(([title, links]) => {
    const items = links.map((link) =>
      link === null ? null : html`<li><a href="${root}${link[0]}">${link[1]}</a></li>`,
    );
    return html`<nav aria-label="${title}"><h2>${title}</h2><ul>${items}</ul></nav>`;
  });
}

function legalLines(
  sources: readonly SourceLine[],
  notice: string | null,
  legal: readonly { readonly name: string; readonly href: string }[],
): Html | null {
  if (sources.length === 0 && notice === null && legal.length === 0) return null;
  const names = sources.map(({ name }) => name).join(', ');
  const lines = [...new Set(sources.flatMap(({ line }) => (line === null ? [] : [line])))];
  return html`<div class="legal">${names === '' ? null : html`<p>Listings: ${names}</p>`}${[
    ...lines,
    ...(notice === null ? [] : [notice]),
  ].map((line) => html`<p>${line}</p>`)}${
    legal.length === 0
      ? null
      : html`<ul>${legal.map(({ name, href }) => html`<li><a href="${href}">${name}</a></li>`)}</ul>`
  }</div>`;
}
