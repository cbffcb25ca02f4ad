// Layout of every page: the HTML around its header and content, and its content security policy.

import { type Fragment, Html, html } from './html.ts';
import { hashSource } from './style.ts';

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
}

export function renderLayout({
  title,
  style,
  head = null,
  header,
  content,
  footer = null,
  script,
}: Layout): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title} · Freehold</title>${head}<style>${new Html(style)}</style></head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header}
<main id="content">
${content}
</main>
${footer}${script === undefined ? null : html`<script>${new Html(script)}</script>`}
</body>
</html>
`.text;
}

export interface PolicyOptions {
  readonly style: string;
  readonly script?: string;
  /** Sources of pictures; absent: none. */
  readonly pictures?: readonly string[];
  /** Whether the page may send no form. */
  readonly isWithoutForms?: boolean;
}

/** The content security policy of a page: nothing but what it names, and no frame around it. */
export function contentPolicy({ style, script, pictures, isWithoutForms = false }: PolicyOptions): string {
  return [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
    ...(pictures === undefined ? [] : [`img-src ${pictures.join(' ')}`]),
    "base-uri 'none'",
    ...(isWithoutForms ? ["form-action 'none'"] : []),
    "frame-ancestors 'none'",
  ].join('; ');
}
