// Pages of the site: their frame, navigation, the notice of a first load, and the response.

import type { RequestContext } from '../http/frame/route.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { siteFooter } from '../page/footer.ts';
import { siteHeader } from '../page/header.ts';
import { type Fragment, Html, html, wrappable } from '../page/html.ts';
import { contentPolicy, renderLayout } from '../page/layout.ts';
import { FAVICON } from '../page/mark.ts';
import { PARTS_STYLE } from '../page/parts-style.ts';
import { FRAME_STYLE } from '../page/style.ts';
import { DOCUMENT_NAMES, DOCUMENTS, type DocumentName } from './documents.ts';
import { TEXT_STYLE } from './style.ts';

const STYLE = FRAME_STYLE + PARTS_STYLE + TEXT_STYLE;

/** Adds a button that copies to each block of code. Inline: its hash is in the pages' policy. */
export const COPY_SCRIPT = `
if (navigator.clipboard) for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn bare small copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-live', 'polite');
  button.onclick = async () => {
    await navigator.clipboard.writeText(block.querySelector('pre').textContent);
    button.textContent = 'Copied';
  };
  button.onblur = () => { button.textContent = 'Copy'; };
  block.append(button);
}
`.trim();

/** Path below /docs -> title, in the order of the navigation below the header. */
export const PAGES = {
  start: DOCUMENTS.start[0],
  '': 'Reference',
  reference: 'Try it',
  search: DOCUMENTS.search[0],
  watchers: DOCUMENTS.watchers[0],
  changes: DOCUMENTS.changes[0],
  metrics: 'Metrics',
  estimate: DOCUMENTS.estimate[0],
  oauth: DOCUMENTS.oauth[0],
  mcp: DOCUMENTS.mcp[0],
  limits: DOCUMENTS.limits[0],
  errors: 'Errors',
} as const;

export type PageName = keyof typeof PAGES | DocumentName;

/** Documents that only the navigation at the end of a page leads to. */
const FURTHER = DOCUMENT_NAMES.filter((name) => !Object.hasOwn(PAGES, name));

export interface Page {
  /** Null for a page that is not in the navigation. */
  readonly name: PageName | null;
  /** Prefix of links from the page to the root of the service; default: by its name. */
  readonly root?: string;
  readonly title: string;
  /** One sentence, for search engines and the head of the page. */
  readonly summary: string;
  /** What the page begins with; default: a paragraph of the summary. */
  readonly lead?: Html;
  readonly content: Fragment;
}

/** The policy of a page; `pictures`: sources of pictures besides those in the page itself. */
export function pagePolicy(pictures: readonly string[] = []): string {
  return contentPolicy({
    style: STYLE,
    script: COPY_SCRIPT,
    pictures: ['data:', ...pictures],
    isWithoutForms: true,
  });
}

/** A link from one page to another: relative, so that it also works under another host name or below a path. */
export function link(from: PageName | null, to: PageName): string {
  return `${toRoot(from)}${addressOf(to)}`;
}

function addressOf(name: string): string {
  return name === '' ? 'docs' : `docs/${name}`;
}

export function renderPage(page: Page): string {
  const root = page.root ?? toRoot(page.name);
  return renderLayout({
    title: page.title,
    style: STYLE,
    kind: 'text',
    head: headOf(page.summary),
    header: header(page.name, page.root),
    content: html`<div class="lead"><h1>${page.title}</h1>${page.lead ?? html`<p>${page.summary}</p>`}</div>
${page.content}`,
    footer: html`${page.name === null ? null : furtherPages(page.name)}${siteFooter({ root })}`,
    script: COPY_SCRIPT,
  });
}

/** What search engines and browsers' tabs show of a page. */
export function headOf(summary: string): Html {
  return html`<meta name="description" content="${summary}"><link rel="icon" type="image/svg+xml" href="${FAVICON}">`;
}

