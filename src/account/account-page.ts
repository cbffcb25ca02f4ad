// Page about a key: its plan, what the month has left, and where apps, watchers and payments are managed.

import { forgetForm, type KeyFault, keyField, titleWith } from '../access/key-form/key-page.ts';
import { type Tier, type TierPlan, tierName } from '../access/tiers/tiers.ts';
import { renderFormPage } from '../page/form-page.ts';
import { type Fragment, type Html, html } from '../page/html.ts';
import { dateAndTime, timeUntil } from '../page/time.ts';
import type { AccountUsage } from './account-usage.ts';
import { USAGE_STYLE, usageSection } from './usage-section.ts';

const TITLE = 'Your account';

/** Asks for a key. The form is posted to the address of the page, with `api_key`. */
export function renderAccountKeyPage(fault: KeyFault | null, notice: string | null = null): string {
  return renderFormPage({
    path: '/account',
    section: 'account',
    title: titleWith(fault, TITLE),
    content: html`<h1>${TITLE}</h1>${notice === null ? null : html`<p class="notice" role="status">${notice}</p>`}
<p class="lead">See your plan, what you have used this month, and where to change the rest.</p>
<form method="post" action="account">${keyField('It begins with SERVICE-. It is used to find your plan and is not stored.', fault)}
<button class="btn primary">Show my account</button></form>
<p class="hint last">No key yet? <a href="billing">See the plans</a></p>`,
  });
}

export interface AccountView {
  readonly tier: Tier;
  readonly limits: TierPlan;
  /** Milliseconds at which the subscription ends; null: no end is known. */
  readonly endsAt: number | null;
  /** Requests of the month; null: unlimited, and not counted. */
  readonly month: { readonly quota: number; readonly remaining: number } | null;
  /** Percent of the month that are used, from 80 on; null: less. */
  readonly notice: number | null;
  /** Milliseconds at which the next month begins. */
  readonly resetsAt: number;
  /** Apps that have access with the key. */
  readonly apps: number;
  /** Those that count against the plan, and how many it allows; null: any number. */
  readonly watchers: { readonly used: number; readonly limit: number | null };
  /** Where payments are seen and changed; null: not set. */
  readonly portalUrl: string | null;
  /** Replaces the key for a short time. */
  readonly proof: string;
  /** Whether the browser is asked to remember the key by a cookie. */
  readonly isRemembered: boolean;
  /** The last 30 days; null: not known at the moment. */
  readonly usage: AccountUsage | null;
  /** Milliseconds. */
  readonly now: number;
}

export function renderAccountPage(view: AccountView): string {
  return renderFormPage({
    path: '/account',
    section: 'account',
    title: TITLE,
    style: USAGE_STYLE,
    content: html`<h1>${TITLE}</h1>${monthNotice(view)}
<dl class="facts">${fact('Plan', planWords(view))}
${fact('This month', monthWords(view))}
${fact('Resets', html`${dateAndTime(view.resetsAt)}, ${timeUntil(view.resetsAt, view.now)}`)}
${fact('Rate', rateWords(view.limits))}
${fact('Apps', html`${appWords(view.apps)}. <a href="oauth/grants">Connected apps</a>`)}
${fact('Watchers', html`${watcherWords(view)} <a href="account/watchers">Your watchers</a>`)}
${fact('Payments', paymentWords(view))}</dl>${usageSection(view.usage)}
<form method="post" action="account"><input type="hidden" name="proof" value="${view.proof}">
<button class="btn">Show again</button></form>
<p class="hint">${view.isRemembered ? null : 'The pages of apps and watchers ask for your key again. '}<a
href="docs/limits">All limits of each plan</a></p>${forgetForm('account', view.proof, view.isRemembered)}`,
  });
}

function monthNotice({ month, notice, resetsAt }: AccountView): Html | null {
  if (notice === null || month === null) return null;
  const isOver = month.remaining === 0;
  const until = html`requests are refused until ${dateAndTime(resetsAt)}. <a href="billing">See the plans</a>`;
  return html`<div class="notice ${isOver ? 'error' : 'warning'}" role="status"><p>${isOver ? html`<strong>Nothing is left of this month.</strong> From now on, ${until}` : html`<strong>More than ${String(notice)} % of this month is used.</strong> When nothing is left, ${until}`}</p></div>`;
}

function fact(name: string, words: Fragment): Html {
  return html`<div><dt>${name}</dt><dd>${words}</dd></div>`;
}

function planWords({ tier, endsAt, now }: AccountView): Fragment {
  if (endsAt === null) return html`<strong>${tierName(tier)}</strong>`;
  return html`<strong>${tierName(tier)}</strong>, until ${dateAndTime(endsAt)} (${timeUntil(endsAt, now)})`;
}

function monthWords({ month }: AccountView): string {
  if (month === null) return 'Unlimited requests, which are not counted';
  const { quota, remaining } = month;
  const used = quota - remaining;
  const left = remaining === 0 ? 'none left' : `${count(remaining)} left`;
  return `${count(used)} of ${count(quota)} requests used; ${left}`;
}

function rateWords({ minute }: TierPlan): string {
  if (minute === null) return 'Unlimited';
  return `${count(minute)} ${minute === 1 ? 'request' : 'requests'} in any 60 seconds`;
}

function appWords(apps: number): string {
  if (apps === 0) return 'No app has access with this key';
  return apps === 1 ? 'One app has access with this key' : `${count(apps)} apps have access with this key`;
}

function watcherWords({ watchers: { used, limit } }: AccountView): string {
  return limit === null
    ? `${count(used)} in use, any number allowed.`
    : `${count(used)} of ${count(limit)} in use.`;
}

function paymentWords({ portalUrl }: AccountView): Fragment {
  if (portalUrl === null) return 'With the operator of this service.';
  return html`<a href="${portalUrl}" rel="noreferrer">See and change your payments</a> at the payment service. You sign in there: a key does
not open payments.`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
