// Field for an API key, with the error beside it.
import { atLeast, SCOPES, type Scope, tierName } from '../../access/tiers/tiers.ts';
import { type Html, html } from '../../page/html.ts';

/**
 * Why a key was not accepted. `stale`: the page was left open for too long;
 * `unavailable`: nobody can tell at the moment whether the key is good.
 */
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

const WORDS: Readonly<Record<KeyFault, readonly [verdict: string, remedy: string]>> = {
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

/** The title of a page, beginning with the fault: it is what a screen reader says first. */
export function titleWith(fault: KeyFault | null, title: string): string {
  return fault === null ? title : `${WORDS[fault][0]}: ${title}`;
}

/** Label, hint, fault and field. The field is never filled in; it takes the focus only to have a fault put right. */
export function keyField(hint: string, fault: KeyFault | null): Html {
  const described = fault === null ? 'key-hint' : 'key-fault key-hint';
  const wrong = fault === null ? null : html` aria-invalid="true" autofocus`;
  const [verdict, remedy] = fault === null ? ['', ''] : WORDS[fault];
  return html`<div class="field"><label for="api_key">API key</label>
<p class="hint" id="key-hint">${hint}</p>
${fault === null ? null : html`<p class="fault" id="key-fault"><strong>${verdict}.</strong> ${remedy}</p>`}
<input type="password" id="api_key" name="api_key" autocomplete="off" autocapitalize="none" spellcheck="false"
maxlength="200" aria-describedby="${described}"${wrong}></div>`;
}

/** The text, or its beginning and an ellipsis where it is longer than `max` characters. */
export function shortened(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** Where a redirect leads. Hosts are written in ASCII, so that none can look like another. */
export interface Destination {
  /** `app.example:8443`, or the scheme of an address that an app on the device opens: `cursor:`. */
  readonly name: string;
  readonly kind: 'web' | 'computer' | 'app';
}

/** Throws a TypeError unless the redirect is an absolute URL. */
export function destinationOf(redirectUri: string): Destination {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (protocol !== 'https:' && protocol !== 'http:') return { name: protocol, kind: 'app' };
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return { name: host, kind: local ? 'computer' : 'web' };
}

/** What scopes allow, as a list; a scope that needs more than the Free tier says so. */
export function scopeList(scopes: readonly Scope[]): Html {
  const items = scopes.map((scope) => {
    const { tier, description } = SCOPES[scope];
    const from = atLeast('free', tier) ? '' : ` (from the ${tierName(tier)} tier on)`;
    return html`<li>${description}${from} <code>${scope}</code></li>`;
  });
  return html`<ul>${items}</ul>`;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Wall-clock milliseconds as people write them, in UTC. */
export function moment(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${MOMENT.format(at)} UTC</time>`;
}

/** The day alone, where more is not known. */
export function day(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString().slice(0, 10)}">${DAY.format(at)}</time>`;
}