/** The header; on pages of the documentation with the links to all of them. */
export function header(current: PageName | null, root?: string): Html {
  if (current === null) return siteHeader({ root: root ?? '', current: null });
  const items = Object.entries(PAGES).map(([name, title]) => navigationItem(current, name, title));
  return siteHeader({
    root: toRoot(current),
    current: 'docs',
    below: html`<div class="below"><nav class="sub" aria-label="Documentation"><ul>${items}</ul></nav></div>`,
  });
}

function furtherPages(current: PageName): Html {
  const items = FURTHER.map((name) => navigationItem(current, name, DOCUMENTS[name][0]));
  return html`<nav class="sub" aria-label="Further pages"><ul>${items}</ul></nav>`;
}

function navigationItem(current: PageName, name: string, title: string): Html {
  const here = name === current ? new Html(' aria-current="page"') : null;
  return html`<li><a href="${toRoot(current)}${addressOf(name)}"${here}>${title}</a></li>`;
}

/** Prefix of links from a page to the root of the service. */
export function toRoot(from: PageName | null): string {
  return from === '' || from === null ? '' : '../';
}

/** Lines of code; long ones wrap, URLs before a parameter. A script adds a button that copies them. */
export function code(...lines: readonly string[]): Html {
  return html`<div class="code"><pre><code>${wrappable(lines.join('\n'))}</code></pre></div>`;
}

/** A table that scrolls sideways by itself on narrow screens, by keyboard too. */
export function wideTable(caption: string, head: readonly Fragment[], rows: Fragment, kind = ''): Html {
  const cells = head.map((name) => html`<th scope="col">${name}</th>`);
  return html`<div class="wide" role="region" tabindex="0" aria-label="${caption}"><table class="${kind}">
<thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Creates the handler of a page that is rendered once, at the first request. */
export function pageHandler(render: () => string | Promise<string>, policy?: () => string): PageHandler {
  const renderReply = async () => {
    const text = await render();
    return { etag: strongEtag(text), reply: pageReply(text, policy?.()) };
  };
  let rendered: ReturnType<typeof renderReply> | undefined;
  return async ({ headers }) => {
    rendered ??= renderReply();
    const { etag, reply } = await rendered;
    return conditional(headers, etag, reply);
  };
}

export function pageReply(text: string, policy = pagePolicy()): Reply {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'cross-origin-resource-policy': 'same-origin',
  };
  return { text, headers };
}

/** Progress of a first load; `total` is null if the source does not report it. */
export interface FirstLoad {
  readonly source: string;
  readonly records: number;
  readonly total: number | null;
}

export type PageRequest = Pick<RequestContext<unknown>, 'headers' | 'usage'>;
export type PageHandler = (request: PageRequest) => Reply | Promise<Reply>;

/**
 * Adds a notice below the page's header during a first load; such a response is not cached. If the database is unavailable
 * the page comes without: the documentation needs no database.
 */
export function withLoadingNotice(handler: PageHandler, findLoading: () => Promise<FirstLoad | null>) {
  return async (request: PageRequest): Promise<Reply> => {
    const loading = await nullIfUnavailable(findLoading());
    if (loading === null) return handler(request);
    const { text, headers: { etag: _, ...headers } = {} } = await handler({ ...request, headers: {} });
    return {
      text: text?.replace('</header>', (end) => `${end}${loadingNotice(loading).text}`) ?? '',
      headers: { ...headers, 'cache-control': 'no-store' },
    };
  };
}

export function loadingNotice({ source, records, total }: FirstLoad): Html {
  const count = (value: number): string => value.toLocaleString('en-US');
  const far =
    total === null ? `${count(records)} listings so far` : `${count(records)} of ${count(total)} listings`;
  return html`<p class="note" role="status">The source <strong>${source}</strong> is being loaded for the first time: ${far}.
Searches and market statistics cover what is loaded so far, and report this in <code>meta.loading</code>.</p>`;
}
