// What stands in place of a home that this reader may not see, or not now: why, and what leads on.

import type { Problem } from '../../lib/problem.ts';
import { siteFooter } from '../../page/footer.ts';
import { siteHeader } from '../../page/header.ts';
import { type Html, html } from '../../page/html.ts';
import { renderLayout } from '../../page/layout.ts';
import { PAGE_STYLE, PAGE_ROOT as ROOT } from './home-page.ts';

export function renderLockedPage(problem: Problem, requestId: string): string {
  return renderLayout({
    title: problem.title,
    style: PAGE_STYLE,
    head: html`<meta name="robots" content="noindex">`,
    header: siteHeader({ root: ROOT, current: 'explore', search: { place: null, query: '' } }),
    content: lockedContent(problem, requestId, ROOT),
    footer: siteFooter({ root: ROOT }),
  });
}

/** The same for the page and a sheet over the map. `root`: prefix of links to the root of the service. */
export function lockedContent(
  { title, message, status, code }: Problem,
  requestId: string,
  root: string,
): Html {
  const isOpenToOthers = status === 401 || status === 403 || code === 'QUOTA_EXCEEDED';
  const signIn = isOpenToOthers
    ? html`<a class="btn primary" href="${root}explore/sign-in">Sign in</a><a class="btn" href="${root}billing">Compare plans</a>`
    : null;
  return html`<div class="home-missing"><h1>${title}</h1><p class="lead">${message}</p><p class="buttons">${signIn}<a class="btn bare" href="${root}">The front page</a></p>
<p class="quiet">Request <code>${requestId}</code>. Programs get this as <a href="${root}docs/errors#${code}">${code}</a>.</p></div>`;
}
