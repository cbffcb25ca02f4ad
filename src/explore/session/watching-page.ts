// Page of what a signed-in person watches, which its script fills: watchers, their events as they arrive, and one to add.

import { renderFormPage } from '../../page/form-page.ts';
import { html } from '../../page/html.ts';
import { watchedTarget } from './watched-search.ts';

/** @param query of the page: the filters of a view, or `listingId`, offer to watch that; empty: nothing is offered */
export function renderWatching(scripts: readonly string[], query: URLSearchParams): string {
  const isOffered = query.size > 0;
  const what = query.has('listingId') ? 'this home' : 'this search';
  const offer = html`<section data-offer="${JSON.stringify(watchedTarget(query))}" hidden><h2>Watch ${what}?</h2>
<p><label for="watch-name">A name for it</label> <input id="watch-name" type="text" maxlength="200"></p>
<p><button class="btn primary" type="button">Watch ${what}</button></p></section>`;
  return renderFormPage({
    path: '/explore/watching',
    section: null,
    scripts,
    title: 'What you watch',
    content: html`<h1>What you watch</h1>
<p class="lead">This service looks out for you and says what happens, here as it happens.</p>
<noscript><p class="notice">This page needs JavaScript, which is turned off in this browser. <a href="../account/watchers">Your watchers</a> are
shown without it, with your key.</p></noscript>
<p class="notice" role="status" data-state hidden></p>
<p data-sign-in hidden><button class="btn primary" type="button">Sign in</button></p>
${isOffered ? offer : null}
<section data-watchers hidden><h2>Watchers</h2><ul></ul></section>
<section data-events hidden><h2>What happens</h2><p class="hint">From now on, while this page is open. <a href="../account/watchers">Your account</a> has what happened before.</p><ol aria-live="polite"></ol></section>
<p class="hint last"><a href="../explore">To the map</a></p>`,
  });
}
