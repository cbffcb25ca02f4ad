// Page of the reference: a real home as the API answers with it, then every endpoint by subject.

import { conditional, strongEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { type Html, html } from '../page/html.ts';
import { site } from '../page/site.ts';
import { type FrontHome, homeCard, pictureOrigins } from './front/home-cards.ts';
import { code, link, type PageRequest, pagePolicy, pageReply, renderPage, wideTable } from './layout.ts';

export interface ReferencePageOptions {
  readonly publicUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The OpenAPI document; called when the page is shown. */
  readonly document: () => Readonly<Record<string, unknown>>;
  /** Homes that anybody may be shown; empty where there are none. */
  readonly findHomes: () => Promise<readonly FrontHome[]>;
  /** Whether a first load is under way: no home is shown then. */
  readonly isLoading: () => Promise<boolean>;
}

export function referencePageHandler(options: ReferencePageOptions) {
  return async ({ headers, usage }: PageRequest): Promise<Reply> => {
    const loading = await nullIfUnavailable(options.isLoading());
    const homes = loading === false ? ((await nullIfUnavailable(options.findHomes())) ?? []) : [];
    const [home = null] = homes;
    if (home !== null) usage.shows(home.source);
    const text = renderPage({
      name: '',
      title: 'Reference',
      summary: 'Every endpoint of the service, with its parameters, answers and errors.',
      content: html`${home === null ? null : exampleHome(home, options)}${waysToRead()}${endpoints(options.document())}`,
    });
    const policy = pagePolicy(home === null ? [] : ["'self'", ...pictureOrigins([home])]);
    return conditional(headers, strongEtag(text), pageReply(text, policy));
  };
}

/** A home of this store: how it looks, how it is requested, and the members that most readers want first. */
function exampleHome(home: FrontHome, { publicUrl, now }: ReferencePageOptions): Html {
  const { id, listingType, price, currency, priceFrequency, bedrooms, bathrooms, livingArea, address } = home;
  const members = { id, listingType, price, currency, priceFrequency, bedrooms, bathrooms, livingArea };
  const answer = JSON.stringify({ ...members, address: { full: address } }, null, 2);
  return html`<section><h2>A home, and the request for it</h2><div class="one-home">${homeCard(home, { root: '', now: now(), hasExplorer: site().hasExplorer })}<div>
${code(`curl '${publicUrl}/v1/property/${id}' \\`, `  -H "Authorization: Bearer $FREEHOLD_FREE_KEY"`)}
<p>The answer has some sixty members; these come first:</p>${code(answer)}</div></div></section>`;
}

function waysToRead(): Html {
  return html`<section><h2>Try it</h2><p><a href="${link('', 'reference')}">The interactive reference</a> shows every parameter and
schema, and sends requests from your browser. It loads 1.3 MB of script. Programs read <a
href="openapi.json">openapi.json</a>.</p></section>`;
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly deprecated?: boolean;
}

interface Tag {
  readonly name: string;
  readonly description?: string;
}

function endpoints(document: Readonly<Record<string, unknown>>): readonly Html[] {
  const operations = Object.entries(
    (document.paths ?? {}) as Record<string, Record<string, Operation>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  );
  return ((document.tags ?? []) as readonly Tag[]).flatMap(({ name, description = '' }) => {
    const anchor = `tag/${name.toLowerCase().replaceAll(' ', '-')}`;
    const rows = operations
      .filter(({ tags = [] }) => tags[0] === name)
      .map(
        ({ method, path, summary = '', deprecated = false }) =>
          html`<tr><th scope="row"><a href="${link('', 'reference')}#${anchor}/${method}${path}"><code>${method} ${path}</code></a></th>
<td>${deprecated ? html`<strong>Deprecated.</strong> ` : null}${summary}</td></tr>`,
      );
    if (rows.length === 0) return [];
    return [
      html`<section id="${anchor}"><h2>${name}</h2><p>${description}</p>
${wideTable(name, ['Endpoint', 'What it does'], rows, 'operations')}</section>`,
    ];
  });
}
