// Pages of a purchase: the new key before the payment, and what became of the payment afterwards.

import { tierName } from '../../access/tiers/tiers.ts';
import type { CheckoutState, OfferedPlan } from '../../billing/payment-service.ts';
import { renderFormPage } from '../../page/form-page.ts';
import { type Html, html } from '../../page/html.ts';
import { dayAndTime } from '../../page/time.ts';
import { priceWords } from './plan-words.ts';

export interface NewKeyView {
  readonly offer: OfferedPlan;
  readonly key: string;
  /** The page of payment. */
  readonly url: string;
  /** Milliseconds at which it closes. */
  readonly expiresAt: number;
  /** Milliseconds. */
  readonly now: number;
}

/** Shows a key that works once it is paid for. It is shown here alone, and leads nowhere but to the payment. */
export function renderNewKeyPage({ offer, key, url, expiresAt, now }: NewKeyView): string {
  const plan = tierName(offer.plan);
  const variable = `FREEHOLD_${offer.plan.toUpperCase()}_KEY`;
  return renderFormPage({
    path: '/billing/checkout',
    section: 'plans',
    title: 'Your new key',
    content: html`<h1>Keep your key, then pay</h1>
<p class="lead">This is your key for ${plan}, ${priceWords(offer)}. It is shown only now, and works as soon as the payment is complete.</p>
<pre class="key" tabindex="0" aria-label="Your key"><code>${key}</code></pre>
<p>Copy it into a password manager or secret store. Programs take it from an environment variable, never from their code:</p>
<pre><code>export ${variable}=${key}</code></pre>
<p class="choices"><a class="btn primary" href="${url}" rel="noreferrer">I have kept it: pay at ${new URL(url).host}</a></p>
<p class="hint">The payment page is open until ${dayAndTime(expiresAt, now)}.</p>
<h2>If you lose the key</h2>
<ul><li>Before you have paid: <a href="../billing">start again</a>. A key that is not paid for opens nothing, and is deleted.</li>
<li>After you have paid: ask the operator of this service for a new key. They make one for your subscription with
<code>freehold subscriptions create --for</code> and its id, and the lost one ends. Or cancel the subscription.</li></ul>`,
  });
}

export interface ReturnView {
  readonly state: CheckoutState;
  readonly seller: 'polar' | 'stripe';
  /** Id of the purchase, as the payment service names it. */
  readonly session: string;
  readonly publicUrl: string;
}

/** What became of a payment. No key is here: the page's URL is in histories and logs. */
export function renderReturnPage(view: ReturnView): string {
  const { title, content } = STATES[view.state](view);
  return renderFormPage({
    path: '/billing/return',
    section: 'plans',
    title,
    content: html`<h1>${title}</h1>${content}`,
  });
}

interface StatePage {
  readonly title: string;
  readonly content: Html;
}

const STATES: Readonly<Record<CheckoutState, (view: ReturnView) => StatePage>> = {
  complete: ({ seller, publicUrl }) => ({
    title: 'Payment complete',
    content: html`<p class="lead">${
      seller === 'stripe'
        ? 'Thank you. The key that you kept before the payment works now.'
        : 'Thank you. Polar shows your key with your order, and in its customer portal whenever you sign in there.'
    }</p>
<p>Try it. The answer shows your plan and what it has left:</p>
<pre><code>curl '${publicUrl}/v1/usage' \\
  -H 'Authorization: Bearer SERVICE-…'</code></pre>
<p><a href="../account">Your account</a> shows the same on a page. <a href="../docs/start">The first steps</a> go from here to the first search.</p>
<p class="hint last">The key is refused? The notice of your payment can take a minute. After that, ask the operator of this service.</p>`,
  }),
  open: ({ session }) => ({
    title: 'Payment not complete yet',
    content: html`<p class="lead">If you have just paid, its confirmation is on the way. Nothing is lost if you close this page: the key works as
soon as the payment is complete.</p>
<p><a class="btn primary" href="return?session=${encodeURIComponent(session)}">Look again</a></p>
<p class="hint last">You have not paid? <a href="../billing">Back to the plans</a></p>`,
  }),
  expired: () => ({
    title: 'Payment page closed',
    content: html`<p class="lead">This purchase was not paid for in time, and nothing was charged. A key that was shown for it opens nothing.</p>
<p><a class="btn primary" href="../billing">Back to the plans</a></p>`,
  }),
  unknown: () => ({
    title: 'No such purchase',
    content: html`<p class="lead">The payment service knows no purchase of this address. Nothing was charged here.</p>
<p><a class="btn primary" href="../billing">Back to the plans</a></p>`,
  }),
};

/** The page of whoever left the payment. */
export function renderCanceledPage(): string {
  return renderFormPage({
    path: '/billing/canceled',
    section: 'plans',
    title: 'Not paid',
    content: html`<h1>Not paid</h1>
<p class="lead">You left the payment page, and nothing was charged. A key that was shown opens nothing until it is paid for.</p>
<p><a class="btn primary" href="../billing">Back to the plans</a></p>`,
  });
}
