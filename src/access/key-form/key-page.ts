// Page that asks for a key: its field, and why a key was not accepted.

import { Problem } from '../../lib/problem.ts';
import { pageReply } from '../../page/form-page.ts';
import { type Html, html } from '../../page/html.ts';
import type { RefusalReason } from '../tiers/provider.ts';

/** Why a key was not accepted. `stale`: the page has expired. `unavailable`: keys cannot be checked at the moment. */
export type KeyFault =
  | ('missing' | 'invalid' | 'expired' | 'throttled' | 'stale' | 'unavailable')
  | RefusalReason;

/** The status of a page that shows this fault. */
const STATUSES: Readonly<Record<KeyFault, number>> = {
  missing: 401,
  invalid: 401,
  expired: 401,
  unpaid: 401,
  paused: 401,
  pending: 401,
  replaced: 401,
  throttled: 429,
  stale: 401,
  unavailable: 503,
};

const TEXTS: Readonly<Record<KeyFault, readonly [summary: string, remedy: string]>> = {
  missing: ['No key', 'Enter an API key.'],
  invalid: [
    'Key not accepted',
    'It belongs to no active subscription. Compare it with the key that you received.',
  ],
  expired: ['Key not accepted', 'Its subscription has ended. Renew it, or use another key.'],
  unpaid: ['Key not accepted', 'Its subscription is not paid for. Pay the open invoice, then try again.'],
  paused: ['Key not accepted', 'Its subscription is paused. Resume it, then try again.'],
  pending: ['Key not accepted yet', 'It works as soon as its payment is complete. Try again in a minute.'],
  replaced: ['Key not accepted', 'Another key of the same subscription has replaced it. Use that one.'],
  throttled: [
    'Key not checked',
    'Too many wrong keys came from your address. Wait a minute, then try again.',
  ],
  stale: ['Time is up', 'This page was open for more than ten minutes. Please decide again.'],
  unavailable: ['Key not checked', 'Keys cannot be checked at the moment. Try again in a minute.'],
};

/** The title of a page, after its fault: screen readers read the title first. */
export function titleWith(fault: KeyFault | null, title: string): string {
  return fault === null ? title : `${TEXTS[fault][0]}: ${title}`;
}

/** Label, hint, fault and field. The field is never filled in, and is focused only to correct a fault. */
export function keyField(hint: string, fault: KeyFault | null): Html {
  const describedBy = fault === null ? 'key-hint' : 'key-fault key-hint';
  const invalid = fault === null ? null : html` aria-invalid="true" autofocus`;
  const [summary, remedy] = fault === null ? ['', ''] : TEXTS[fault];
  return html`<div class="field"><label for="api_key">API key</label>
<p class="hint" id="key-hint">${hint}</p>
${fault === null ? null : html`<p class="fault" id="key-fault"><strong>${summary}.</strong> ${remedy}</p>`}
<input type="password" id="api_key" name="api_key" autocomplete="off" autocapitalize="none" spellcheck="false"
maxlength="200" aria-describedby="${describedBy}"${invalid}></div>`;
}

const FAULTS: Readonly<Record<string, KeyFault>> = {
  MISSING_API_KEY: 'missing',
  INVALID_API_KEY: 'invalid',
  EXPIRED_API_KEY: 'expired',
  RATE_LIMITED: 'throttled',
  OVERLOADED: 'unavailable',
  SUBSCRIPTIONS_UNAVAILABLE: 'unavailable',
};

const REASONS: readonly string[] = ['unpaid', 'paused', 'pending', 'replaced'] satisfies RefusalReason[];

/** Why a key was not accepted, of what KeyForm throws; null for any other error. */
export function keyFaultOf(error: unknown): KeyFault | null {
  if (!(error instanceof Problem)) return null;
  const { reason } = error.members;
  if (typeof reason === 'string' && REASONS.includes(reason)) return reason as RefusalReason;
  return FAULTS[error.code] ?? null;
}

/** The end of a page that a key has opened: how to have it forgotten. `account`: link to the page of the account. */
export function forgetForm(account: string, proof: string, isRemembered: boolean): Html {
  if (!isRemembered)
    return html`<p class="hint last">This page is open for ten minutes at a time. <a href="${account}">Use another key</a></p>`;
  return html`<form class="last" method="post" action="${account}"><input type="hidden" name="proof" value="${proof}">
<p class="hint">Your account, apps and watchers open without your key in this browser, if it keeps cookies, until ten minutes after the last
of these pages.</p>
<button class="btn" name="forget" value="1">Forget my key</button></form>`;
}

/** A page with a key field, in the status of its fault. */
export function keyPageReply(page: string, fault: KeyFault | null, publicUrl: string) {
  const { status, text, headers } = pageReply(fault === null ? 200 : STATUSES[fault], page);
  if (status !== 401) return { status, text, headers };
  const metadata = `${publicUrl}/.well-known/oauth-protected-resource`;
  return {
    status,
    text,
    headers: { ...headers, 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
  };
}
