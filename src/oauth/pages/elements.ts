// Elements that several pages share: the key field with its fault, the list of scopes, shortened text.

import type { Scope } from '../../access/tiers/tiers.ts';
import { atLeast, SCOPES, tierName } from '../../access/tiers/tiers.ts';
import { type Html, html } from '../../page/html.ts';

/** Why a key was not accepted. `stale`: the page has expired. `unavailable`: keys cannot be checked at the moment. */
export type KeyFault = 'missing' | 'invalid' | 'expired' | 'throttled' | 'stale' | 'unavailable';

/** The status of a page that shows this fault. */
export const KEY_FAULT_STATUS: Readonly<Record<KeyFault, number>> = {
  missing: 401,
  invalid: 401,
  expired: 401,
  throttled: 429,
  stale: 401,
  unavailable: 503,
};

const KEY_FAULT_TEXTS: Readonly<Record<KeyFault, readonly [verdict: string, remedy: string]>> = {
  missing: ['No key', 'Enter an API key.'],
  invalid: [
    'Key not accepted',
    'It belongs to no active subscription. Compare it with the key that you received.',
  ],
  expired: ['Key not accepted', 'Its subscription has ended. Renew it, or use another key.'],
  throttled: [
    'Key not checked',
    'Too many wrong keys came from your address. Wait a minute, then try again.',
  ],
  stale: ['Time is up', 'This page was open for more than ten minutes. Please decide again.'],
  unavailable: ['Key not checked', 'Keys cannot be checked at the moment. Try again in a minute.'],
};

/** The title of a page, after its fault: screen readers read the title first. */
export function titleWith(fault: KeyFault | null, title: string): string {
  return fault === null ? title : `${KEY_FAULT_TEXTS[fault][0]}: ${title}`;
}

/** Label, hint, fault and field. The field is never filled in, and is focused only to correct a fault. */
export function keyField(hint: string, fault: KeyFault | null): Html {
  const describedBy = fault === null ? 'key-hint' : 'key-fault key-hint';
  const invalid = fault === null ? null : html` aria-invalid="true" autofocus`;
  const [verdict, remedy] = fault === null ? ['', ''] : KEY_FAULT_TEXTS[fault];
  return html`<div class="field"><label for="api_key">API key</label>
<p class="hint" id="key-hint">${hint}</p>
${fault === null ? null : html`<p class="fault" id="key-fault"><strong>${verdict}.</strong> ${remedy}</p>`}
<input type="password" id="api_key" name="api_key" autocomplete="off" autocapitalize="none" spellcheck="false"
maxlength="200" aria-describedby="${describedBy}"${invalid}></div>`;
}

/** What scopes allow; a scope that needs more than the Free tier says so. */
export function scopeList(scopes: readonly Scope[]): Html {
  const items = scopes.map((scope) => {
    const { tier, description } = SCOPES[scope];
    const from = atLeast('free', tier) ? '' : ` (from the ${tierName(tier)} tier on)`;
    return html`<li>${description}${from} <code>${scope}</code></li>`;
  });
  return html`<ul>${items}</ul>`;
}

/** The text, cut with an ellipsis beyond `max` characters. */
export function shortened(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}
