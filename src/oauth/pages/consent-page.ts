// Consent page: a person decides whether a client may act for them.

import { type KeyFault, keyField, titleWith } from '../../access/key-form/key-page.ts';
import type { Scope } from '../../access/tiers/tiers.ts';
import { PLANS, type Tiers, tierName } from '../../access/tiers/tiers.ts';
import { renderFormPage } from '../../page/form-page.ts';
import { type Html, html, shortened } from '../../page/html.ts';
import { type Client, cleanClientName } from '../clients/client.ts';
import { scopeList } from './scope-list.ts';

export interface ConsentView {
  /** Where the service is reached from outside, without a slash at the end. */
  readonly publicUrl: string;
  readonly client: Pick<Client, 'kind' | 'id' | 'name'>;
  /** Validated: an absolute URL. */
  readonly redirectUri: string;
  /** Whether all redirect URIs of the client are on the person's own computer. */
  readonly localOnly: boolean;
  readonly scopes: readonly Scope[];
  /** URLs of the protected resources. */
  readonly resources: readonly string[];
  readonly tiers: Tiers;
  /** The signed request, sent back with the decision. */
  readonly transaction: string;
  readonly fault: KeyFault | null;
}

/**
 * The page, as HTML. Its forms are posted to the address of the page with `transaction`, `decision` (`key`, `free` or `deny`)
 * and, with `key` only, `api_key`: the other decisions do not send an entered key.
 */
export function renderConsent(view: ConsentView): string {
  const to: Destination =
    view.client.kind === 'own'
      ? { name: `${new URL(view.publicUrl).host}/explore`, kind: 'here' }
      : destinationOf(view.redirectUri);
  return renderFormPage({
    path: '/oauth/authorize',
    section: null,
    title: titleWith(view.fault, view.client.kind === 'own' ? 'Sign in' : 'Connect an app'),
    content: html`<div class="consent"><div class="intro">${lead(view, to)}${caution(view, to)}</div>
<div class="decision">${withKey(view)}${withoutKey(view, to)}</div>
<div class="details">${facts(view, to)}${tierTable(view)}</div></div>`,
  });
}

/** One sentence before the decision; the details come below or beside it. */
function lead({ publicUrl, client }: ConsentView, to: Destination): Html {
  if (client.kind === 'own')
    return html`<h1>Sign in</h1>
<p class="lead">The explorer of <strong>${new URL(publicUrl).host}</strong> asks to use this service on your behalf, and takes you
back to where you were.</p>`;
  const name = cleanClientName(client.name);
  const who = name === null ? 'An app without a name' : html`<strong><bdi>${name}</bdi></strong>`;
  return html`<h1>Connect an app</h1>
<p class="lead">${who} asks to use Freehold at <strong>${new URL(publicUrl).host}</strong> on your behalf, and takes you to
<strong>${to.name}</strong>.</p>`;
}

function facts({ client, scopes, resources }: ConsentView, to: Destination): Html {
  return html`<dl class="facts"><div><dt>App</dt><dd>${identity(client)}</dd></div>
<div><dt>Takes you to</dt><dd><strong>${to.name}</strong><p class="hint">${WHERE[to.kind]}</p></dd></div>
<div><dt>It may</dt><dd>${scopeList(scopes)}</dd></div>
<div><dt>At</dt><dd>${resources.map((resource) => html`<code class="long">${resource}</code>`)}</dd></div>
<div><dt>Until</dt><dd>You end it with your key under <a href="grants">connected apps</a>, or it is unused for 30 days</dd></div></dl>`;
}

function identity({ kind, id, name }: ConsentView['client']): Html {
  if (kind === 'own')
    return html`<strong>${name}</strong><p class="hint">The map of this service. It is part of it, not somebody else's app.</p>`;
  const cleanName = cleanClientName(name);
  const origin = html`<p class="hint">${originOf(kind, id)}</p>`;
  if (cleanName === null) return html`<strong>No name</strong>${origin}`;
  return html`<strong><bdi>${cleanName}</bdi></strong><p class="hint">The app chose this name itself. It is not verified.</p>${origin}`;
}

function originOf(kind: Exclude<Client['kind'], 'own'>, id: string): Html {
  const address = html`<code class="long">${shortened(id, 300)}</code>`;
  if (kind === 'document') return html`Described by <strong>${new URL(id).host}</strong>, at ${address}`;
  if (kind === 'registered') return html`Registered here by itself, as ${address}`;
  return html`Not registered here. It calls itself ${address}`;
}

