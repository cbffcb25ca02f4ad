// Page of connected apps: which apps have access with a key.

import { type Scope, type Tier, tierName } from '../../access/tiers/tiers.ts';
import { type Html, html } from '../../page/html.ts';
import { cleanClientName } from '../clients/client.ts';
import { renderDocument } from './document.ts';
import { day, type KeyFault, keyField, moment, scopeList, shortened, titleWith } from './elements.ts';

export interface GrantView {
  /** What the form sends back as `end`. */
  readonly id: string;
  readonly clientId: string;
  /** The name that the client gave itself; null: none. */
  readonly clientName: string | null;
  readonly scopes: readonly Scope[];
  readonly tier: Tier;
  /** Wall-clock milliseconds. */
  readonly since: number;
  /** Wall-clock milliseconds, true to the day; null: not known. */
  readonly lastUsedAt: number | null;
}

/** Asks for a key, or shows what goes with the key that was sent. */
export type GrantsView =
  | { readonly step: 'ask'; readonly fault: KeyFault | null }
  | {
      readonly step: 'list';
      readonly grants: readonly GrantView[];
      /** A short-lived signed token that stands for the key, sent back as `proof`. */
      readonly proof: string;
      /** What has just been done, as a sentence; null: nothing. */
      readonly notice: string | null;
    };

/**
 * The page, as HTML. Its forms are posted to the address of the page: `api_key` asks for the list, and `proof` with `end`,
 * the id of a grant, ends that access.
 */
export function renderGrants(view: GrantsView): string {
  return view.step === 'ask' ? renderAsk(view.fault) : renderList(view);
}

function renderAsk(fault: KeyFault | null): string {
  return renderDocument({
    title: titleWith(fault, 'Connected apps'),
    content: html`<h1>Connected apps</h1>
<p class="lead">See which apps may use Freehold with your key, and end what you no longer want.</p>
<form method="post" action="grants">${keyField('It begins with SERVICE-. It is used to find your apps and is not stored.', fault)}
<button class="primary">Show my apps</button></form>
<p class="hint last">Apps that you connected without a key are not listed: end their access in the app itself.</p>`,
  });
}

function renderList({ grants, proof, notice }: Extract<GrantsView, { step: 'list' }>): string {
  const count = grants.length === 1 ? 'One app has' : `${grants.length} apps have`;
  return renderDocument({
    title: 'Connected apps',
    content: html`<h1>Connected apps</h1>
${notice === null ? null : html`<p class="notice" role="status">${notice}</p>`}
<p class="lead">${grants.length === 0 ? 'No app has' : count} access with this key.</p>
${grants.map((grant) => article(grant, proof))}
<p class="hint last">Access ends at once. The app can ask you again, and you decide again. <a href="grants">Use another key</a></p>`,
  });
}

function article(grant: GrantView, proof: string): Html {
  const name = cleanClientName(grant.clientName) ?? shortened(grant.clientId, 100);
  const heading = `app-${grant.id}`;
  return html`<article class="grant" aria-labelledby="${heading}"><h2 id="${heading}"><bdi>${name}</bdi></h2>
<dl class="facts"><div><dt>App</dt><dd><code class="long">${shortened(grant.clientId, 300)}</code></dd></div>
<div><dt>It may</dt><dd>${scopeList(grant.scopes)}</dd></div>
<div><dt>Tier</dt><dd>${tierName(grant.tier)}</dd></div>
<div><dt>Since</dt><dd>${moment(grant.since)}</dd></div>
${grant.lastUsedAt === null ? null : html`<div><dt>Last used</dt><dd>${day(grant.lastUsedAt)}</dd></div>`}</dl>
<form method="post" action="grants"><input type="hidden" name="proof" value="${proof}">
<button name="end" value="${grant.id}" aria-label="End access of ${name}">End access</button></form></article>`;
}
