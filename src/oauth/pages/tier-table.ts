// Table of tiers on the consent page.
import { PLANS, type Tiers, tierName } from '../../access/tiers/tiers.ts';
import { type Html, html } from '../../page/html.ts';

/** The tiers that a key can have, with the numbers in force. */
export function tierTable(tiers: Tiers): Html {
  const rows = PLANS.map((tier) => {
    const { minute, month, streams } = tiers[tier];
    return html`<tr><th scope="row">${tierName(tier)}</th><td>${figure(minute)}</td><td>${figure(month)}</td><td>${streams === 0 ? 'no' : 'yes'}</td></tr>`;
  });
  return html`<section aria-labelledby="tiers"><h2 id="tiers">What your key's tier allows</h2>
<div class="wide" role="region" tabindex="0" aria-labelledby="tiers"><table><thead><tr><th scope="col">Tier</th>
<th scope="col">Requests a minute</th><th scope="col">Requests a month</th><th scope="col">Live listings</th></tr></thead><tbody>${rows}</tbody></table></div>
<p class="hint">Requests of the app count as yours.</p></section>`;
}

function figure(value: number | null): string {
  return value === null ? 'unlimited' : value.toLocaleString('en-US');
}
