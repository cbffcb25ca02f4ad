// Owns the page about access by OAuth: when it is better than a key, the flow, how long things live, what to do about errors.
import { atLeast, SCOPES, tierName } from '../access/tiers/tiers.ts';
import { type Fragment, type Html, html } from '../page/html.ts';
import { code, link, renderPage, toRoot, wideTable } from './layout.ts';

export function oauthPage(publicUrl: string): string {
  return renderPage({
    name: 'oauth',
    title: 'Access for apps, by OAuth',
    summary:
      'How a program gets access that a person grants and can end, without ever seeing a key: OAuth 2.1 with PKCE, for MCP clients and all others.',
    content: html`${choice()}${steps(publicUrl)}${scopes()}${lifetimes()}${faults()}${ending()}`,
  });
}

function choice(): Html {
  return html`<section><h2>A key or OAuth?</h2><ul>
<li><strong>Your own server, your own subscription:</strong> a key. It is one header, and nothing expires.</li>
<li><strong>A program that others use with their subscriptions, and every MCP client:</strong> OAuth. The person's key never reaches
the program, and its access can be ended without touching the key.</li>
<li><strong>Code that anyone can read,</strong> such as a page or an app: OAuth, never a key.</li></ul></section>`;
}

function steps(publicUrl: string): Html {
  return html`<section><h2>The flow</h2>
<p>A library does this for you: give it the address of the service. By hand:</p><ol>
<li>Read where things are. Any 401 leads here too, by its <code>WWW-Authenticate</code>.
${code(`${publicUrl}/.well-known/oauth-authorization-server`)}</li>
<li>Say who you are: register once, or publish a metadata document and use its https address as <code>client_id</code>. A program
on the person's own computer may do without.
${code(`curl '${publicUrl}/oauth/register' \\`, "  -H 'Content-Type: application/json' \\", `  -d '{"client_name": "My program",`, `       "redirect_uris": ["http://127.0.0.1:9000/callback"]}'`)}</li>
<li>Send the person's browser to the consent page, with a new <code>state</code> and the SHA-256 of a new random verifier.
${code(`${publicUrl}/oauth/authorize?response_type=code`, '  &client_id=…&redirect_uri=…&state=…', '  &code_challenge=…&code_challenge_method=S256')}</li>
<li>The browser comes back to your redirect with <code>code</code>, <code>state</code> and <code>iss</code>. Compare
<code>state</code> with yours and <code>iss</code> with <code>${publicUrl}</code>, then redeem the code.
${code(`curl '${publicUrl}/oauth/token' \\`, '  -d grant_type=authorization_code -d client_id=… \\', '  -d code=… -d code_verifier=… -d redirect_uri=…')}</li>
<li>Send the access token where a key would stand: <code>Authorization: Bearer …</code></li>
<li>When it has expired, refresh. The answer has a new refresh token; the old one is over.
${code(`curl '${publicUrl}/oauth/token' \\`, '  -d grant_type=refresh_token -d client_id=… \\', '  -d refresh_token=…')}</li>
<li>Give access back when the program is removed.
${code(`curl '${publicUrl}/oauth/revoke' -d client_id=… -d token=…`)}</li></ol></section>`;
}

function row(first: Fragment, ...cells: readonly Fragment[]): Html {
  return html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}

const named = (name: string): Html => html`<code>${name}</code>`;

function scopes(): Html {
  const rows = Object.entries(SCOPES).map(([scope, { description, tier }]) =>
    row(named(scope), description, atLeast('free', tier) ? 'Any tier' : `${tierName(tier)} and above`),
  );
  return html`<section><h2>Scopes</h2>${wideTable('Scopes', ['Scope', 'What it allows', 'Of use to'], rows)}
<p>Without <code>scope</code> all are asked for. A scope does not lift a tier: what the subscription does not include stays refused.</p></section>`;
}

function lifetimes(): Html {
  const rows = [
    row('Consent page', '10 minutes'),
    row('Authorization code', '5 minutes, one use'),
    row('Access token', '1 hour'),
    row('Refresh token', '30 days, and replaced by every refresh'),
    row('Registration', '30 days; grants outlive it'),
  ];
  return html`<section><h2>How long things live</h2>${wideTable('How long things live', ['What', 'How long'], rows)}
<p>A refresh asks about the subscription afresh: its tier of that moment counts from then on, and when it has ended, so has the
access. The same refresh token sent again within 30 seconds gives the same new pair, so a lost answer does no harm. Used later than
that it counts as stolen, and the access ends.</p></section>`;
}

function faults(): Html {
  const rows = [
    row(
      named('invalid_grant'),
      'The code or refresh token is over. Send the person to the consent page again.',
    ),
    row(named('invalid_client'), 'The client was revoked here. Register again.'),
    row(
      named('temporarily_unavailable'),
      'Nothing is lost. Wait as long as Retry-After says, and send the same again.',
    ),
    row(named('access_denied'), 'The person said no. Ask again only when they want to.'),
    row(
      html`${errorLink('EXPIRED_TOKEN')}, ${errorLink('INVALID_TOKEN')}`,
      'Refresh once, and send the request again.',
    ),
    row(
      errorLink('INSUFFICIENT_SCOPE'),
      'Ask for consent again, with the scopes that WWW-Authenticate names.',
    ),
    row(
      errorLink('TIER_RESTRICTED'),
      'The subscription does not include this. Asking for consent again changes nothing.',
    ),
  ];
  return html`<section><h2>What can go wrong</h2>${wideTable('What can go wrong', ['Error', 'What to do'], rows)}
<p>All other errors of these endpoints are faults of the program; <code>error_description</code> says which.</p></section>`;
}

function errorLink(problem: string): Html {
  return html`<a href="${link('oauth', 'errors')}#${problem}"><code>${problem}</code></a>`;
}

function ending(): Html {
  return html`<section><h2>To end access</h2>
<p>Whoever holds a key sees under <a href="${toRoot('oauth')}oauth/grants">connected apps</a> what has access with it, and ends
it at once.</p></section>`;
}
