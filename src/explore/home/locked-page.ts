// Page in place of a home that this reader may not see, or not now: why, and what leads on.

import type { Problem } from '../../lib/problem.ts';
import { siteFooter } from '../../page/footer.ts';
import { siteHeader } from '../../page/header.ts';
import { html } from '../../page/html.ts';
import { renderLayout } from '../../page/layout.ts';
import { PAGE_STYLE, PAGE_ROOT as ROOT } from './home-page.ts';

export function renderLockedPage({ title, message, status, code }: Problem, requestId: string): string {
  const isOpenToOthers = status === 401 || status === 403 || code === 'QUOTA_EXCEEDED';
  const signIn = isOpenToOthers
    ? html`<a class="btn primary" href="${ROOT}explore/sign-in">Sign in</a><a class="btn" href="${ROOT}billing">Compare plans</a>`
    : null;
  return renderLayout({
    title,
    style: PAGE_STYLE,
    head: html`<meta name="robots" content="noindex">`,
    header: siteHeader({ root: ROOT, current: 'explore', search: { place: null, query: '' } }),
    content: html`<div class="home-missing"><h1>${title}</h1><p class="lead">${message}</p><p class="buttons">${signIn}<a class="btn bare" href="${ROOT}">The front page</a></p>
<p class="quiet">Request <code>${requestId}</code>. Programs get this as <a href="${ROOT}docs/errors#${code}">${code}</a>.</p></div>`,
    footer: siteFooter({ root: ROOT }),
  });
}
