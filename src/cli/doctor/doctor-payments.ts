// Check of `freehold doctor` of the payment service: whether it answers, takes the credentials, and sells what is set.

import { createPaymentApi, PaymentApiFailure } from '../../billing/payment-api.ts';
import { polarHeaders } from '../../billing/polar/polar-api.ts';
import { createPolarService } from '../../billing/polar/polar-service.ts';
import { stripeHeaders } from '../../billing/stripe/stripe-client.ts';
import { createStripeService } from '../../billing/stripe/stripe-service.ts';
import type { Config } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { openDatabase } from '../../postgres/client/database.ts';
import { type Finding, fail, messageOf, ok, warn } from './doctor-checks.ts';

const NAME = 'payments';

export async function checkPayments({ subscriptions: settings, billing }: Config): Promise<Finding[]> {
  if (settings.kind === 'local') return [];
  const prefix = settings.kind.toUpperCase();
  const clock = systemClock;
  const api = createPaymentApi({
    clock,
    apiUrl: settings.apiUrl,
    headers: settings.kind === 'polar' ? polarHeaders(settings) : stripeHeaders(settings.secretKey),
    // A handful of calls, also without the database in which calls are counted.
    budget: { reserve: async () => {} },
  });
  // Never connected: a list of plans asks for no key.
  const database = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing', timeout: 1_000 });
  const service =
    settings.kind === 'polar'
      ? createPolarService({ settings, api, clock })
      : createStripeService({ ...settings, api, database, clock, graceDays: billing.graceDays });
  try {
    const plans = await service.listPlans(new AbortController().signal);
    const sold = plans.map(({ plan, name }) => `${name} (${plan})`);
    if (sold.length > 0) return [ok(NAME, `${settings.apiUrl} sells ${sold.join(', ')}`)];
    const remedy =
      settings.kind === 'polar'
        ? 'Set POLAR_PLANS to the ids of products that are not archived.'
        : 'Give prices a lookup key such as freehold_pro: docs/billing.md.';
    return [warn(NAME, `${settings.apiUrl} sells no plan`, remedy)];
  } catch (error) {
    const { cause } = error as Error;
    const isDenied = cause instanceof PaymentApiFailure && cause.outcome === 'denied';
    const token = settings.kind === 'polar' ? 'POLAR_ACCESS_TOKEN' : 'STRIPE_SECRET_KEY';
    const remedy = isDenied
      ? `Check ${token} and its permissions.`
      : `Check ${prefix}_API_URL and the network.`;
    return [fail(NAME, messageOf(error), remedy)];
  } finally {
    await api.close();
    await database.close();
  }
}
