// Whole service whose subscriptions are sold by a payment service of the tests.

import type { Closing } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { startService, type TestService } from '../service/service.ts';
import { type PolarShop, startPolarShop } from './polar-service.ts';
import { type StripeServer, startStripeServer } from './stripe-server.ts';

const PORTAL = 'https://pay.example/portal';

export interface StripeShop {
  readonly service: TestService;
  readonly stripe: StripeServer;
  readonly clock: ManualClock;
  /** For commands that run beside the service. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A service that sells Pro, by the month and by the year, and Business at a Stripe without faults. */
export async function startStripeShopService(t: Closing): Promise<StripeShop> {
  const clock = manualClock(Math.floor(Date.now() / 1_000) * 1_000);
  const stripe = await startStripeServer(t, { faults: false, clock });
  stripe.account.addPlan('pro', { amount: 2_900, currency: 'eur' });
  stripe.account.addPlan('pro', { amount: 29_000, currency: 'eur', interval: 'year', suffix: '_yearly' });
  stripe.account.addPlan('business', { amount: 19_950, currency: 'eur' });
  const environment = {
    ...{ SUBSCRIPTIONS: 'stripe', STRIPE_API_URL: stripe.url, STRIPE_SECRET_KEY: stripe.secretKey },
    ...{ STRIPE_WEBHOOK_SECRET: stripe.webhookSecret, BILLING_PORTAL_URL: PORTAL },
  };
  const service = await startService(t, { clock, environment });
  return { service, stripe, clock, environment };
}

export interface PolarShopService {
  readonly service: TestService;
  readonly shop: PolarShop;
  readonly clock: ManualClock;
  readonly environment: Readonly<Record<string, string>>;
}

/** A service that sells every plan at a Polar without faults. */
export async function startPolarShopService(t: Closing): Promise<PolarShopService> {
  const clock = manualClock(Math.floor(Date.now() / 1_000) * 1_000);
  const shop = await startPolarShop(t, { faults: false, now: () => clock.now() });
  const { accessToken, organizationId, webhookSecrets, plans, apiUrl } = shop.settings;
  const environment = {
    ...{ SUBSCRIPTIONS: 'polar', POLAR_API_URL: apiUrl, POLAR_ACCESS_TOKEN: accessToken },
    ...{ POLAR_ORGANIZATION_ID: organizationId, POLAR_WEBHOOK_SECRET: webhookSecrets.join(',') },
    POLAR_PLANS: Object.entries(plans)
      .map((pair) => pair.join('='))
      .join(','),
    BILLING_PORTAL_URL: PORTAL,
  };
  const service = await startService(t, { clock, environment });
  return { service, shop, clock, environment };
}