const WHERE: Readonly<Record<Destination['kind'], string>> = {
  here: 'This service. Your browser goes back to the view that you came from.',
  web: 'A website. Your browser goes there next, with a code that gives access.',
  computer: 'A program on this computer. Your browser hands it a code that gives access.',
  app: 'An app on this device that opens such links. Your browser hands it a code that gives access.',
};

/** None for the explorer: it is no stranger's. */
function caution({ client, localOnly }: ConsentView, to: Destination): Html | null {
  if (client.kind === 'own') return null;
  if (localOnly)
    return html`<div class="notice warning" role="note"><p><strong>Unverified app on this computer.</strong> Any program here could
ask like this. Continue only if you have just started this one yourself and trust it.</p></div>`;
  return html`<div class="notice warning" role="note"><p><strong>Unverified app.</strong> Continue only if you came here from it, and
expect to be taken to <strong>${to.name}</strong>.</p></div>`;
}

function withKey({ client, transaction, fault }: ConsentView): Html {
  const hint =
    client.kind === 'own'
      ? 'Only this page sees it. The map gets a token of its own, which ends when you sign out.'
      : 'Only Freehold sees it. The app gets a token of its own, which you can revoke.';
  return html`<section aria-label="With your key">
<form method="post" action="authorize">${hidden(transaction)}
${keyField(hint, fault)}
<button class="btn primary" name="decision" value="key">Continue with this key</button></form></section>`;
}

function withoutKey({ transaction, tiers }: ConsentView, to: Destination): Html {
  const { minute, month } = tiers.free;
  return html`<section aria-label="Without a key"><p id="free-hint">The Free tier: ${rate(minute, 'a minute')} and
${rate(month, 'a month')}, shared by all at your address.</p>
<div class="choices"><form method="post" action="authorize">${hidden(transaction)}
<button class="btn" name="decision" value="free" aria-describedby="free-hint">Continue with the Free tier</button></form>
<form method="post" action="authorize">${hidden(transaction)}
<button class="btn bare" name="decision" value="deny" aria-describedby="cancel-hint">Cancel</button></form></div>
<p class="hint" id="cancel-hint">Cancel takes you to ${to.name} without access.</p></section>`;
}

function rate(limit: number | null, per: string): string {
  return limit === null ? `unlimited requests ${per}` : `${limit.toLocaleString('en-US')} requests ${per}`;
}

function hidden(transaction: string): Html {
  return html`<input type="hidden" name="transaction" value="${transaction}">`;
}

/** The tiers of keys with their limits. */
function tierTable({ client, tiers }: ConsentView): Html {
  const counted =
    client.kind === 'own'
      ? 'Looking around counts against none of these. Live listings, watchers and calls of the API do.'
      : 'Requests of the app count as yours.';
  const rows = PLANS.map((tier) => {
    const { minute, month, streams } = tiers[tier];
    return html`<tr><th scope="row">${tierName(tier)}</th><td>${figure(minute)}</td><td>${figure(month)}</td><td>${streams === 0 ? 'no' : 'yes'}</td></tr>`;
  });
  return html`<section aria-labelledby="tiers"><h2 id="tiers">What your key's tier allows</h2>
<div class="wide" role="region" tabindex="0" aria-labelledby="tiers"><table><thead><tr><th scope="col">Tier</th>
<th scope="col">Requests a minute</th><th scope="col">Requests a month</th><th scope="col">Live listings</th></tr></thead><tbody>${rows}</tbody></table></div>
<p class="hint">${counted}</p></section>`;
}

function figure(value: number | null): string {
  return value === null ? 'unlimited' : value.toLocaleString('en-US');
}

interface Destination {
  /** `app.example:8443`, or the scheme of an app on the device, such as `cursor:`. */
  readonly name: string;
  readonly kind: 'here' | 'web' | 'computer' | 'app';
}

/** Where a redirect leads. Hosts are in ASCII, so that none can look like another. */
function destinationOf(redirectUri: string): Destination {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (protocol !== 'https:' && protocol !== 'http:') return { name: protocol, kind: 'app' };
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return { name: host, kind: local ? 'computer' : 'web' };
}
