// Page of connected apps: which apps have access with a key.

import { forgetForm, type KeyFault, keyField, titleWith } from '../../access/key-form/key-page.ts';
import { type Scope, type Tier, tierName } from '../../access/tiers/tiers.ts';
import { cleanClientName } from '../../oauth/clients/client.ts';
import { scopeList } from '../../oauth/pages/scope-list.ts';
import { knownName } from '../../oauth/protocol/explorer-client.ts';
import { renderFormPage } from '../../page/form-page.ts';
import { type Html, html, shortened } from '../../page/html.ts';
import { date, dateAndTime } from '../../page/time.ts';

export interface GrantView {
  /** The form sends it back as `end`. */
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string | null;
  readonly scopes: readonly Scope[];
  readonly tier: Tier;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds, exact to the day. */
  readonly lastUsedAt: number;
}

/** Asks for a key. The form is posted to the address of the page, with `api_key`. */
export function renderGrantsKeyPage(fault: KeyFault | null): string {
  return renderFormPage({
    path: '/oauth/grants',
    section: 'account',
    title: titleWith(fault, 'Connected apps'),
    content: html`<h1>Connected apps</h1>
<p class="lead">See which apps may use Freehold with your key, and end what you no longer want.</p>
<form method="post" action="grants">${keyField('It begins with SERVICE-. It is used to find your apps and is not stored.', fault)}
<button class="btn primary">Show my apps</button></form>
<p class="hint last">Apps that you connected without a key are not listed: end their access in the app itself.</p>`,
  });
}

export interface GrantListView {
  readonly grants: readonly GrantView[];
  /** Replaces the key for a short time. */
  readonly proof: string;
  /** What has just been done, as a sentence. */
  readonly notice: string | null;
  /** Whether the browser is asked to remember the key by a cookie. */
  readonly isRemembered: boolean;
}

/** Lists the grants, each with a form that sends `proof` and, as `end`, the grant's id. */
export function renderGrantList({ grants, proof, notice, isRemembered }: GrantListView): string {
  const count = grants.length === 1 ? 'One app has' : `${grants.length} apps have`;
  return renderFormPage({
    path: '/oauth/grants',
    section: 'account',
    title: 'Connected apps',
    content: html`<h1>Connected apps</h1>
${notice === null ? null : html`<p class="notice" role="status">${notice}</p>`}
<p class="lead">${grants.length === 0 ? 'No app has' : count} access with this key.</p>
${grants.map((grant) => article(grant, proof))}
${grants.length === 0 ? null : html`<p class="hint last">Access ends at once. The app can ask you again, and you decide again.</p>`}
${forgetForm(isRemembered ? '../account' : 'grants', proof, isRemembered)}`,
  });
}

function article(grant: GrantView, proof: string): Html {
  const clientName = knownName(grant.clientId, grant.clientName);
  const name = cleanClientName(clientName) ?? shortened(grant.clientId, 100);
  const heading = `app-${grant.id}`;
  return html`<article class="grant" aria-labelledby="${heading}"><h2 id="${heading}"><bdi>${name}</bdi></h2>
<dl class="facts"><div><dt>App</dt><dd><code class="long">${shortened(grant.clientId, 300)}</code></dd></div>
<div><dt>It may</dt><dd>${scopeList(grant.scopes)}</dd></div>
<div><dt>Tier</dt><dd>${tierName(grant.tier)}</dd></div>
<div><dt>Since</dt><dd>${dateAndTime(grant.createdAt)}</dd></div>
<div><dt>Last used</dt><dd>${date(grant.lastUsedAt)}</dd></div></dl>
<form method="post" action="grants"><input type="hidden" name="proof" value="${proof}">
<button class="btn" name="end" value="${grant.id}" aria-label="End access of ${name}">End access</button></form></article>`;
}
