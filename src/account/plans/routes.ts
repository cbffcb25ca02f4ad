// Routes of a purchase: the plans, the checkout that makes a key, and where the payment leads back to.

import { Type } from 'typebox';
import {
  FORM_BODY,
  type FormCall,
  foreignForm,
  PAGE_ROUTE,
  renderRefusal,
  withHeaders,
} from '../../access/key-form/account-form.ts';
import { isSameOrigin } from '../../access/key-form/key-form.ts';
import { createServiceThrottle } from '../../access/limits/request-throttle.ts';
import type { SharedCounting } from '../../access/limits/shared/shared-counting.ts';
import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import type { Principal, Tiers } from '../../access/tiers/tiers.ts';
import type { OfferedPlan, PaymentService } from '../../billing/payment-service.ts';
import { type Route, route } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { isUnavailable } from '../../lib/problem.ts';
import { isLoopback } from '../../lib/settings.ts';
import { pageReply } from '../../page/form-page.ts';
import { renderCanceledPage, renderNewKeyPage, renderReturnPage } from './checkout-page.ts';
import { askService, createFindOffers, type FindOffers } from './offers.ts';
import { renderPlansPage, type Selling } from './plans-page.ts';

/** Purchases that one address, or /64, may begin in any minute. */
const CHECKOUTS_PER_MINUTE = 10;
/** Pages of return that one address, or /64, may open in any minute: each asks the payment service. */
const RETURNS_PER_MINUTE = 30;

const CheckoutForm = Type.Object({
  price: Type.String({ maxLength: 200, description: 'The id of a price that the page of plans offers.' }),
});

export interface BillingPageOptions {
  /** Who sells; null: the operator, by their own ways. */
  readonly service: PaymentService | null;
  readonly publicUrl: string;
  readonly tiers: Tiers;
  readonly clock: Clock;
  /** Counts with other processes; null or absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  readonly portalUrl: string | null;
  /** Called with errors that no reader sees. */
  readonly report: (error: unknown) => void;
}

/** The parts of a service that sells. */
interface Shop extends BillingPageOptions {
  readonly service: PaymentService;
  readonly findOffers: FindOffers;
}

const common = { ...PAGE_ROUTE, tag: 'Account' } as const;

/** GET /billing; with a payment service also the routes of a purchase. */
export function billingPageRoutes(options: BillingPageOptions): readonly Route<Principal>[] {
  const { service } = options;
  const shop =
    service === null ? null : { ...options, service, findOffers: createFindOffers({ ...options, service }) };
  const plans = route<Principal>()({
    ...common,
    method: 'GET',
    path: '/billing',
    operation: 'showPlans',
    summary: 'Show the plans and their prices',
    handle: async () => pageReply(200, renderPlansPage({ ...options, selling: await findSelling(shop) })),
  });
  return shop === null ? [plans] : [plans, ...purchaseRoutes(shop)];
}

async function findSelling(shop: Shop | null): Promise<Selling> {
  return shop === null ? { seller: 'local' } : { seller: shop.service.name, offers: await shop.findOffers() };
}

function purchaseRoutes(shop: Shop): readonly Route<Principal>[] {
  const define = route<Principal>();
  const checkouts = createServiceThrottle(shop, 'checkouts', CHECKOUTS_PER_MINUTE);
  const returns = createServiceThrottle(shop, 'purchases', RETURNS_PER_MINUTE);
  return [
    define({
      ...common,
      method: 'POST',
      path: '/billing/checkout',
      operation: 'beginCheckout',
      summary: 'Make a key, and lead on to its payment',
      ...FORM_BODY,
      body: CheckoutForm,
      handle: async (call) => {
        if (!isSameOrigin(call.headers, shop.publicUrl)) return foreignForm(call);
        const wait = await checkouts.take(addressGroup(call.address));
        return wait > 0
          ? tooManyPages(call, wait)
          : unlessUnavailable(shop, call, () => beginCheckout(shop, call, call.body.price));
      },
    }),
    define({
      ...common,
      method: 'GET',
      path: '/billing/return',
      operation: 'showPurchase',
      summary: 'Show what became of a payment',
      handle: async (call) => {
        const wait = await returns.take(addressGroup(call.address));
        return wait > 0
          ? tooManyPages(call, wait)
          : unlessUnavailable(shop, call, () => showPurchase(shop, call.url));
      },
    }),
    define({
      ...common,
      method: 'GET',
      path: '/billing/canceled',
      operation: 'showCanceledPurchase',
      summary: 'Show that nothing was paid',
      handle: () => privateReply(200, renderCanceledPage()),
    }),
  ];
}

