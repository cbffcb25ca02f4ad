// Page in place of a home that there is not: never, no longer, or not for everybody; with a way on.

import { siteFooter } from '../../page/footer.ts';
import { siteHeader } from '../../page/header.ts';
import { html } from '../../page/html.ts';
import { renderLayout } from '../../page/layout.ts';
import { PAGE_STYLE, PAGE_ROOT as ROOT } from './home-page.ts';

/** `isGone`: its source has removed it. */
export function renderMissingPage({
  isGone,
  requestId,
}: {
  readonly isGone: boolean;
  readonly requestId: string;
}): string {
  const title = isGone ? 'This home is gone' : 'No such home';
  const sentence = isGone
    ? 'Its source has removed the listing, and so nothing of it is shown here any more.'
    : 'There is no home with this number here, or its source does not let it be shown. A link may have been cut, or the home removed long ago.';
  return renderLayout({
    title,
    style: PAGE_STYLE,
    head: html`<meta name="robots" content="noindex">`,
    header: siteHeader({ root: ROOT, current: 'explore', search: { place: null, query: '' } }),
    content: html`<div class="home-missing"><h1>${title}</h1><p class="lead">${sentence}</p><p class="buttons"><a class="btn primary" href="${ROOT}explore">Homes on the map</a><a class="btn" href="${ROOT}explore?for=rental">Homes for rent</a><a class="btn bare" href="${ROOT}">The front page</a></p>
<p class="quiet">Request <code>${requestId}</code>. Programs get this as <a href="${ROOT}docs/errors#LISTING_NOT_FOUND">LISTING_NOT_FOUND</a> under <code>/v1</code>.</p></div>`,
    footer: siteFooter({ root: ROOT }),
  });
}
