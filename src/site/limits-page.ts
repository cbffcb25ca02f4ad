// Page about limits: what each tier may do, and how limits are reported.
import {
  FAILURES_PER_MINUTE,
  isTier,
  type Tier,
  type TierPlan,
  type Tiers,
  tierName,
} from '../access/tiers/tiers.ts';
import type { Access } from '../http/frame/route.ts';
import { HOUR, MINUTE } from '../lib/clock.ts';
import { type Html, html } from '../page/html.ts';
import { code, link, renderPage, wideTable } from './layout.ts';

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
}

export function limitsPage(tiers: Tiers, endpoints: readonly Endpoint[]): string {
  return renderPage({
    name: 'limits',
    title: 'Tiers and limits',
    summary:
      'The tiers of this service with their limits, who may call each endpoint, and the headers that report your usage.',
    content: html`${tierTable(tiers)}${watcherTable(tiers)}${counting()}${endpointTable(endpoints)}${headerTable()}${exceeded()}`,
  });
}

function tierTable(tiers: Tiers): Html {
  const rows = tierRows(
    tiers,
    (plan) => html`<td>${figure(plan.minute)}</td><td>${figure(plan.month)}</td><td>${figure(plan.page)}</td>
<td>${figure(plan.streams)}</td><td>${plan.live ? 'yes' : 'no'}</td>`,
  );
  const head = [
    'Tier',
    'Requests a minute',
    'Requests a month',
    'Results a page',
    'Open streams',
    'Live properties',
  ];
  return html`<section><h2>The tiers</h2>${wideTable('The tiers', head, rows, 'figures')}
<p>A <code>limit</code> above your tier's page size is capped in JSON, which names the one that held, and is a 400 in CSV, JSON lines and GeoJSON. Live properties: <code>GET /v1/property/{id}</code> fetches fresh data from the source first.</p></section>`;
}

function watcherTable(tiers: Tiers): Html {
  const rows = tierRows(
    tiers,
    (plan) => html`<td>${figure(plan.watchers)}</td><td>${plan.watchers === 0 ? '–' : plan.cadence}</td>
<td>${figure(plan.feeds)}</td><td>${duration(plan.refresh)}</td><td>${figure(plan.events)}</td>`,
  );
  const head = ['Tier', 'Watchers', 'Fastest cadence', 'Open feeds', 'Live refresh every', 'Events an hour'];
  return html`<section><h2>Watchers</h2>${wideTable('Watchers', head, rows, 'figures')}
<p>These belong to the owner of the watchers: all subscriptions of one customer share them, and the highest plan in force counts. Grants without a key share the Free numbers of the address that consented. Events beyond the number of an hour are counted and reported as <code>watcher.throttled</code>.</p></section>`;
}

/** A row for each tier, with these cells. */
function tierRows(tiers: Tiers, cells: (plan: TierPlan) => Html): Html[] {
  return (Object.entries(tiers) as [Tier, TierPlan][]).map(([tier, plan]) => {
    const name = tier === 'anonymous' ? 'No credentials' : tierName(tier);
    return html`<tr><th scope="row" class="tier">${name}</th>${cells(plan)}</tr>`;
  });
}

function figure(value: number | null): string {
  return value === null ? 'unlimited' : value.toLocaleString('en-US');
}

/** Milliseconds in the largest unit that divides them. */
function duration(value: number | null): string {
  if (value === null) return 'never';
  if (value % HOUR === 0) return `${value / HOUR} h`;
  return value % MINUTE === 0 ? `${value / MINUTE} min` : `${value / 1_000} s`;
}

function counting(): Html {
  return html`<section><h2>How requests are counted</h2><ul>
<li><strong>The minute</strong> is a sliding window: in any 60 seconds you can send at most that number of requests.</li>
<li><strong>The month</strong> is the calendar month in UTC.</li>
<li>With a key, requests count against its subscription. Without a key, they count against your address, or the /64 of an IPv6 address.</li>
<li>Requests that are identified and admitted count, even if they end in an error. Requests refused with 429 and these pages do not count.</li>
<li>Refused credentials count against your address: at most ${FAILURES_PER_MINUTE} in any 60 seconds.</li>
<li>A wrong key is always refused; it never falls back to the limits without credentials.</li></ul></section>`;
}

