// Wording of names, hosts, scopes and dates on the pages.
import type { Scope } from '../../access/tiers/principal.ts';
import { atLeast, SCOPES, tierName } from '../../access/tiers/tiers.ts';
import { type Html, html } from '../../page/html.ts';

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
