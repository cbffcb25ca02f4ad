// Layout that all pages share, and the response that carries them.

import type { RequestContext } from '../http/frame/route.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { type Fragment, Html, html } from '../page/html.ts';
import { FAVICON, MARK } from '../page/mark.ts';
import { FRAME_STYLE, hashSource } from '../page/style.ts';
import { COPY_SCRIPT } from './copy-script.ts';
import { TEXT_STYLE } from './style.ts';

const STYLE = FRAME_STYLE + TEXT_STYLE;

/** The pages, by their address below /docs, in the order of the navigation. */
export const PAGES = {
  start: 'First steps',
  '': 'Reference',
  oauth: 'OAuth',
  metrics: 'Metrics',
  limits: 'Limits',
  errors: 'Errors',
} as const;

export type PageName = keyof typeof PAGES;

export interface Page {
  /** Null: a page that the navigation does not lead to. */
  readonly name: PageName | null;
  /** From the page to the root of the service, as the beginning of a link; by default as its name says. */
  readonly root?: string;
  readonly title: string;
  /** One sentence: for search engines and for the head of the page. */
  readonly summary: string;
  readonly content: Fragment;
}

const POLICY = [
  "default-src 'none'",
  `style-src ${hashSource(STYLE)}`,
  `script-src ${hashSource(COPY_SCRIPT)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * A link from one page to another. Pages lie at /docs and just below it, and refer to each other relative to where they
 * are, so that they also work under another host name or below a path.
 */
export function link(from: PageName | null, to: PageName): string {
  return `${toRoot(from)}${addressOf(to)}`;
}

function addressOf(name: string): string {
  return name === '' ? 'docs' : `docs/${name}`;
}

/** The whole document. */
export function renderPage(page: Page): string {
  const root = page.root ?? toRoot(page.name);
  return html`<!doctype html>
<html lang="en">
<head>${headOf(page.title, page.summary, STYLE)}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header(page.name, root)}
<main id="content">
<div class="lead"><h1>${page.title}</h1><p>${page.summary}</p></div>
${page.content}
</main>
<footer><p>Freehold, a self-hosted property-listing API. Machines read <a href="${root}openapi.json">openapi.json</a>,
<a href="${root}openapi.yaml">openapi.yaml</a> or <a href="${root}llms.txt">llms.txt</a>.</p></footer>
<script>${new Html(COPY_SCRIPT)}</script>
</body>
</html>
`.text;
}

export function headOf(title: string, summary: string, style: string): Html {
  return html`<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title} · Freehold</title><meta name="description" content="${summary}">
<link rel="icon" type="image/svg+xml" href="${FAVICON}"><style>${new Html(style)}</style>`;
}

/** The name of the house, the way to the other pages, and the scale bar. */
export function header(current: PageName | null, root = toRoot(current)): Html {
  const items = Object.entries(PAGES).map(([name, title]) => {
    const here = name === current ? new Html(' aria-current="page"') : null;
    return html`<li><a href="${root}${addressOf(name)}"${here}>${title}</a></li>`;
  });
  return html`<header><div class="top"><a class="home" href="${root === '' ? './' : root}">${MARK}Freehold</a>
<nav aria-label="Documentation"><ul>${items}</ul></nav></div><div class="scale" aria-hidden="true"></div></header>`;
}

/** From a page to the root of the service, as the beginning of a link. */
export function toRoot(from: PageName | null): string {
  return from === '' || from === null ? '' : '../';
}

/** Lines of code; long ones are scrolled, with the keyboard too. A script adds a button that copies them. */
export function code(...lines: readonly string[]): Html {
  return html`<div class="code"><pre tabindex="0"><code>${lines.join('\n')}</code></pre></div>`;
}

/** A table that can be scrolled sideways by itself where the screen is narrow, with the keyboard too. */
export function wideTable(caption: string, head: readonly string[], rows: Fragment, kind = ''): Html {
  const cells = head.map((name) => html`<th scope="col">${name}</th>`);
  return html`<div class="wide" role="region" tabindex="0" aria-label="${caption}"><table class="${kind}">
<thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Makes the handler of a page that is rendered once, when it is first asked for. */
export function pageHandler(render: () => string, policy: () => string = () => POLICY) {
  let ready: { readonly reply: Reply; readonly etag: string } | undefined;
  return ({ headers }: Pick<RequestContext<unknown>, 'headers'>): Reply => {
    ready ??= prepare(render(), policy());
    return conditional(headers, ready.etag, ready.reply);
  };
}

function prepare(text: string, policy: string) {
  return { reply: pageReply(text, policy), etag: strongEtag(text) };
}

/** A page as an answer. */
export function pageReply(text: string, policy = POLICY): Reply {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'cross-origin-resource-policy': 'same-origin',
  };
  return { text, headers };
}
