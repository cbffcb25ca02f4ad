// What stands in place of a home that there is not: never, no longer, or not for everybody; with a way on.

import { siteFooter } from '../../page/footer.ts';
import { siteHeader } from '../../page/header.ts';
import { type Html, html } from '../../page/html.ts';
import { renderLayout } from '../../page/layout.ts';
import { PAGE_STYLE, PAGE_ROOT as ROOT } from './home-page.ts';

export interface MissingHome {
  /** Its source has removed it. */
  readonly isGone: boolean;
  readonly requestId: string;
}

const titleOf = ({ isGone }: MissingHome): string => (isGone ? 'This home is gone' : 'No such home');

export function renderMissingPage(home: MissingHome): string {
  return renderLayout({
    title: titleOf(home),
    style: PAGE_STYLE,
    head: html`<meta name="robots" content="noindex">`,
    header: siteHeader({ root: ROOT, current: 'explore', search: { place: null, query: '' } }),
    content: missingContent(home, ROOT),
    footer: siteFooter({ root: ROOT }),
  });
}

/** The same for the page and a sheet over the map. `root`: prefix of links to the root of the service. */
export function missingContent(home: MissingHome, root: string): Html {
  const { isGone, requestId } = home;
  const sentence = isGone
    ? 'Its source has removed the listing, and so nothing of it is shown here any more.'
    : 'There is no home with this number here, or its source does not let it be shown. A link may have been cut, or the home removed long ago.';
  return html`<div class="home-missing"><h1>${titleOf(home)}</h1><p class="lead">${sentence}</p><p class="buttons"><a class="btn primary" href="${root}explore">Homes on the map</a><a class="btn" href="${root}explore?for=rental">Homes for rent</a><a class="btn bare" href="${root}">The front page</a></p>
<p class="quiet">Request <code>${requestId}</code>. Programs get this as <a href="${root}docs/errors#LISTING_NOT_FOUND">LISTING_NOT_FOUND</a> under <code>/v1</code>.</p></div>`;
}
