// Pages with forms: their layout, response headers, and the page of an error.

import { siteFooter } from './footer.ts';
import { FORM_STYLE } from './form-style.ts';
import { rootFrom, type Section, siteHeader } from './header.ts';
import { type Fragment, html } from './html.ts';
import { contentPolicy, renderLayout } from './layout.ts';

/**
 * With `no-referrer`, the form's Origin would be `null`. The policy has no `form-action`: browsers apply it to the redirects that
 * follow a form, and these end at the client.
 */
export function pageHeaders(style: string = FORM_STYLE): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': contentPolicy({ style, pictures: ["'self'"] }),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
  };
}

/** `style`: that of the page, where it is not the one of all forms. */
export function pageReply(status: number, text: string, style: string = FORM_STYLE) {
  return { status, text, headers: pageHeaders(style) };
}

export interface FormPage {
  /** Path of the page, with or without a query: links of its header begin there. */
  readonly path: string;
  readonly section: Section | null;
  readonly title: string;
  readonly content: Fragment;
  /** The stylesheet; default: that of all forms. */
  readonly style?: string;
  /** Modules of the service itself, as URLs relative to the page. */
  readonly scripts?: readonly string[];
}

export function renderFormPage({
  path,
  section,
  title,
  content,
  style = FORM_STYLE,
  scripts = [],
}: FormPage): string {
  const root = rootFrom(path);
  return renderLayout({
    title,
    style,
    // Named because browsers otherwise ask the host for it, which may serve other things above this service.
    head: html`<meta name="robots" content="noindex"><link rel="icon" type="image/svg+xml" href="${root}favicon.svg">`,
    header: siteHeader({ root, current: section }),
    content,
    footer: siteFooter({ root }),
    scripts,
  });
}

export interface ErrorPageView {
  /** Path of the request, with or without a query. */
  readonly path: string;
  readonly title: string;
  /** Sentences: what happened, and what to do next. Addresses in it stay text. */
  readonly detail: string;
  /** What follows for the reader. */
  readonly closing: string;
  /** X-Request-Id, for the operator. */
  readonly requestId?: string;
}

/** An error page. Only its header links, within this service: what failed may have been an attack. */
export function renderErrorPage({ path, title, detail, closing, requestId }: ErrorPageView): string {
  return renderFormPage({
    path,
    section: null,
    title,
    content: html`<h1>${title}</h1><p class="lead">${detail}</p>
<p>${closing}</p>
${requestId === undefined ? null : html`<p class="hint">If you ask for help, quote <code>${requestId}</code>.</p>`}`,
  });
}
