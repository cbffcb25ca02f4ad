// Quickstart page: from a key to the first search, area, property and stream.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Html, html } from '../page/html.ts';
import { code, link, renderPage, toRoot } from './layout.ts';

/** The tested code of docs/examples. */
const BROWSER_STREAM = readFileSync(
  join(import.meta.dirname, '../../docs/examples/browser-stream.js'),
  'utf8',
).split('\n');

export function startPage(publicUrl: string): string {
  return renderPage({
    name: 'start',
    title: 'Quickstart',
    summary:
      'Get a key, search, find an area, read a property, and stream a listing. You need a shell with curl.',
    content: html`${search(publicUrl)}${keys()}${areas(publicUrl)}${property(publicUrl)}${stream(publicUrl)}${keySafety()}${nextSteps(publicUrl)}`,
  });
}

function search(publicUrl: string): Html {
  return html`<section><h2>1. Search without a key</h2>
<p>Searches and areas are open to everybody, within tight limits.</p>
${code(`curl '${publicUrl}/v1/search/sales?maxPrice=600000&minBedrooms=2&limit=3'`, `curl '${publicUrl}/v1/search/rentals?maxPrice=2500&sort=price&limit=3'`)}
<p>Different parameters are combined with AND, several values of one with OR. To get the next page, send a page's
<code>nextCursor</code> as <code>cursor</code> with the same parameters. Unknown parameters are errors, never ignored.</p></section>`;
}

function keys(): Html {
  return html`<section><h2>2. Get a key</h2>
<p>A key comes with a subscription: <a href="${toRoot('start')}billing">the plans</a> show what each gets, and how to subscribe. It has the form <code>SERVICE-</code> and a UUID. If the service runs on your own machine with the
embedded database, its first start created one per tier, in the file <code>keys.env</code> of its data directory:</p>
${code('set -a; . .freehold/keys.env; set +a')}
<p>Otherwise the operator creates a subscription and gives you its key, which is shown once:</p>
${code('npx freehold subscriptions create --plan pro --label "Acme Homes"', 'export FREEHOLD_PRO_KEY=SERVICE-…')}
<p>Send it as a header, in any request:</p>
${code('Authorization: Bearer $FREEHOLD_PRO_KEY')}</section>`;
}

function areas(publicUrl: string): Html {
  return html`<section><h2>3. Find an area</h2>
<p>Find an area by name, and use its id as <code>areaId</code> to search all listings within it.</p>
${code(`curl '${publicUrl}/v1/areas?q=har&limit=3'`, `curl '${publicUrl}/v1/search/sales?areaId=AREA_ID&limit=3'`)}</section>`;
}

function property(publicUrl: string): Html {
  return html`<section><h2>4. Read a property</h2>
<p>Every listing names its <code>propertyId</code>. The property has the current listing, earlier ones, and their history. For
Business callers it is fetched live from the source: then <code>source</code> is <code>live</code>.</p>
${code(`curl -H "Authorization: Bearer $FREEHOLD_FREE_KEY" \\`, `  '${publicUrl}/v1/property/PROPERTY_ID?include=listings,history'`)}</section>`;
}

function stream(publicUrl: string): Html {
  return html`<section><h2>5. Stream a listing</h2>
<p>From the Pro tier on. The stored record comes at once, then a live one from the source, and the stream ends within ten
seconds: <code>cached</code>, then <code>live</code> or <code>error</code>, then <code>done</code>.</p>
${code(`curl -N -H "Authorization: Bearer $FREEHOLD_PRO_KEY" \\`, `  '${publicUrl}/v1/listing/LISTING_ID'`)}
<p>A web page reads the stream with <code>fetch</code>: a browser's EventSource cannot send the header, and reconnects after the
end. Send an <a href="${link('start', 'oauth')}">OAuth token</a>, never a key.</p>
${code(...BROWSER_STREAM, `watchListing('${publicUrl}/v1/listing/LISTING_ID', token, console.log);`)}</section>`;
}

function keySafety(): Html {
  return html`<section><h2>Protect your keys</h2><ul>
<li>Keep a key in an environment variable or a secret store. Never put it into the code of a web page or an app: whoever has the code has the key.</li>
<li>Use the lowest tier that suffices. A nightly report of ten searches needs no Business key.</li>
<li>To rotate a key, create a new subscription, switch to its key, and end the old one. A key itself never changes.</li>
<li>The operator can revoke a leaked key; it stops working within ten minutes.</li></ul></section>`;
}

function nextSteps(publicUrl: string): Html {
  return html`<section><h2>Next steps</h2><ul>
<li>Generate TypeScript types: <code>npx openapi-typescript ${publicUrl}/openapi.json -o freehold.d.ts</code>.</li>
<li><a href="${link('start', '')}">The reference</a> has every endpoint and parameter, and lets you try them.</li>
<li><a href="${link('start', 'oauth')}">OAuth</a> is how an app gets access without seeing your key.</li>
<li><a href="${link('start', 'mcp')}">Agents</a> connects an assistant or an editor to this service.</li>
<li><a href="${toRoot('start')}account">Your account</a> shows your plan, what you have used this month, and when it resets.</li>
<li><a href="${toRoot('start')}account/watchers">Your watchers</a> shows what your watchers told you and where it was sent, and pauses them.</li>
<li><a href="${link('start', 'limits')}">Limits</a> lists who may call what, and how often.</li>
<li><a href="${link('start', 'errors')}">Errors</a> explains what each code means and what to do next.</li></ul></section>`;
}
