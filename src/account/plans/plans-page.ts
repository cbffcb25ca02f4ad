// Page of the plans: what each gets, what it costs, and how to get a key.

import { PLANS, type Plan, type Tiers, tierName } from '../../access/tiers/tiers.ts';
import type { OfferedPlan } from '../../billing/payment-service.ts';
import { renderFormPage } from '../../page/form-page.ts';
import { type Fragment, type Html, html, shortened, visibleText } from '../../page/html.ts';
import { planFacts, priceWords, requestWords } from './plan-words.ts';

const TITLE = 'Plans';

/** Plans that are shown where nobody says which are sold. */
const USUAL_PLANS: readonly Plan[] = ['free', 'pro', 'business'];

/** Who sells: the payment service with what it offers, null where it cannot say; `local`: the operator. */
export type Selling =
  | { readonly seller: 'polar' | 'stripe'; readonly offers: readonly OfferedPlan[] | null }
  | { readonly seller: 'local' };

export interface PlansView {
  readonly tiers: Tiers;
  readonly selling: Selling;
  /** Where customers see and change their payments; null: not set. */
  readonly portalUrl: string | null;
}

/** Each price is a form that is posted to `billing/checkout`, with `price`. */
export function renderPlansPage(view: PlansView): string {
  const { tiers, selling } = view;
  const offers = selling.seller === 'local' ? null : selling.offers;
  const plans =
    offers === null ? USUAL_PLANS : PLANS.filter((plan) => offers.some((each) => each.plan === plan));
  return renderFormPage({
    path: '/billing',
    section: 'plans',
    title: TITLE,
    content: html`<div class="board"><h1>${TITLE}</h1>
<p class="lead">A key belongs to a plan, and works wherever this service is called: from your programs, and for the apps and agents that you
connect. Searches work without a key too, within limits: ${requestWords(tiers.anonymous)}.</p>
${sellingNotice(view)}
<div class="cards plans">${plans.map((plan) => planCard(plan, view, offers))}</div>
${howToGetKey(view)}
<p class="hint last"><a href="docs/limits">All limits of each plan</a> · <a href="account">What your key has used</a></p></div>`,
  });
}

/** Said before the plans where they cannot be bought. */
function sellingNotice({ selling }: PlansView): Html | null {
  if (selling.seller === 'local') return null;
  if (selling.offers === null)
    return html`<p class="notice error" role="status"><strong>No prices at the moment.</strong> The payment service does not answer, so
nothing can be bought. Try again in a minute.</p>`;
  if (selling.offers.length > 0) return null;
  return html`<p class="notice" role="status">No plan is on sale at the moment. Ask the operator of this service.</p>`;
}

function planCard(plan: Plan, { tiers, selling }: PlansView, offers: readonly OfferedPlan[] | null): Html {
  const facts = planFacts(tiers[plan]).map(
    ([name, words]) => html`<div><dt>${name}</dt><dd>${words}</dd></div>`,
  );
  const prices = (offers ?? []).filter((each) => each.plan === plan).map(priceForm);
  return html`<article class="card" aria-labelledby="plan-${plan}"><h2 id="plan-${plan}">${tierName(plan)}</h2>
<dl class="facts">${facts}</dl>${prices}${selling.seller === 'polar' ? polarHint(prices) : null}</article>`;
}

function priceForm(offer: OfferedPlan): Html {
  const price = priceWords(offer);
  const name = shortened(visibleText(offer.name), 60);
  const plan = tierName(offer.plan);
  const product = name === '' || name === plan ? null : html`<span class="quiet">${name}</span>`;
  return html`<form class="offer" method="post" action="billing/checkout"><p><strong>${price}</strong> ${product}</p>
<button class="btn" name="price" value="${offer.priceId}" aria-label="Subscribe to ${plan}, ${price}">Subscribe</button></form>`;
}

function polarHint(prices: readonly Html[]): Html | null {
  return prices.length === 0 ? null : html`<p class="hint">Polar shows your key when you have paid.</p>`;
}

function howToGetKey({ selling, portalUrl }: PlansView): Fragment {
  if (selling.seller === 'stripe')
    return section('How it works', [
      'Subscribe shows your key once, and leads on to the payment page of Stripe. Keep the key before you pay.',
      'The key works as soon as the payment is complete, and for as long as the subscription is in force.',
      'A change of plan or of your card keeps the key.',
      portalSentence(portalUrl),
    ]);
  if (selling.seller === 'polar')
    return section('How it works', [
      'Subscribe leads on to the payment page of Polar.',
      'When you have paid, Polar shows your key with your order, and in its customer portal as long as you have the subscription.',
      'A change of plan or of your card keeps the key.',
      portalSentence(portalUrl),
    ]);
  return html`<section><h2>How to get a key</h2><p>${
    portalUrl === null
      ? 'Ask the operator of this service for a subscription. Its key is shown to them once, and they pass it on to you.'
      : html`<a class="btn primary" href="${portalUrl}" rel="noreferrer">Subscribe at ${new URL(portalUrl).host}</a>`
  }</p></section>`;
}

function section(title: string, sentences: readonly Fragment[]): Html {
  return html`<section><h2>${title}</h2><ul>${sentences.filter((each) => each !== null).map((each) => html`<li>${each}</li>`)}</ul></section>`;
}

function portalSentence(portalUrl: string | null): Fragment {
  if (portalUrl === null) return 'To change or cancel your subscription, ask the operator of this service.';
  return html`You change and cancel your subscription <a href="${portalUrl}" rel="noreferrer">at ${new URL(portalUrl).host}</a>.`;
}
