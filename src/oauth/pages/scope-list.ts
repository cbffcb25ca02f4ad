// List of scopes, as several pages show it.

import type { Scope } from '../../access/tiers/tiers.ts';
import { atLeast, SCOPES, tierName } from '../../access/tiers/tiers.ts';
import { type Html, html } from '../../page/html.ts';

/** What scopes allow; a scope that needs more than the Free tier says so. */
export function scopeList(scopes: readonly Scope[]): Html {
  const items = scopes.map((scope) => {
    const { tier, description } = SCOPES[scope];
    const from = atLeast('free', tier) ? '' : ` (from the ${tierName(tier)} tier on)`;
    return html`<li>${description}${from} <code>${scope}</code></li>`;
  });
  return html`<ul>${items}</ul>`;
}
