// Pages of sign-in: what it gives, for browsers without script too, and the page that takes the code after consent.

import { SCOPES, tierName } from '../../access/tiers/tiers.ts';
import { renderFormPage } from '../../page/form-page.ts';
import { type Html, html } from '../../page/html.ts';

/** Says what signing in gives and needs. With script it has a button, which the script shows. */
export function renderSignIn(scripts: readonly string[]): string {
  return renderFormPage({
    path: '/explore/sign-in',
    section: null,
    scripts,
    title: 'Sign in',
    content: html`<h1>Sign in to the explorer</h1>
<p class="lead">Everybody may look around. Signed in, you see more and can have this service watch for you.</p>
${gains()}
<h2>With a key, or without</h2>
<p>The next page asks for an API key, and is the only one that ever does: the map gets a token of its own, which ends when you sign
out. Without a key you can go on with the Free tier. <a href="../billing">What the plans give</a>.</p>
<div data-sign-in hidden><button class="btn primary" type="button">Sign in</button></div>
<noscript><p class="notice">Signing in needs JavaScript, which is turned off in this browser. The map, the lists and
<a href="../account">your account</a> work without it.</p></noscript>
<p class="hint last"><a href="../explore">Back to the map</a></p>`,
  });
}

function gains(): Html {
  const live = tierName(SCOPES['listings:live'].tier);
  return html`<ul><li>Lists go on past their first hundred homes, and show more of them at once.</li>
<li>You can watch a search or a home, and see what happens to it arrive.</li>
<li>From the ${live} tier on, a home can be read live from its source while you look.</li></ul>`;
}

/** Takes the code after consent. Its script goes on to the view that the sign-in began at. */
export function renderCallback(scripts: readonly string[]): string {
  return renderFormPage({
    path: '/explore/callback',
    section: null,
    scripts,
    title: 'Signing in',
    content: html`<h1>Signing in</h1>
<p class="lead" role="status" data-callback>Going back to the view that you came from.</p>
<noscript><p class="notice">This needs JavaScript, which is turned off in this browser. Nobody is signed in, and what you have just
allowed ends by itself within five minutes.</p></noscript>
<p class="hint last"><a href="../explore">To the map</a></p>`,
  });
}