function endpointTable(endpoints: readonly Endpoint[]): Html {
  const { true: open = [], false: limited = [] } = Object.groupBy(
    endpoints,
    (endpoint) => `${isOpen(endpoint)}`,
  );
  const rows = limited
    .toSorted((a, b) => rank(a.access) - rank(b.access))
    .map(
      (endpoint) => html`<tr><th scope="row"><code>${nameOf(endpoint)}</code></th>
<td>${endpoint.summary}</td><td>${who(endpoint.access)}</td><td>${COUNTED[endpoint.access.counts]}</td></tr>`,
    );
  const openNames = open.map((endpoint, at) => html`${at === 0 ? '' : ', '}<code>${nameOf(endpoint)}</code>`);
  return html`<section><h2>Who may call what</h2>
${wideTable('Who may call what', ['Endpoint', 'What it does', 'Who may call it', 'Counted in'], rows)}
<p>Open to everybody and never counted, besides health and <code>openapi.json</code>: ${openNames}.</p></section>`;
}

function isOpen({ access }: Endpoint): boolean {
  return access.credentials === 'none' && access.counts === 'nothing';
}

/** GET /v1/areas/{id} */
function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

const COUNTED: Readonly<Record<Access['counts'], string>> = {
  nothing: 'nothing',
  minute: 'minute',
  month: 'minute, month',
};

/** The required credentials, in words. */
function who({ credentials, tier }: Access): string {
  if (credentials !== 'required') return 'Everybody';
  if (tier === undefined) return 'Any tier';
  return `${isTier(tier) ? tierName(tier) : tier} and above`;
}

/** Sort order: open to everybody first. */
function rank({ credentials, tier }: Access): number {
  if (credentials !== 'required') return 0;
  return tier === undefined ? 1 : 2;
}

const HEADERS: readonly (readonly [name: string, meaning: string])[] = [
  ['RateLimit-Policy', 'The limits in force: at most q requests in w seconds.'],
  ['RateLimit', 'Remaining quota: r requests, and t seconds until more.'],
  ['X-RateLimit-Limit', 'Quota of the limit that you reach first.'],
  ['X-RateLimit-Remaining', 'Remaining requests of that limit.'],
  ['X-RateLimit-Reset', 'Seconds until more requests are available.'],
  ['Retry-After', 'On 429 and 503: seconds to wait before a retry.'],
];

function headerTable(): Html {
  const rows = HEADERS.map(
    ([name, meaning]) => html`<tr><th scope="row"><code>${name}</code></th><td>${meaning}</td></tr>`,
  );
  return html`<section><h2>Rate-limit headers</h2>
<p>Every response to a counted request has these headers, including errors and streams. They follow draft 11 of RateLimit header fields for HTTP; the X- headers are for older clients.</p>
${wideTable('Headers', ['Header', 'Meaning'], rows)}
${code('RateLimit-Policy: "minute";q=60;w=60, "month";q=1000;w=2592000', 'RateLimit: "minute";r=57;t=41, "month";r=912;t=864000')}</section>`;
}

function exceeded(): Html {
  return html`<section><h2>Exceeded limits</h2>
<p>The response is 429 with the code <a href="${link('limits', 'errors')}#RATE_LIMITED">RATE_LIMITED</a>, <a
href="${link('limits', 'errors')}#QUOTA_EXCEEDED">QUOTA_EXCEEDED</a> or <a
href="${link('limits', 'errors')}#TOO_MANY_STREAMS">TOO_MANY_STREAMS</a>. <code>violatedPolicies</code> names each exceeded
limit, and <code>Retry-After</code> says how long to wait.</p></section>`;
}
