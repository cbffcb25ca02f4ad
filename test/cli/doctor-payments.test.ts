// Proof of what `freehold doctor` says of a payment service: its plans, credentials that it refuses, and none that answers.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startPolarShop } from '../support/billing/polar/polar-service.ts';
import { POLAR_SETTINGS, STRIPE_SETTINGS } from '../support/billing/signed-events.ts';
import { startStripeServer } from '../support/billing/stripe/stripe-server.ts';
import { stripeEnvironment } from '../support/billing/stripe/stripe-service.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';

const folder = await temporaryFolder({ after }, 'doctor');

async function examine(environment: Readonly<Record<string, string>>) {
  const { stdout } = await runCommand(['doctor', '--json'], { folder, environment });
  const { findings } = JSON.parse(stdout) as {
    findings: {
      readonly name: string;
      readonly state: string;
      readonly detail: string;
      readonly remedy: string;
    }[];
  };
  assert.doesNotMatch(stdout, /sk_test_|polar_oat_/);
  return findings.find(({ name }) => name === 'payments');
}

test('doctor names the plans that Stripe sells, and what to set where it sells none or refuses the key', async (t) => {
  const server = await startStripeServer(t, { faults: false });
  const settings = stripeEnvironment(server);
  assert.deepEqual(
    await examine(settings).then((found) => [found?.state, found?.remedy?.includes('freehold_pro')]),
    ['warn', true],
  );
  server.account.addPlan('pro');
  const sold = await examine(settings);
  assert.equal(sold?.state, 'ok');
  assert.match(sold?.detail ?? '', /\(pro\)/);
  const denied = await examine({ ...settings, STRIPE_SECRET_KEY: STRIPE_SETTINGS.STRIPE_SECRET_KEY });
  assert.equal(denied?.state, 'fail');
  assert.match(denied?.remedy ?? '', /STRIPE_SECRET_KEY/);
});

test('doctor names the plans that Polar sells, and says where it does not answer', async (t) => {
  const { environment } = await startPolarShop(t, { faults: false });
  const sold = await examine(environment);
  assert.equal(sold?.state, 'ok', JSON.stringify(sold));
  assert.match(sold?.detail ?? '', /\(business\)/);
  const denied = await examine({ ...environment, POLAR_ACCESS_TOKEN: POLAR_SETTINGS.POLAR_ACCESS_TOKEN });
  assert.match(denied?.remedy ?? '', /POLAR_ACCESS_TOKEN/);
  const gone = await examine({ ...environment, POLAR_API_URL: 'http://127.0.0.1:9' });
  assert.equal(gone?.state, 'fail');
  assert.match(gone?.remedy ?? '', /POLAR_API_URL/);
});
