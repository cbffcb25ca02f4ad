// Page about OAuth: when to use it instead of a key, the flow, lifetimes and errors.
import { atLeast, SCOPES, tierName } from '../access/tiers/tiers.ts';
import { DAY, HOUR, MINUTE } from '../lib/clock.ts';
import { type Fragment, type Html, html } from '../page/html.ts';
import { code, link, renderPage, toRoot, wideTable } from './layout.ts';

/** Milliseconds. */
export interface Lifetimes {
  readonly consentPage: number;
  readonly code: number;
  readonly accessToken: number;
  readonly refreshToken: number;
  readonly registration: number;
}

export function oauthPage(publicUrl: string, lifetimes: Lifetimes): string {
  return renderPage({
    name: 'oauth',
    title: 'OAuth for apps',
    summary:
      'How a program gets access that a person grants and can revoke, without seeing a key: OAuth 2.1 with PKCE, for MCP clients and all other apps.',
    content: html`${choice()}${steps(publicUrl)}${scopes()}${lifetimeTable(lifetimes)}${faults()}${ending()}`,
  });
}

function choice(): Html {
  return html`<section><h2>Key or OAuth?</h2><ul>
<li><strong>Your own server, your own subscription:</strong> a key. It is one header, and it does not expire.</li>
<li><strong>A program that others use with their subscriptions, and every MCP client:</strong> OAuth. The program never sees the
person's key, and its access can be revoked without touching the key.</li>
<li><strong>Code that anyone can read,</strong> such as a web page or an app: OAuth, never a key.</li></ul></section>`;
}

function steps(publicUrl: string): Html {
  return html`<section><h2>The flow</h2>
<p>A library does this for you: give it the URL of the service. By hand:</p><ol>
<li>Discover the endpoints. Any 401 leads here too, through its <code>WWW-Authenticate</code>.
${code(`${publicUrl}/.well-known/oauth-authorization-server`)}</li>
<li>Identify your client: register once, or publish a client metadata document and use its https URL as <code>client_id</code>. A program
on the person's own computer needs neither.
${code(`curl '${publicUrl}/oauth/register' \\`, "  -H 'Content-Type: application/json' \\", `  -d '{"client_name": "My program",`, `       "redirect_uris": ["http://127.0.0.1:9000/callback"]}'`)}</li>
<li>Send the person's browser to the consent page, with a new <code>state</code> and the SHA-256 of a new random verifier.
${code(`${publicUrl}/oauth/authorize?response_type=code`, '  &client_id=…&redirect_uri=…&state=…', '  &code_challenge=…&code_challenge_method=S256')}</li>
<li>The browser returns to your redirect URI with <code>code</code>, <code>state</code> and <code>iss</code>. Compare
<code>state</code> with yours and <code>iss</code> with <code>${publicUrl}</code>, then exchange the code.
${code(`curl '${publicUrl}/oauth/token' \\`, '  -d grant_type=authorization_code -d client_id=… \\', '  -d code=… -d code_verifier=… -d redirect_uri=…')}</li>
<li>Send the access token instead of a key: <code>Authorization: Bearer …</code></li>
<li>When it has expired, refresh. The response has a new refresh token; the old one is no longer valid.
${code(`curl '${publicUrl}/oauth/token' \\`, '  -d grant_type=refresh_token -d client_id=… \\', '  -d refresh_token=…')}</li>
<li>Revoke access when the program is removed.
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
  return html`<section><h2>Scopes</h2>${wideTable('Scopes', ['Scope', 'Allows', 'Tiers'], rows)}
<p>Without <code>scope</code>, all are requested. A scope does not raise the tier: what the subscription does not include stays refused.</p></section>`;
}

function lifetimeTable(lifetimes: Lifetimes): Html {
  const rows = [
    row('Consent page', formatDuration(lifetimes.consentPage)),
    row('Authorization code', `${formatDuration(lifetimes.code)}, one use`),
    row('Access token', formatDuration(lifetimes.accessToken)),
    row('Refresh token', `${formatDuration(lifetimes.refreshToken)}, replaced at every refresh`),
    row('Registration', `${formatDuration(lifetimes.registration)}; grants outlive it`),
  ];
  return html`<section><h2>Lifetimes</h2>${wideTable('Lifetimes', ['What', 'Lifetime'], rows)}
<p>A refresh checks the subscription: a changed tier applies from then on, and if the subscription has ended, the grant ends. The same
refresh token sent again within 30 seconds returns the same new pair, so a lost response does no harm. Used later than
that it counts as stolen, and the grant ends.</p></section>`;
}

/** In the largest unit that fits, such as `1 hour` or `30 days`. */
function formatDuration(milliseconds: number): string {
  const units = { day: DAY, hour: HOUR, minute: MINUTE };
  const [unit, size] = Object.entries(units).find(([, size]) => milliseconds >= size) ?? ['minute', MINUTE];
  const count = milliseconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function faults(): Html {
  const rows = [
    row(
      named('invalid_grant'),
      'The code or refresh token is no longer valid. Send the person to the consent page again.',
    ),
    row(named('invalid_client'), 'The operator revoked the client. Register again.'),
    row(
      named('temporarily_unavailable'),
      'Nothing is lost. Wait as long as Retry-After says, and send the same request again.',
    ),
    row(named('access_denied'), 'The person declined. Ask again only when they want to.'),
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
      'The subscription does not include this. Another consent changes nothing.',
    ),
  ];
  return html`<section><h2>Errors</h2>${wideTable('Errors', ['Error', 'What to do'], rows)}
<p>All other errors of these endpoints mean that the program must be fixed; <code>error_description</code> says what is wrong.</p></section>`;
}

function errorLink(problem: string): Html {
  return html`<a href="${link('oauth', 'errors')}#${problem}"><code>${problem}</code></a>`;
}

function ending(): Html {
  return html`<section><h2>Ending access</h2>
<p>The holder of a key sees under <a href="${toRoot('oauth')}oauth/grants">connected apps</a> which apps have access with it, and can end it
at once.</p></section>`;
}
