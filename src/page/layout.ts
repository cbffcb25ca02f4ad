// Layout of every page: the HTML around its header and content, and its content security policy.

import { type Fragment, Html, html } from './html.ts';
import { site } from './site.ts';
import { hashSource, withSiteColours } from './style.ts';

export interface Layout {
  readonly title: string;
  /** The whole stylesheet; the policy allows it by its hash. */
  readonly style: string;
  /** Further elements of the head. */
  readonly head?: Fragment;
  readonly header: Html;
  readonly content: Fragment;
  readonly footer?: Fragment;
  /** A script at the end, which the policy allows by its hash. */
  readonly script?: string;
  /** Modules of the service itself, as URLs relative to the page. */
  readonly scripts?: readonly string[];
  /** The one address of the page, absolute. */
  readonly canonical?: string;
  /** What other sites show of the page where somebody links to it, such as `title`, `description` and `image`. */
  readonly openGraph?: Readonly<Record<string, string>>;
  /** Class of the body, for pages whose grid differs. */
  readonly kind?: string;
}

export function renderLayout(layout: Layout): string {
  const { title, style, header, content, footer = null, script, scripts = [], kind } = layout;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title} · ${site().name}</title>${headOf(layout)}<style>${new Html(withSiteColours(style))}</style></head>
<body${kind === undefined ? null : html` class="${kind}"`}>
<a class="skip" href="#content">Skip to the content</a>
${header}
<main id="content">
${content}
</main>
${footer}${script === undefined ? null : html`<script>${new Html(script)}</script>`}${scripts.map(
  (url) => html`<script type="module" src="${url}"></script>`,
)}
</body>
</html>
`.text;
}

function headOf({ head = null, canonical, openGraph = {} }: Layout): Fragment {
  return html`${head}${canonical === undefined ? null : html`<link rel="canonical" href="${canonical}">`}${Object.entries(
    openGraph,
  ).map(([name, value]) => html`<meta property="og:${name}" content="${value}">`)}`;
}

export interface PolicyOptions {
  readonly style: string;
  readonly script?: string;
  /** Whether the page loads modules of the service itself, which may ask it for more. */
  readonly hasModules?: boolean;
  /** Sources of pictures besides the operator's logo; absent: none. */
  readonly pictures?: readonly string[];
  /** Origin of pages that may show this one in a frame; null: none. */
  readonly embedder?: string | null;
  /** Whether the page may send no form. */
  readonly isWithoutForms?: boolean;
}

/** The content security policy of a page: nothing but what it names, and no frame around it but the embedder's. */
export function contentPolicy(options: PolicyOptions): string {
  const {
    style,
    script,
    hasModules = false,
    pictures = [],
    isWithoutForms = false,
    embedder = null,
  } = options;
  const scripts = [...(script === undefined ? [] : [hashSource(script)]), ...(hasModules ? ["'self'"] : [])];
  const images = new Set([...(site().logo === null ? [] : ["'self'"]), ...pictures]);
  return [
    "default-src 'none'",
    `style-src ${hashSource(withSiteColours(style))}`,
    ...(scripts.length === 0 ? [] : [`script-src ${scripts.join(' ')}`]),
    ...(hasModules ? ["connect-src 'self'"] : []),
    ...(images.size === 0 ? [] : [`img-src ${[...images].join(' ')}`]),
    "base-uri 'none'",
    ...(isWithoutForms ? ["form-action 'none'"] : []),
    `frame-ancestors ${embedder ?? "'none'"}`,
  ].join('; ');
}