/** A page whose address is given to nobody: it has no form, so no-referrer does not hide where a form comes from. */
function privateReply(status: number, text: string): Reply {
  return withHeaders(pageReply(status, text), { 'referrer-policy': 'no-referrer' });
}

async function beginCheckout(shop: Shop, call: FormCall, price: string): Promise<Reply> {
  const { service, clock, publicUrl } = shop;
  const offers = await shop.findOffers();
  if (offers === null) throw new ProviderUnavailable(new Error('The plans are not known'));
  const offer = offers.find(({ priceId }) => priceId === price);
  if (offer === undefined) return notOffered(call);
  const returnUrl = `${publicUrl}/billing/return`;
  const wanted = { priceId: offer.priceId, returnUrl, cancelUrl: `${publicUrl}/billing/canceled` };
  const checkout = await askService(clock, (signal) => service.createCheckout(wanted, signal));
  if (checkout === null) return notOffered(call); // It went since the offers were fetched.
  requirePaymentPage(checkout.url);
  return checkout.key === null
    ? leadTo(checkout.url)
    : showKey(shop, offer, { ...checkout, key: checkout.key });
}

function showKey(
  { clock }: Shop,
  offer: OfferedPlan,
  { key, url, expiresAt }: { readonly key: string; readonly url: string; readonly expiresAt: number },
): Reply {
  return privateReply(200, renderNewKeyPage({ offer, key, url, expiresAt, now: clock.now() }));
}

function leadTo(location: string): Reply {
  return {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  };
}

/** Throws ProviderUnavailable for an address to which nobody's browser should be led. */
function requirePaymentPage(address: string): void {
  const url = URL.parse(address);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return;
  throw new ProviderUnavailable(new Error('The payment service gave no https address of a payment page'));
}

/** Ids of purchases as payment services write them. */
const SESSION = /^[\w-]{1,200}$/;

/** Parameters besides `session` are those of the payment service. */
async function showPurchase(shop: Shop, address: string): Promise<Reply> {
  const { service, clock, publicUrl } = shop;
  const session = URL.parse(address, publicUrl)?.searchParams.get('session') ?? '';
  const state = SESSION.test(session)
    ? await askService(clock, (signal) => service.findCheckout(session, signal))
    : 'unknown';
  const page = renderReturnPage({ state, session, publicUrl, seller: service.name });
  return privateReply(state === 'unknown' ? 404 : 200, page);
}

function notOffered({ requestId, url }: FormCall): Reply {
  const detail = 'This price is not offered any more. Go back to the plans and choose again.';
  return pageReply(400, renderRefusal({ path: url, title: 'Not on sale', detail, requestId }));
}

function tooManyPages({ requestId, url }: FormCall, wait: number): Reply {
  const detail =
    'Very many requests came from your address just now. Wait a minute, then go back and try again.';
  const reply = pageReply(429, renderRefusal({ path: url, title: 'Too many requests', detail, requestId }));
  return withHeaders(reply, { 'retry-after': String(wait) });
}

/** The reply, or a page that says that the payment service does not answer. */
async function unlessUnavailable(
  { report }: Shop,
  { requestId, url }: FormCall,
  work: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderUnavailable || isUnavailable(error))) throw error;
    report(error);
    const title = 'The payment service does not answer';
    const detail = 'Nothing was charged by this page. Wait a minute, go back in your browser, and try again.';
    const reply = pageReply(503, renderRefusal({ path: url, title, detail, requestId }));
    return withHeaders(reply, { 'retry-after': '60' });
  }
}
