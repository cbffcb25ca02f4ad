// HTML document and response headers that all pages share.
import type { Reply } from '../../http/output/reply.ts';
import { type Fragment, Html, html } from '../../page/html.ts';
import { MARK } from '../../page/mark.ts';
import { hashSource } from '../../page/style.ts';
import { STYLE } from './style.ts';

/**
 * No `form-action`: browsers apply it to the whole chain of redirects that follows a form, and this chain ends at the
 * client, wherever that is. Nothing but the one stylesheet may be loaded, and no other page may show this one in a frame.
 */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashSource(STYLE)}`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every page here, whatever its status. With `no-referrer` the form's Origin would be `null`. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
};

/** A page as an answer. */
export function pageReply(status: number, text: string): Reply {
  return { status, text, headers: PAGE_HEADERS };
}

/** The whole document. */
export function renderDocument(page: { readonly title: string; readonly content: Fragment }): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${page.title} · Freehold</title><style>${new Html(STYLE)}</style></head>
<body>
<header><div class="top"><span class="home">${MARK}Freehold</span></div><div class="scale" aria-hidden="true"></div></header>
<main>
${page.content}
</main>
</body>
</html>
`.text;
}
